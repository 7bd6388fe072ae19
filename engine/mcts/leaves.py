"""Leaves valued by the alpha-beta search, which is called by its address so that its code exists only once."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.evaluation import evaluate_raw, reset_eval_stack
from engine.alphabeta.state import call_search, frame_at
from engine.alphabeta.tb import can_probe_tb, probe_tb_score
from engine.core.position import make, unmake
from engine.kernel import inline, kernel
from engine.mcts.nodes import TB_PROOF
from engine.search.scores import MATE, MATE_BAND, NO_SCORE, TB_BAND, TB_WIN

_LEAF_PLY = np.int64(1)  # not 0: the search must not treat a leaf as a root


@inline
def search_leaf(pos, state, worker, depth, alpha, beta):
    """The score of a shallow search, or of quiescence, in centipawns from the side to move's view."""
    reset_eval_stack(pos, state, _LEAF_PLY)
    frame_at(state, _LEAF_PLY).moves_begin = 0
    frame_at(state, np.int64(0)).piece_to = 0
    return call_search(worker.search_address, pos, state, depth, alpha, beta, _LEAF_PLY)


@inline
def evaluate_leaf(pos, state):
    """The static evaluation in centipawns from the side to move's view, or what the endgame tables know instead."""
    if can_probe_tb(pos, state):
        frame_at(state, _LEAF_PLY).moves_begin = 0
        known_score = probe_tb_score(pos, state, _LEAF_PLY, _LEAF_PLY)
        if known_score != NO_SCORE:
            return known_score
    reset_eval_stack(pos, state, _LEAF_PLY)
    return evaluate_raw(pos, state, _LEAF_PLY)


@inline
def proof_of(score):
    """What a score of a leaf proves: plies to the mate, positive for a win; TB_PROOF more if it is not a mate but a
    result from the endgame tables; 0 if it proves nothing.

    Plies are counted from the leaf's parent: being mated at the leaf is -1.
    """
    if score >= MATE_BAND:
        return MATE - score
    if score <= -MATE_BAND:
        return -(MATE + score)
    if score >= TB_BAND:
        return TB_PROOF + TB_WIN - score
    if score <= -TB_BAND:
        return -(TB_PROOF + TB_WIN + score)
    return np.int64(0)


@kernel
def make_move(pos, move):
    """Make a legal move."""
    make(pos, move)


@kernel
def unmake_move(pos, move):
    """Unmake the last move."""
    unmake(pos, move)
