"""Iterative deepening: search one ply, then two, then three. An anytime algorithm: a move is always ready, and each
iteration finds the order of moves that makes the next one cheap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.alphabeta.node import search
from engine.alphabeta.state import BEFORE_ROOT, STATE_TYPE, StateRecord
from engine.core.movegen import ALL_MOVES, generate, king_masks
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import Int, entry, inline, int64, kernel
from engine.search.clock import patience
from engine.search.limits import Bound, Info, Limits, Report
from engine.search.scores import INFINITE, MAX_PLY, NO_SCORE, mate_distance
from eval.squares import psq_of

_INFINITE = int(INFINITE)
_WIDEST_WINDOW = 600  # a window that had to grow beyond this is opened altogether
_FIRST_BOUND = 1.0  # seconds: before, bounds come too fast to be read
NEVER = np.iinfo(np.int64).max


@kernel
def begin_root(pos, state):
    """Set the stacks of a thread to the root position, with all its legal moves."""
    checkers, pinned = king_masks(pos)
    state.root_count = generate(pos, state.list, np.int64(0), ALL_MOVES, checkers, pinned)
    for index in range(state.root_count):
        state.root_moves[index] = state.list.moves[index]
        state.root_nodes[index] = 0
    state.first_root_move = 0
    state.psq[0] = psq_of(pos, state.weights)
    state.begin[0] = 0
    state.excluded[:] = 0
    for row in range(BEFORE_ROOT):
        state.slots[row] = 0
    state.null_floor = 0
    state.root_depth = 0
    state.nodes = 0
    state.leaves = state.cuts = state.first_cuts = 0
    state.next_poll = 0
    state.stopped = 0


@entry(POSITION_TYPE, STATE_TYPE)
def prepare_root(pos: PositionRecord, state: StateRecord) -> None:
    """`begin_root`, for Python."""
    begin_root(pos, state)


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
def search_from(pos: PositionRecord, state: StateRecord, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Search `pos` `depth` plies in the window from `alpha` to `beta`; returns the score, mates counted from ply 0.

    `ply` 0 is the root, whose moves `begin_root` has listed; with any other the position is a node like all others. The
    line is in `state.pv[ply]`. When `state.stopped` is set the score means nothing, and the line is what a part of the
    iteration found, maybe nothing.
    """
    state.root_depth = depth
    if ply > 0:
        state.rests[ply - 1] = NO_SCORE  # what was searched before this was another position
    return search(pos, state, alpha, beta, depth, ply, np.int64(0))


@inline
def first_window(params, depth, expected):
    """(alpha, beta) around the `expected` score: the narrower the window, the more is cut."""
    if params.use_aspiration and params.use_alphabeta and depth >= params.aspiration_depth:
        width = params.aspiration_window
        return max(expected - width, -_INFINITE), min(expected + width, _INFINITE)
    return -_INFINITE, _INFINITE


@inline
def wider_window(alpha, beta, score, width):
    """(alpha, beta) after `score` fell outside; `width` is larger at each try."""
    if width + width // 2 > _WIDEST_WINDOW:
        return -_INFINITE, _INFINITE
    if score <= alpha:
        return max(score - width, -_INFINITE), (alpha + beta) // 2
    return alpha, min(score + width, _INFINITE)


def keep_root_moves(state: StateRecord, wanted: Sequence[int]) -> None:
    """Leave only those of the root moves that are `wanted`."""
    moves = [move for move in state.root_moves[: state.root_count].tolist() if move in wanted]
    state.root_count = len(moves)
    state.root_moves[: len(moves)] = moves


@dataclass(frozen=True)
class Line:
    """What is known of one line of MultiPV."""

    score: int = 0
    moves: tuple[int, ...] = ()


