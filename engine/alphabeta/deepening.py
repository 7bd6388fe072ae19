"""Iterative deepening: search one ply, then two, then three. An anytime algorithm: a move is always ready, and each
iteration finds the move ordering that makes the next one cheap.

There is only one iteration kernel. The main thread calls it window by window to report what it finds; self-play games
and helper threads run many iterations without leaving machine code.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.params import ONE_BITS
from engine.alphabeta.root_moves import move_to_front
from engine.alphabeta.state import STATE_TYPE, StateRecord, call_search, frame_at
from engine.alphabeta.tt import EXACT, GENERATIONS, LOWER, UPPER
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import entry, inline, int64, kernel
from engine.search.scores import INFINITE, MAX_PLY, is_decisive

_ROOT = np.int64(0)


@inline
def aspiration_window(params, depth, previous_score):
    """(alpha, beta) around the previous score: the narrower the window, the more cutoffs."""
    if params.use_aspiration and params.use_alphabeta and depth >= params.aspiration_depth:
        width = params.aspiration_window
        return max(previous_score - width, -INFINITE), min(previous_score + width, INFINITE)
    return -INFINITE, INFINITE


@inline
def widen_window(params, alpha, beta, score, width):
    """(alpha, beta, the width of the next attempt) after `score` failed low or high in a window opened by `width`."""
    wider = width + (width * params.aspiration_growth >> ONE_BITS)
    if wider > params.aspiration_widest:
        return -INFINITE, INFINITE, wider
    if score <= alpha:
        return max(score - width, -INFINITE), (alpha + beta) // 2, wider
    return alpha, min(score + width, INFINITE), wider


@kernel
def set_aspiration_window(state, depth, previous_score):
    """Set the first window of an iteration, around the score of the one before."""
    state.window_alpha, state.window_beta = aspiration_window(state.params, depth, previous_score)
    state.window_width = state.params.aspiration_window
    state.window_fails = 0
    state.line_bound = EXACT


@inline
def _save_best_line(state, score):
    """Save the PV of the root as the best line."""
    state.line_score = score
    state.line_length = frame_at(state, _ROOT).pv_length
    for ply in range(state.line_length):
        state.best_line[ply] = state.pv[0, ply]


@inline
def _fail_high_depth(state, depth):
    """The depth of a search in the current window: reduced after repeated fail highs."""
    return max(depth - state.window_fails, 1) if state.params.use_aspiration_reduction else depth


@kernel
def search_window(pos, state, search_address, depth):
    """Search the root once in the current window. The result is left in `state`.

    `best_line`, `line_length` and `line_score` are the best line; its move is moved to the front of the root moves.
    If the score failed low or high, `line_bound` is UPPER or LOWER and the window has been widened for another search;
    otherwise it is EXACT. A stopped search leaves what it had found by then: a bound, if nothing in this window.
    """
    alpha, beta = np.int64(state.window_alpha), np.int64(state.window_beta)
    score = call_search(search_address, pos, state, _fail_high_depth(state, depth), alpha, beta, _ROOT)
    if state.stopped:
        if frame_at(state, _ROOT).pv_length > 0:
            state.line_bound = EXACT
            _save_best_line(state, state.root_score)
            move_to_front(state, state.best_line[0], state.first_root_move)
        return
    state.line_bound = EXACT
    if score <= alpha:
        state.line_score, state.line_bound = score, UPPER
    else:
        _save_best_line(state, score)
        state.line_bound = LOWER if score >= beta else EXACT
        move_to_front(state, state.best_line[0], state.first_root_move)
    if state.line_bound != EXACT:
        state.window_fails = state.window_fails + 1 if state.line_bound == LOWER else 0
        state.window_alpha, state.window_beta, state.window_width = widen_window(
            state.params, alpha, beta, score, np.int64(state.window_width))


@kernel
def aspiration_search(pos, state, search_address, depth):
    """One iteration from the root that `init_root` has set, with windows that widen until the score lies inside."""
    set_aspiration_window(state, depth, np.int64(state.line_score))
    while True:
        search_window(pos, state, search_address, depth)
        if state.stopped:
            return
        if state.line_bound == EXACT:
            state.completed_depth = depth
            return


@kernel
def iterative_deepening(pos, state, search_address, soft_nodes, hard_nodes):
    """Iterative deepening from the root that `init_root` has set; returns the score.

    The best move is then the first root move. No iteration starts after `soft_nodes` nodes; at `hard_nodes` it aborts.
    """
    state.tt_generation = (state.tt_generation + 1) % GENERATIONS
    state.node_limit = hard_nodes
    for depth in range(1, MAX_PLY):
        aspiration_search(pos, state, search_address, np.int64(depth))
        if (state.stopped or state.nodes >= soft_nodes
                or (is_decisive(state.line_score) and depth >= MAX_PLY // 2)):
            break
    return np.int64(state.line_score)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64)
def start_multipv_line(pos: PositionRecord, state: StateRecord, search_address: int, depth: int, number: int) -> None:
    """Start an iteration for one MultiPV line, numbered from 0, by searching its first window.

    `state.line_score` is the score from the previous iteration. `search_window` describes the result.
    """
    state.first_root_move = number
    set_aspiration_window(state, depth, np.int64(state.line_score))
    search_window(pos, state, search_address, depth)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def re_search(pos: PositionRecord, state: StateRecord, search_address: int, depth: int) -> None:
    """Search again in the window that was widened after a fail low or fail high."""
    search_window(pos, state, search_address, depth)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def helper_deepening(pos: PositionRecord, state: StateRecord, search_address: int, lines: int) -> None:
    """A helper's iterations, over `lines` MultiPV lines, until the search is stopped: what it finds reaches the others
    through the transposition table.
    """
    state.multipv_scores[:lines] = 0
    for depth in range(1, MAX_PLY):
        for number in range(lines - 1, -1, -1):  # the best line last: its score and moves remain in `state`
            state.first_root_move = number
            state.line_score = state.multipv_scores[number]
            aspiration_search(pos, state, search_address, np.int64(depth))
            if state.stopped:
                return
            state.multipv_scores[number] = state.line_score
