"""Step 2 of 4, expansion: creates the children of a leaf, one for each legal move."""

from __future__ import annotations

import numpy as np

from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import add_atomic_i64
from engine.mcts.nodes import claim, node_at, publish_children, write_node
from engine.mcts.params import Selection
from engine.mcts.priors import handmade_scores, policy_priors, scale_by_impurity, softmax_priors, sort_by_prior
from engine.mcts.sampling import random_below

_PUCT = np.int64(Selection.PUCT)


@inline
def _list_moves(pos, state, worker, index):
    """Write the moves of a node to the move list; return their number. The root has only its allowed moves."""
    if index == worker.root:
        for number in range(worker.root_count):
            state.move_list.moves[number] = worker.root_moves[number]
        return worker.root_count
    checkers, pinned = checkers_and_pinned(pos)
    return generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned)


@inline
def _shuffle(state, worker, end):
    for index in range(end - 1, 0, -1):
        other = random_below(worker, index + 1)
        move = state.move_list.moves[index]
        state.move_list.moves[index] = state.move_list.moves[other]
        state.move_list.moves[other] = move


@inline
def _set_priors(pos, state, worker, end, is_root):
    params = worker.params
    if worker.policy != 0 and params.use_policy:
        policy_priors(pos, state, worker, end, params.root_temperature if is_root else params.policy_temperature)
    else:
        softmax_priors(worker, handmade_scores(pos, state, worker, end), end, params.prior_temperature)


@inline
def _order_moves(pos, state, worker, end, is_root):
    """Sort the moves by prior for PUCT; shuffle them for the other selections."""
    if worker.params.selection == _PUCT:
        _set_priors(pos, state, worker, end, is_root)
        sort_by_prior(state, worker, end)
        scale_by_impurity(worker, end)
        return
    _shuffle(state, worker, end)
    for index in range(end):
        worker.priors[index] = 1.0 / np.float64(end)


@kernel
def expand(pos, state, worker, index):
    """Create the children of a node; return whether this thread did.

    It does not if another thread is expanding the node, if the tree is frozen, or if the pool has no room; the last
    sets `worker.is_full`.
    """
    if worker.is_frozen or worker.is_full or not claim(worker.pool, index):
        return False
    count = _list_moves(pos, state, worker, index)
    first = add_atomic_i64(worker.pool_counter, count)
    if first + count > worker.pool_capacity:
        worker.is_full = 1
        node_at(worker.pool, index).mark = 0
        return False
    _order_moves(pos, state, worker, count, index == worker.root)
    for number in range(count):
        write_node(worker.pool, first + number, state.move_list.moves[number], worker.priors[number])
    publish_children(worker.pool, index, first, count)
    return True