class Deepening:
    """One thread's iterations. `lines` holds what is known, the best first, and `depth` the last finished iteration."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, report: Report) -> None:
        self.lines = [Line() for _ in range(min(limits.multipv, int(state.root_count)))]
        self.depth = 0
        self._pos, self._state, self._limits, self._report = pos, state, limits, report
        self._started = time.perf_counter()
        self._steady = 0  # iterations since the best move changed
        self._drop = 0  # of the score, in the last iteration

    def run(self, is_late: Callable[[float], bool]) -> None:
        """Iterate until a limit is met, or `is_late` says so after an iteration, which it gets the patience for."""
        deepest = min(self._limits.depth or MAX_PLY - 1, MAX_PLY - 1)
        while self.depth < deepest and self._iterate():
            if is_late(self._patience()) or _mate_is_found(self._limits, self.lines):
                return

    def _iterate(self) -> bool:
        """Search one ply deeper, or as deep as the first iteration shall be; returns whether that was finished."""
        depth, before = max(self.depth + 1, self._limits.first_depth), self.lines[0]
        self._state.deepest = 0
        found = []
        for number, line in enumerate(self.lines):
            self._state.first_root_move = number
            better = self._search_line(depth, number, line)
            if better is None:
                return False
            found.append(better)
        self.lines = sorted(found, key=lambda line: -line.score)
        for number, line in enumerate(self.lines):
            _move_to_front(self._state, line.moves[0], number)
        if len(found) > 1:
            for number, line in enumerate(self.lines):  # only now their order is known
                self._tell(depth, number, line, Bound.EXACT)
        self._steady = self._steady + 1 if self.lines[0].moves[:1] == before.moves[:1] else 0
        self._drop = before.score - self.lines[0].score
        self.depth = depth
        return True

    def _search_line(self, depth: int, number: int, line: Line) -> Line | None:
        """Search one line of MultiPV in windows that widen until the score lies inside; None if that was stopped."""
        params, is_only = self._state.params, len(self.lines) == 1
        alpha, beta = first_window(params, depth, line.score)
        width = int(params.aspiration_window)
        while True:
            score = int(search_from(self._pos, self._state, depth, alpha, beta, 0))
            moves = tuple(self._state.pv[0, : self._state.pv_length[0]].tolist())
            if self._state.stopped:
                if moves and is_only:
                    self.lines = [Line(int(self._state.root_score), moves)]
                return None
            bound = Bound.UPPER if score <= alpha else Bound.LOWER if score >= beta else Bound.EXACT
            line = Line(score, line.moves if bound is Bound.UPPER else moves)
            _move_to_front(self._state, line.moves[0], number)
            if is_only:
                self.lines = [line]
                self._tell(depth, number, line, bound)
            if bound is Bound.EXACT:
                return line
            alpha, beta = wider_window(alpha, beta, score, width)
            width += width // 2

    def _tell(self, depth: int, number: int, line: Line, bound: Bound) -> None:
        seconds = time.perf_counter() - self._started
        if bound is Bound.EXACT or seconds >= _FIRST_BOUND:
            self._report(Info(depth, int(self._state.deepest) + 1, number + 1, line.score, int(self._state.nodes),
                              seconds, 0, line.moves, bound))

    def _patience(self) -> float:
        """The factor on the soft time that this iteration asks for."""
        if len(self.lines) > 1:
            return 1.0
        spent = int(self._state.root_nodes[: self._state.root_count].sum())
        share = int(self._state.root_nodes[0]) / spent if spent else 1.0
        return patience(self._steady, self._drop, share)


def _move_to_front(state: StateRecord, move: Int, place: int) -> None:
    """Put a root move at `place`, where the next line of MultiPV leaves it out."""
    found = state.root_moves[: state.root_count].tolist().index(move)
    for row in (state.root_moves, state.root_nodes) if found > place else ():
        first = row[found]
        row[place + 1 : found + 1] = row[place:found].copy()
        row[place] = first


def _mate_is_found(limits: Limits, lines: list[Line]) -> bool:
    if limits.mate is None:
        return False
    distance = mate_distance(lines[0].score)
    return distance is not None and 0 < distance <= limits.mate
