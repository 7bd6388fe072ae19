"""What every node does first: count it, clear its PV, check the limits, and detect draws."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.state import COUNTED_DEPTHS, frame_at
from engine.core.bits import EMPTY
from engine.core.draws import is_fifty_moves, is_insufficient_material, is_repetition
from engine.core.movegen import ALL_MOVES, checkers_and_pinned, generate
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import load_atomic, perf_counter_ns

_POLL_INTERVAL = np.int64(512)  # nodes between two readings of the clock
_LONG_FIRST_ITERATION = np.int64(10_000)  # nodes
_LAST_COUNTED = np.int64(COUNTED_DEPTHS - 1)


@kernel
def check_limits(state):
    """Check the node limit, the clock and the stop flag, and set `stopped` if the search must end.

    The clock and the stop flag do not end the first iteration, which takes microseconds: without it there would be no
    move worth playing. The exception is an explosion of captures, as with dozens of queens.
    """
    state.next_poll = min(state.nodes + _POLL_INTERVAL, state.node_limit)
    is_over = perf_counter_ns() >= state.deadline or load_atomic(state.stop_address) != 0
    may_end = state.root_depth > 1 or state.nodes >= _LONG_FIRST_ITERATION
    if state.nodes >= state.node_limit or (is_over and may_end):
        state.stopped = 1


@inline
def enter_node(state, ply, depth):
    """Clear the PV of this ply, update seldepth, and count the node by its remaining depth, 0 in quiescence."""
    state.nodes_by_depth[min(depth, _LAST_COUNTED)] += 1
    frame_at(state, ply).pv_length = 0
    state.seldepth = max(state.seldepth, ply)


@inline
def should_stop(state):
    """Whether the search must stop; the limits are checked once in _POLL_INTERVAL nodes."""
    if state.nodes >= state.next_poll:
        check_limits(state)
    return state.stopped != 0


@inline
def is_draw(pos, state, ply):
    """Whether the position is a draw by rule, or by a repetition within the searched line."""
    frame = frame_at(state, ply)
    if is_fifty_moves(pos):
        checkers, pinned = checkers_and_pinned(pos)
        begin = np.int64(frame.moves_begin)
        # Mate takes precedence over the draw.
        if checkers == EMPTY or generate(pos, state.move_list, begin, ALL_MOVES, checkers, pinned) > begin:
            return True
    return is_insufficient_material(pos) or is_repetition(pos, ply)
