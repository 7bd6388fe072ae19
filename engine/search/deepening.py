"""Iterative deepening: search one ply, then two, then three. An anytime algorithm: a move is always ready, and each
iteration finds the order of moves that makes the next one cheap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from engine.core.game import list_moves
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import Int, entry, int64
from engine.search.alphabeta import search
from engine.search.limits import Info, Limits
from engine.search.scores import INFINITE, MAX_PLY, mate_distance
from engine.search.state import BEFORE_ROOT, STATE_TYPE, StateRecord
from eval.squares import psq_of

_WIDEST_WINDOW = np.int64(600)  # a window that had to grow beyond this is opened altogether
NEVER = np.iinfo(np.int64).max


@entry(POSITION_TYPE, STATE_TYPE)
def prepare_root(pos: PositionRecord, state: StateRecord) -> None:
    """Set the stacks of a thread to the root position."""
    state.psq[0] = psq_of(pos, state.weights)
    state.begin[0] = 0
    state.excluded[:] = 0
    for row in range(BEFORE_ROOT):
        state.slots[row] = 0
    state.null_floor = 0
    state.nodes = 0
    state.next_poll = 0
    state.stopped = 0


@entry(POSITION_TYPE, STATE_TYPE, int64, int64)
def search_line(pos: PositionRecord, state: StateRecord, depth: int, expected: int) -> int:
    """Search the root `depth` plies, first in a narrow window around the `expected` score; returns the score.

    The line is in `state.pv[0]`. When `state.stopped` is set the score means nothing, and the line is what a part of
    the iteration found, maybe nothing.
    """
    state.root_depth = depth
    state.deepest = 0
    window = state.params.aspiration_window
    alpha, beta = -INFINITE, INFINITE
    if state.params.use_aspiration and depth >= state.params.aspiration_depth:
        alpha, beta = max(expected - window, -INFINITE), min(expected + window, INFINITE)
    while True:
        score = search(pos, state, alpha, beta, depth, np.int64(0), np.int64(0))
        if state.stopped or (alpha < score < beta):
            return score
        if score <= alpha:
            beta = (alpha + beta) // 2
            alpha = max(score - window, -INFINITE)
        else:
            beta = min(score + window, INFINITE)
        window += window // 2
        if window > _WIDEST_WINDOW:
            alpha, beta = -INFINITE, INFINITE


def root_moves(pos: PositionRecord, state: StateRecord, wanted: Sequence[int]) -> list[int]:
    """Give the state its root moves: all legal ones, or those of them that are `wanted`."""
    count, _ = list_moves(pos, state.list)
    legal: list[int] = state.list.moves[:count].tolist()
    moves = [move for move in legal if move in wanted] if wanted else legal
    state.root_count = len(moves)
    state.root_moves[: len(moves)] = moves
    state.root_nodes[: len(moves)] = 0
    return moves


class Line:
    """What is known of one line of MultiPV."""

    def __init__(self) -> None:
        self.score = 0
        self.moves: tuple[int, ...] = ()


def deepen(pos: PositionRecord, state: StateRecord, limits: Limits, started: float,
           report: Callable[[Info], None]) -> tuple[int, list[Line]]:
    """Iterate until a limit is met; returns the last finished depth and the lines, the best first.

    `report` is told of every finished line.
    """
    count = int(state.root_count)
    lines = [Line() for _ in range(min(limits.multipv, count))]
    deepest = min(limits.depth or MAX_PLY - 1, MAX_PLY - 1)
    for depth in range(1, deepest + 1):
        for number, line in enumerate(lines):
            state.first_root_move = number
            score = int(search_line(pos, state, depth, line.score))
            moves = tuple(state.pv[0, : state.pv_length[0]].tolist())
            if state.stopped:
                if moves and number == 0:
                    line.moves = moves
                return depth - 1, lines
            line.score, line.moves = score, moves
            _move_to_front(state, moves[0], number)
            report(Info(depth, int(state.deepest) + 1, number + 1, score, int(state.nodes),
                        time.perf_counter() - started, 0, moves))
        lines.sort(key=lambda line: -line.score)
        is_late = limits.soft_time is not None and time.perf_counter() - started >= limits.soft_time
        if is_late or _mate_is_found(limits, lines):
            return depth, lines
    return deepest, lines


def _move_to_front(state: StateRecord, move: Int, place: int) -> None:
    """Put a root move at `place`, where the next line of MultiPV leaves it out."""
    moves, nodes = state.root_moves, state.root_nodes
    found = moves[: state.root_count].tolist().index(move)
    moves[place : found + 1] = np.roll(moves[place : found + 1], 1)
    nodes[place : found + 1] = np.roll(nodes[place : found + 1], 1)


def _mate_is_found(limits: Limits, lines: list[Line]) -> bool:
    if limits.mate is None:
        return False
    distance = mate_distance(lines[0].score)
    return distance is not None and 0 < distance <= limits.mate
