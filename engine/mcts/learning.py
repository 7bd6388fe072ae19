"""What a tree learns while it grows, and keeps between moves: a history of moves, and corrections of the evaluation.

Whenever the visits of a node reach a power of two, it updates both. The history is how much better than its parent a
move was on average, by its from and to squares; it is added to the logits of the policy. The corrections are those of
alpha-beta: the static evaluation of the node should have been the mean value of its subtree.
"""

from __future__ import annotations

import math

import numpy as np

from engine.alphabeta.correction import update_correction_history
from engine.alphabeta.history import from_to
from engine.core.bits import EMPTY
from engine.core.movegen import checkers_and_pinned
from engine.core.position import is_noisy
from engine.kernel import inline, kernel
from engine.mcts.leaves import LEAF_PLY, set_last_moves, static_eval
from engine.mcts.nodes import average, average_before, children_of, node_at
from engine.mcts.values import score_for

_LEAST_VISITS = np.int64(2)  # of a move: a single value says too little of it
_DECIDED = 0.95  # a larger value is a matter of tactics, not of the evaluation
_LOG_2 = math.log(2.0)


@inline
def update_is_due(params, visits):
    """Whether a node updates what is learned at this visit, at least the `update_visits`th."""
    return visits & (visits - 1) == 0 and (params.history_weight > 0.0 or params.correction_rate > 0.0)


@inline
def _update_history(pos, worker, first, end, expected):
    """Draw the history of the visited moves towards what they gained over `expected`, the value of the node."""
    history, rate = worker.move_history[np.int64(pos.side)], worker.params.history_rate
    for index in range(first, end):
        child = node_at(worker.pool, index)
        if child.visits >= _LEAST_VISITS:
            code = from_to(np.int64(child.move))
            known = np.float64(history[code])
            history[code] = known + rate * (average(child) - expected - known)


@inline
def _most_visited(worker, first, end):
    best = first
    for index in range(first + 1, end):
        if node_at(worker.pool, index).visits > node_at(worker.pool, best).visits:
            best = index
    return node_at(worker.pool, best)


@inline
def _update_correction(pos, state, worker, first, end, value, visits, depth):
    """Update the correction histories by the value of a quiet node, like a search whose depth grows with the visits."""
    checkers, _ = checkers_and_pinned(pos)
    best = _most_visited(worker, first, end)
    if checkers != EMPTY or abs(value) > _DECIDED or best.proof != 0 or is_noisy(pos, np.int64(best.move)):
        return
    # The mean of the node contains bad moves of the side to move, that of its best child bad replies.
    value = 0.5 * (value + average(best))
    set_last_moves(state, worker, depth)
    plies = max(np.int64(worker.params.correction_rate * math.log(np.float64(visits)) / _LOG_2), np.int64(1))
    update_correction_history(pos, state, LEAF_PLY, plies, score_for(pos, worker, value) - static_eval(pos, state))


@kernel
def update_learned(pos, state, worker, index, visits, depth):
    """Update what is learned by the visits of an expanded node at `depth` of the path, whose position is `pos`."""
    params = worker.params
    first, end = children_of(worker.pool, index)
    value = -average_before(node_at(worker.pool, index))
    if params.history_weight > 0.0:
        _update_history(pos, worker, first, end, value)
    if params.correction_rate > 0.0:
        _update_correction(pos, state, worker, first, end, value, visits, depth)


@inline
def add_history(pos, state, worker, end):
    """Add the history of the first `end` moves of the list to their logits in `worker.priors`; return the best."""
    history, best = worker.move_history[np.int64(pos.side)], -1e9
    for index in range(end):
        code = from_to(np.int64(state.move_list.moves[index]))
        worker.priors[index] += worker.params.history_weight * np.float64(history[code])
        best = max(best, worker.priors[index])
    return best
