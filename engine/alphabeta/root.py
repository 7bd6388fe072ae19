"""The root of a search: its moves in order, and the one entry point that contains the code of the node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.alphabeta.node import search
from engine.alphabeta.state import ROOT_OFFSET, STATE_TYPE, StateRecord
from engine.alphabeta.steps import reset_eval_stack
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import entry, int64, kernel
from engine.search.scores import NO_SCORE

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
    reset_eval_stack(pos, state, np.int64(0))
    state.moves_begin[0] = 0
    state.excluded_moves[:] = 0
    for row in range(ROOT_OFFSET):
        state.piece_to[row] = 0
    state.nmp_min_ply = 0
    state.root_depth = state.completed_depth = 0
    state.line_score = state.line_length = 0
    state.nodes = 0
    state.leaf_nodes = state.beta_cutoffs = state.first_move_cutoffs = 0
    state.next_poll = 0
    state.stopped = 0


@entry(POSITION_TYPE, STATE_TYPE)
def init_root_entry(pos: PositionRecord, state: StateRecord) -> None:
    """`init_root`, for Python."""
    init_root(pos, state)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
def search_from(pos: PositionRecord, state: StateRecord, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Search `pos` to `depth` in the window from `alpha` to `beta`; returns the score, with mates counted from ply 0.

    `ply` 0 is the root, whose moves `init_root` has listed; any other ply is a node like all others. The line is in
    `state.pv[ply]`. If `state.stopped` is set the score means nothing, and the line is what the unfinished search had
    found, maybe nothing. Other kernels call it by its address, so that its code, which is large, exists only once.
    """
    state.root_depth = depth
    if ply > 0:
        # the previous search was of another position
        state.positional_evals[ply - 1] = state.static_evals[ply - 1] = NO_SCORE
    return search(pos, state, alpha, beta, depth, ply, np.int64(0))


@kernel
def move_to_front(state, move, place):
    """Move a root move up to `place`, where the next iteration or the next MultiPV line looks for it."""
    found = place
    while state.root_moves[found] != move:
        found += 1
    nodes = state.root_nodes[found]
    while found > place:
        state.root_moves[found] = state.root_moves[found - 1]
        state.root_nodes[found] = state.root_nodes[found - 1]
        found -= 1
    state.root_moves[place] = move
    state.root_nodes[place] = nodes


@entry(STATE_TYPE, int64, int64)
def move_to_front_entry(state: StateRecord, move: int, place: int) -> None:
    """`move_to_front`, for Python."""
    move_to_front(state, move, place)


def restrict_root_moves(state: StateRecord, wanted: Sequence[int]) -> None:
    """Keep only the root moves that are `wanted`."""
    moves = [move for move in state.root_moves[: state.root_count].tolist() if move in wanted]
    state.root_count = len(moves)
    state.root_moves[: len(moves)] = moves
