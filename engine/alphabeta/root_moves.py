"""The root moves: their order, the nodes spent on each, and which of them may be searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.alphabeta.evaluation import reset_eval_stack
from engine.alphabeta.state import ROOT_OFFSET, STATE_TYPE, StateRecord, frame_at
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import entry, inline, int64, kernel

_ROOT = np.int64(0)
NO_LIMIT = np.iinfo(np.int64).max  # a number of nodes or nanoseconds that is never reached


@kernel
def init_root(pos, state):
    """Prepare a thread's state for a search of `pos`, with all its legal moves as root moves."""
    checkers, pinned = checkers_and_pinned(pos)
    state.root_count = generate(pos, state.move_list, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(state.root_count):
        state.root_moves[index] = state.move_list.moves[index]
        state.root_nodes[index] = 0
    state.first_root_move = 0
    reset_eval_stack(pos, state, _ROOT)
    frame_at(state, _ROOT).moves_begin = 0
    for index in range(ROOT_OFFSET):
        state.stack[index].piece_to = 0
    state.nmp_min_ply = 0
    state.root_depth = state.completed_depth = 0
    state.line_score = state.line_length = 0
    state.nodes = 0
    state.leaf_nodes = state.beta_cutoffs = state.first_move_cutoffs = 0
    state.tt_probes = state.tt_hits = state.reduced_searches = state.re_searches = 0
    for depth in range(len(state.nodes_by_depth)):
        state.nodes_by_depth[depth] = 0
    state.next_poll = 0
    state.stopped = 0


@entry(POSITION_TYPE, STATE_TYPE)
def init_root_entry(pos: PositionRecord, state: StateRecord) -> None:
    """`init_root`, for Python."""
    init_root(pos, state)


@kernel
def move_to_front(state, move, index):
    """Move a root move up to `index`, where the next iteration or the next MultiPV line looks for it."""
    current = index
    while state.root_moves[current] != move:
        current += 1
    nodes = state.root_nodes[current]
    while current > index:
        state.root_moves[current] = state.root_moves[current - 1]
        state.root_nodes[current] = state.root_nodes[current - 1]
        current -= 1
    state.root_moves[index] = move
    state.root_nodes[index] = nodes


@entry(STATE_TYPE, int64, int64)
def move_to_front_entry(state: StateRecord, move: int, index: int) -> None:
    """`move_to_front`, for Python."""
    move_to_front(state, move, index)


def restrict_root_moves(state: StateRecord, allowed: Sequence[int]) -> None:
    """Restrict the root moves to `allowed`."""
    moves = [move for move in state.root_moves[: state.root_count].tolist() if move in allowed]
    state.root_count = len(moves)
    state.root_moves[: len(moves)] = moves


@inline
def root_move_is_allowed(state, move):
    """Whether the root may play `move`: not ruled out by searchmoves, nor taken by a better MultiPV line."""
    for index in range(state.first_root_move, state.root_count):  # noqa: SIM110  kernels have no generators
        if state.root_moves[index] == move:
            return True
    return False


@inline
def set_current_root_move(state, ply, move, number):
    """At the root, note which move is being searched."""
    if ply == 0:
        state.current_move, state.current_move_number = move, number + state.first_root_move


@inline
def root_best_move(state, ply, tt_move):
    """At the root, the best move so far, so that it is searched first and an aborted search can still answer."""
    if ply == 0 and state.root_depth > 1 and state.root_nodes[state.first_root_move] > 0:
        return np.int64(state.root_moves[state.first_root_move])
    return tt_move


@inline
def add_root_move_nodes(state, ply, move, nodes):
    """At the root, count the nodes spent on a move."""
    if ply == 0:
        for index in range(state.root_count):
            if state.root_moves[index] == move:
                state.root_nodes[index] += nodes
