"""Leaf values by alpha-beta or static evaluation; and make and unmake as kernels, to keep the machine code small.

The alpha-beta search is called by address, so that its machine code exists only once.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.correction import correct_eval
from engine.alphabeta.evaluation import evaluate_raw, reset_eval_stack
from engine.alphabeta.state import ROOT_OFFSET, call_search, frame_at
from engine.alphabeta.tb import can_probe_tb, probe_tb_score
from engine.core.bits import EMPTY
from engine.core.position import make, unmake
from engine.kernel import inline, kernel
from engine.mcts.nodes import TB_PROOF, node_at
from engine.search.scores import MATE, MATE_BAND, NO_SCORE, TB_BAND, TB_WIN

LEAF_PLY = np.int64(1)  # not 0: the search must not treat a leaf as a root


@inline
def set_last_moves(state, worker, depth):
    """Set the moves that the next search of a leaf takes for the last ones: those of the path to the node at `depth`.

    None if the parameters say so, or if `depth` is 0.
    """
    last = frame_at(state, np.int64(0))
    if not worker.params.use_last_moves:
        last.piece_to = 0
        return
    for plies in range(ROOT_OFFSET):
        frame_at(state, -plies).piece_to = worker.piece_to[depth - plies] if depth > plies else 0
    last.move = node_at(worker.pool, worker.path[depth]).move
    last.static_eval = NO_SCORE
    last.threats = EMPTY


@inline
def search_leaf(pos, state, worker, depth, alpha, beta):
    """The score of a search of `depth` plies, 0 for quiescence, from the view of the side to move.

    The caller has called `set_last_moves`.
    """
    reset_eval_stack(pos, state, LEAF_PLY)
    frame_at(state, LEAF_PLY).moves_begin = 0
    return call_search(worker.search_address, pos, state, depth, alpha, beta, LEAF_PLY)


@inline
def evaluate_leaf(pos, state):
    """The score by endgame tables, otherwise the static evaluation, from the view of the side to move."""
    if can_probe_tb(pos, state):
        frame_at(state, LEAF_PLY).moves_begin = 0
        tb_score = probe_tb_score(pos, state, LEAF_PLY, LEAF_PLY)
        if tb_score != NO_SCORE:
            return tb_score
    reset_eval_stack(pos, state, LEAF_PLY)
    return evaluate_raw(pos, state, LEAF_PLY)


@kernel
def static_eval(pos, state):
    """The static evaluation with the correction histories; the caller has called `set_last_moves`."""
    reset_eval_stack(pos, state, LEAF_PLY)
    return correct_eval(pos, state, LEAF_PLY, evaluate_raw(pos, state, LEAF_PLY))


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
