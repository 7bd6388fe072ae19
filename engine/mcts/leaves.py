"""Leaf values by alpha-beta or static evaluation; and make and unmake as kernels, to keep the machine code small.

The alpha-beta search is called by address, so that its machine code exists only once.
"""

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
    """The score of a search of `depth` plies, 0 for quiescence, from the view of the side to move."""
    reset_eval_stack(pos, state, _LEAF_PLY)
    frame_at(state, _LEAF_PLY).moves_begin = 0
    frame_at(state, np.int64(0)).piece_to = 0
    return call_search(worker.search_address, pos, state, depth, alpha, beta, _LEAF_PLY)


@inline
def evaluate_leaf(pos, state):
    """The score by endgame tables, otherwise the static evaluation, from the view of the side to move."""
    if can_probe_tb(pos, state):
        frame_at(state, _LEAF_PLY).moves_begin = 0
        tb_score = probe_tb_score(pos, state, _LEAF_PLY, _LEAF_PLY)
        if tb_score != NO_SCORE:
            return tb_score
    reset_eval_stack(pos, state, _LEAF_PLY)
    return evaluate_raw(pos, state, _LEAF_PLY)


@inline
def proof_of(score):
    """The proof that the score of a leaf gives: plies to mate, positive for a win; 0 if it proves nothing.

    TB_PROOF is added for a win or loss by endgame tables. Plies are counted from the parent of the leaf: being mated at
    the leaf is -1.
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
