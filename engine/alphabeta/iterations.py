"""The main thread's iterations, reported as they finish."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.alphabeta.deepening import re_search, start_multipv_line
from engine.alphabeta.root import search_from
from engine.alphabeta.root_moves import move_to_front_entry
from engine.alphabeta.state import ROOT_OFFSET, StateRecord
from engine.alphabeta.tt import EXACT, LOWER
from engine.core.position import PositionRecord
from engine.search.scores import MAX_PLY, mate_distance
from engine.search.time_management import time_factor
from engine.search.types import Bound, Info, Limits, Report

_BOUNDS = {int(EXACT): Bound.EXACT, int(LOWER): Bound.LOWER}
_FIRST_BOUND = 1.0  # seconds: before that, bounds come too fast to be read


@dataclass(frozen=True)
class PvLine:
    """The score and moves of one MultiPV line."""

    score: int = 0
    moves: tuple[int, ...] = ()
    bound: Bound = Bound.EXACT


def best_line_of(state: StateRecord) -> PvLine:
    """The best line that a thread has found."""
    return PvLine(int(state.line_score), tuple(state.best_line[: state.line_length].tolist()),
                  _BOUNDS.get(int(state.line_bound), Bound.UPPER))


class MainThreadSearch:
    """One thread's iterations. `lines` holds the lines found, the best first; `depth` is that of the last full one."""

    def __init__(self, pos: PositionRecord, state: StateRecord, limits: Limits, started: float, report: Report) -> None:
        self.lines = [PvLine() for _ in range(min(limits.multipv, int(state.root_count)))]
        self.depth = 0
        self._pos, self._state, self._limits, self._report = pos, state, limits, report
        self._started = started  # of the search, by `time.perf_counter`
        self._steady = 0  # iterations since the best move changed
        self._drop = 0  # of the score, in the last iteration

    def run(self, is_out_of_time: Callable[[float], bool]) -> None:
        """Iterate until a limit is met, or until `is_out_of_time`, called with the time factor, is true."""
        deepest = min(self._limits.depth or MAX_PLY - 1, MAX_PLY - 1)
        while self.depth < deepest and self._iterate():
            if is_out_of_time(self._time_factor()) or _mate_is_found(self._limits, self.lines):
                return

    def _iterate(self) -> bool:
        """Search one ply deeper, or to `first_depth` the first time; returns whether the iteration was finished."""
        depth, before = max(self.depth + 1, self._limits.first_depth), self.lines[0]
        self._state.seldepth = 0
        lines = []
        for number, line in enumerate(self.lines):
            better = self._search_line(depth, number, line)
            if better is None:
                return False
            lines.append(better)
        self.lines = lines
        if len(lines) > 1:
            self._sort_lines(depth)
        self._steady = self._steady + 1 if self.lines[0].moves[:1] == before.moves[:1] else 0
        self._drop = before.score - self.lines[0].score
        self.depth = depth
        return True

    def _search_line(self, depth: int, number: int, line: PvLine) -> PvLine | None:
        """Search one MultiPV line with windows that widen until the score lies inside; None if it was stopped."""
        state, is_only = self._state, len(self.lines) == 1
        state.line_score, state.line_length = line.score, len(line.moves)
        state.best_line[: len(line.moves)] = line.moves
        start_multipv_line(self._pos, state, search_from.address, depth, number)
        while not state.stopped:
            line = best_line_of(state)
            if is_only:
                self.lines = [line]
                self._report_line(depth, number, line, line.bound)
            if line.bound is Bound.EXACT:
                return line
            re_search(self._pos, state, search_from.address, depth)
        if is_only and state.stack["pv_length"][ROOT_OFFSET]:
            self.lines = [best_line_of(state)]
        return None

    def _sort_lines(self, depth: int) -> None:
        """Sort the lines of a finished iteration, and with them the root moves; only now is their order known."""
        self.lines.sort(key=lambda line: -line.score)
        for number, line in enumerate(self.lines):
            move_to_front_entry(self._state, line.moves[0], number)
            self._report_line(depth, number, line, Bound.EXACT)

    def _report_line(self, depth: int, number: int, line: PvLine, bound: Bound) -> None:
        seconds = time.perf_counter() - self._started
        if bound is Bound.EXACT or seconds >= _FIRST_BOUND:
            self._report(Info(depth, int(self._state.seldepth) + 1, number + 1, line.score, int(self._state.nodes),
                              seconds, 0, line.moves, bound))

    def _time_factor(self) -> float:
        """The factor on the soft time after this iteration."""
        if len(self.lines) > 1:
            return 1.0
        spent = int(self._state.root_nodes[: self._state.root_count].sum())
        share = int(self._state.root_nodes[0]) / spent if spent else 1.0
        return time_factor(self._steady, self._drop, share)


def _mate_is_found(limits: Limits, lines: list[PvLine]) -> bool:
    if limits.mate is None:
        return False
    distance = mate_distance(lines[0].score)
    return distance is not None and 0 < distance <= limits.mate
