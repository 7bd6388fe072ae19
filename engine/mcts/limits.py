"""When a tree search ends: its clock, the share of each thread in its limits, and whether its lines reach one."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from engine.alphabeta.root_moves import NO_LIMIT
from engine.mcts.lines import RootLine
from engine.search.scores import mate_distance
from engine.search.types import Limits


class SearchClock:
    """The time limits of one search, which begins now. `deadline` is a time of `time.perf_counter`, maybe infinite."""

    def __init__(self, limits: Limits) -> None:
        self._started, self._brief_time = time.perf_counter(), limits.brief_time
        self.soft_time = math.inf if limits.soft_time is None else limits.soft_time
        self.deadline = self._started + limits.longest_time

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Set the limits after a ponderhit. The soft one counts from the start of the search."""
        self.soft_time, self.deadline = soft_time, time.perf_counter() + hard_time

    def end_at_soft_time(self) -> None:
        """Make the soft limit a hard one."""
        self.deadline = min(self.deadline, self._started + self.soft_time)

    @property
    def elapsed(self) -> float:
        """The seconds since the search began."""
        return time.perf_counter() - self._started

    @property
    def left(self) -> float:
        """The seconds until the deadline."""
        return self.deadline - time.perf_counter()

    @property
    def is_brief(self) -> bool:
        """Whether the search may take so little time that no threads should be started for it."""
        return min(self.soft_time, self.deadline - self._started) <= self._brief_time

    def soft_time_is_over(self, lines: Sequence[RootLine], nodes: int, root_count: int) -> bool:
        """Whether the soft time is over, or too short for another of the best two lines to overtake the first."""
        elapsed = self.elapsed
        left = self.soft_time - elapsed
        if left <= 0 or root_count == 1:
            return self.soft_time < math.inf
        return len(lines) > 1 and lines[0].visits - lines[1].visits > left * nodes / elapsed


def depth_or_mate_is_reached(limits: Limits, best: RootLine) -> bool:
    """Whether the best line is as deep, or mates as soon, as the limits want."""
    if limits.depth is not None and (len(best.moves) >= limits.depth or best.is_over):
        return True
    distance = mate_distance(best.score)
    return limits.mate is not None and distance is not None and 0 < distance <= limits.mate


def share_of(number: int, threads: int, limit: int | None) -> int:
    """The share of one of the threads in a limit of iterations or positions."""
    return NO_LIMIT if limit is None else min((limit + threads - 1 - number) // threads, NO_LIMIT)


def in_nanoseconds(deadline: float) -> int:
    """A deadline for kernels."""
    return NO_LIMIT if deadline == math.inf else min(int(deadline * 1e9), NO_LIMIT)
