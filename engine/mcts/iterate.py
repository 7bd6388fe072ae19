"""The loop of the tree search: select, expand, simulate, backpropagate."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.history import piece_to_index
from engine.alphabeta.root_moves import NO_LIMIT
from engine.alphabeta.state import STATE_TYPE, StateRecord
from engine.alphabeta.tt import tt_prefetch
from engine.core.bits import EMPTY
from engine.core.draws import is_fifty_moves, is_insufficient_material, is_repetition
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate, pawn_targets
from engine.core.position import POSITION_TYPE, PositionRecord, king_square
from engine.kernel import entry, inline, kernel
from engine.kernel.intrinsics import load_atomic, perf_counter_ns
from engine.mcts.backup import back_propagate
from engine.mcts.expand import expand
from engine.mcts.learning import update_is_due, update_learned
from engine.mcts.leaves import make_move, set_last_moves, unmake_move
from engine.mcts.nodes import average_before, count_visit, node_at, prefetch_children
from engine.mcts.params import Selection
from engine.mcts.root_search import deepen_root, root_search_is_due
from engine.mcts.select import select
from engine.mcts.shared_values import lookup_shared_value
from engine.mcts.simulate import simulate
from engine.mcts.values import add_value_sample, update_value_spread
from engine.mcts.worker import LONGEST_PATH, WORKER_TYPE, WorkerRecord

_EVEN = np.int64(Selection.EVEN)
_LEAF_NODES = np.int64(100)  # which the search of a leaf seldom needs
_CHECK_INTERVAL = np.int64(8)  # iterations between two checks of the limits


@inline
def _may_grow(worker, index, depth):
    """Whether a visit continues to the children: always at the root, elsewhere from the second visit on."""
    if depth == 0:
        return True
    return node_at(worker.pool, index).visits > 1 and worker.params.selection != _EVEN and depth < LONGEST_PATH


@inline
def _is_drawn_by_path(pos, depth):
    """Whether the path to the node makes it a draw; that must not be stored in the node."""
    return is_repetition(pos, depth) or is_fifty_moves(pos)


@inline
def _descend(pos, state, worker):
    """Steps 1 and 2: descend to a leaf, expanding visited nodes, and return its depth. Makes the moves on `pos`."""
    depth, index = np.int64(0), worker.root
    worker.path[0] = index
    worker.keys[0] = pos.key
    visits = count_visit(worker.pool, index)
    while _may_grow(worker, index, depth):
        node = node_at(worker.pool, index)
        if depth > 0 and (node.proof != 0 or node.is_drawn or _is_drawn_by_path(pos, depth)):
            break
        if node.first == 0 and not expand(pos, state, worker, index):
            break
        if depth == 0 and root_search_is_due(state, worker):
            deepen_root(pos, state, worker)
        if visits >= worker.params.update_visits and update_is_due(worker.params, visits):
            update_learned(pos, state, worker, index, visits, depth)
        index = select(worker, index)
        prefetch_children(worker.pool, index)
        move = np.int64(node_at(worker.pool, index).move)
        depth += 1
        worker.path[depth] = index
        worker.piece_to[depth] = piece_to_index(pos, move)
        make_move(pos, move)
        worker.keys[depth] = pos.key
        visits = count_visit(worker.pool, index)
    return depth


@inline
def _has_legal_move(pos, state, checkers, pinned):
    """Whether there is a legal move. A pawn push, which is quick to test, nearly always exists."""
    us = np.int64(pos.side)
    one, _, _, _ = pawn_targets(pos, us, king_square(pos, us), pinned)
    if checkers == EMPTY and one != EMPTY:
        return True
    return generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned) > 0


@kernel
def _leaf_value(pos, state, worker, index, depth):
    """Step 3: (value, probability of a draw) of a leaf for its side to move. Stores a certain result in the node."""
    node = node_at(worker.pool, index)
    tt_prefetch(state.tt_address, state.tt_buckets, pos.key)
    if depth > 0:
        if node.proof != 0:
            return (-1.0 if node.proof > 0 else 1.0), 0.0
        if node.is_drawn:
            return 0.0, 1.0
        checkers, pinned = checkers_and_pinned(pos)
        if not _has_legal_move(pos, state, checkers, pinned):
            if checkers != EMPTY:
                node.proof = 1
                return -1.0, 0.0
            node.is_drawn = 1
            return 0.0, 1.0
        if is_insufficient_material(pos):
            node.is_drawn = 1
            return 0.0, 1.0
        if _is_drawn_by_path(pos, depth):
            return 0.0, 1.0
        is_known, value, draw = lookup_shared_value(worker, pos.key)
        if is_known:
            return value, draw
    expected = average_before(node_at(worker.pool, worker.path[depth - 1])) if depth > 0 else 0.0
    set_last_moves(state, worker, depth)
    value, draw, proof = simulate(pos, state, worker, expected)
    if proof != 0 and worker.params.use_solver and depth > 0:
        node.proof = -proof
        return (1.0 if proof > 0 else -1.0), 0.0
    return value, draw


@inline
def _return_to_root(pos, worker, depth):
    for ply in range(depth, 0, -1):
        unmake_move(pos, np.int64(node_at(worker.pool, worker.path[ply]).move))


@kernel
def _iterate(pos, state, worker):
    """Run one iteration of the four steps."""
    depth = _descend(pos, state, worker)
    value, draw = _leaf_value(pos, state, worker, worker.path[depth], depth)
    sign = 1.0 if depth % 2 == 0 else -1.0  # contempt counts for the player at the root
    value -= sign * worker.params.contempt * draw
    back_propagate(worker, depth, value, draw)
    add_value_sample(worker, sign * value)
    _return_to_root(pos, worker, depth)
    worker.iterations += 1
    worker.depth_sum += depth
    worker.seldepth = max(worker.seldepth, depth)


@inline
def _should_stop(worker):
    if worker.iterations % _CHECK_INTERVAL != 0:
        return False
    update_value_spread(worker)
    return perf_counter_ns() >= worker.deadline or load_atomic(worker.stop_address) != 0


@inline
def _has_used_budget(state, worker):
    """Whether the iterations, or all positions that they visited, have reached their limit."""
    if worker.position_limit == NO_LIMIT:
        return worker.iterations >= worker.iteration_limit
    # The search of the root is long: it ends when the budget does. Those of leaves may exceed it.
    left = worker.position_limit - worker.iterations - worker.playout_plies
    state.node_limit = left + _LEAF_NODES
    state.next_poll = min(state.next_poll, state.node_limit)
    return worker.iterations >= worker.iteration_limit or state.nodes >= left


@entry(POSITION_TYPE, STATE_TYPE, WORKER_TYPE)
def grow(pos: PositionRecord, state: StateRecord, worker: WorkerRecord) -> None:
    """Grow the tree below `pos` until a limit of the worker is reached, the pool is full, or the root is proven.

    Runs at least one iteration. `pos` is the same afterwards.
    """
    while True:
        _iterate(pos, state, worker)
        if worker.is_full or state.stopped or _has_used_budget(state, worker) or _should_stop(worker):
            return
        if worker.stops_when_proven and node_at(worker.pool, worker.root).proof != 0:
            return
