"""How much time a go request leaves for a move: from the clocks that `go` gives, by the rules of
engine.search.time_management.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from engine.core.game import Game
from engine.player.request import GoRequest
from engine.search import time_management

_FEWEST = 3  # moves that must have been seen before their delays are believed
_REMEMBERED = 16
_CAUTION = 1.5  # times the longest delay seen
_LEAST_LAG = 0.001  # seconds
_CLOCK_RESOLUTION = 0.002  # hosts give whole milliseconds, and may round either way
_UNEXPECTED_DELAY = 0.003  # seconds; see `LagEstimate.reserve`
_DELAYS_IN_RESERVE = 2  # of the largest seen
_MOVES_IN_RESERVE = 60  # whose delays are kept in reserve if the increments do not pay for them
_LARGEST_RESERVE_SHARE = 0.75  # of the first clock
_CLOCK_TICK = 1e-6  # seconds
_ANSWER_SECONDS = 0.003  # of processor time, for an answer without thought
_LEAST_PACE, _MOST_PACE = 0.15, 1.6  # of the usual time for a move: for the most obvious ones, and for the hardest
_PACE_SPREAD = 0.3  # people do not think equally long about equally hard moves
_HURRY = 0.1  # seconds for a move: with less, people play at once
_LARGEST_PACE_SHARE = 0.5  # of the longest time for a move, so that no delay can cost the game


def human_pace(budget: time_management.Budget, difficulty: float, rng: random.Random) -> float:
    """Seconds that a person would think about a move before playing it: longer if the choice was hard, none in time
    trouble.

    `difficulty` is from 0, for a forced or an obvious move, to 1.
    """
    if budget.soft < _HURRY:
        return 0.0
    usual = budget.soft * (_LEAST_PACE + (_MOST_PACE - _LEAST_PACE) * difficulty)
    return min(usual * rng.lognormvariate(0.0, _PACE_SPREAD), _LARGEST_PACE_SHARE * budget.hard)


class LagEstimate:
    """How long moves are delayed: on the way to the host, by its clocks, and in the engine, by other programs."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque(maxlen=_REMEMBERED)  # what the clock lost that the engine did not use
        self._delays: deque[float] = deque(maxlen=_REMEMBERED)  # that, and what the engine used beyond its limit
        self._expected: tuple[int, int, float] | None = None  # side to move, ply, and what its clock should show
        self._work: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)  # of searches: seconds, processor seconds
        self.slowdown = 1.0  # how many times longer than on a free machine the last searches took
        self.forget()

    def forget(self) -> None:
        """Begin a game, perhaps with another host, but on the same machine, which may be as busy as before."""
        self._seen.clear()
        self._delays.clear()
        self._expected = None
        self._overstepped = self._largest_delay = 0.0
        self._first_clock = 0.0  # or a larger one that was seen later

    def observe(self, request: GoRequest, side: int, ply: int) -> None:
        """Compare the clock of a new request with what it should show after the last answer."""
        left = request.times[side]
        if left is not None:
            self._first_clock = max(self._first_clock, left / 1000)
        if self._expected is not None and left is not None and self._expected[:2] == (side, ply):
            lost = self._expected[2] - left / 1000
            if lost > -_CLOCK_RESOLUTION:  # otherwise time was added, and nothing can be learned
                self._seen.append(max(lost, 0.0))
                self._delays.append(self._seen[-1] + self._overstepped)
                self._largest_delay = max(self._largest_delay, self._delays[-1])
        self._expected = None

    def record_answer(self, request: GoRequest, side: int, ply: int, seconds: float, hard: float | None = None) -> None:
        """Remember what the clock should show at this side's next move, after an answer that took so long.

        `hard` is the time that it might have taken at most.
        """
        left = request.times[side]
        self._overstepped = 0.0 if hard is None else max(seconds - hard, 0.0)
        if left is not None and not request.waits_for_stop:
            self._expected = side, ply + 2, (left + request.increments[side]) / 1000 - seconds

    @contextmanager
    def watch_work(self, threads: int) -> Iterator[None]:
        """Learn from a search within this context, whose threads compute all the time, how busy the machine is."""
        clocks = time.perf_counter, time.thread_time, time.process_time
        started = [clock() for clock in clocks]
        try:
            yield
        finally:
            seconds, own_seconds, all_seconds = (clock() - start for clock, start in zip(clocks, started, strict=True))
            # The calling thread may be one of those that compute, even the only one, or may wait for them.
            self.record_work(seconds, max(own_seconds, all_seconds / threads))

    def record_work(self, seconds: float, processor_seconds: float) -> None:
        """Learn from the duration of a search and the processor time of each of its threads."""
        self._work.append((seconds, processor_seconds))
        all_seconds, all_processor_seconds = map(sum, zip(*self._work, strict=True))
        self.slowdown = max(all_seconds / max(all_processor_seconds, _CLOCK_TICK), 1.0)

    def estimate(self, allowed: float) -> float:
        """The delay to plan for with each move: the one seen, with caution, but no more than is allowed for anyway."""
        if len(self._seen) < _FEWEST:
            return allowed
        return min(allowed, max(_CAUTION * max(self._seen), _LEAST_LAG))

    def reserve(self, increment: float) -> float:
        """The part of the clock to keep for delays: for some as large as the largest seen, and for more of the usual
        ones than the increments pay for.

        Even if none was seen some may come, more of them in a longer game; but they partly cancel out, so this part
        grows with the square root of the first clock, and costs a longer game a smaller share. The engine's own delays
        are seen late, when there is no time left for thought, so those that other programs will cause are foreseen.
        """
        delays, seen = (sum(times) / len(times) if times else 0.0 for times in (self._delays, self._seen))
        usual = max(delays, seen + _ANSWER_SECONDS * (self.slowdown - 1))
        return min(max(math.sqrt(_UNEXPECTED_DELAY * self._first_clock), _DELAYS_IN_RESERVE * self._largest_delay,
                       _MOVES_IN_RESERVE * (usual + _LEAST_LAG - increment)),
                   _LARGEST_RESERVE_SHARE * self._first_clock)


def move_budget(request: GoRequest, game: Game, move_overhead: int,
                lag: LagEstimate | None = None) -> time_management.Budget | None:
    """The time for this move, or None if the request has neither a clock nor a movetime; the overhead is milliseconds.

    With this move all of the overhead is kept back; the moves to come may be planned with the lag that was seen, and a
    reserve is left for delays that were not expected.
    """
    overhead = move_overhead / 1000
    side = int(game.position.side)
    # If a GUI sends only the other side's clock, it is taken for both.
    shown = side if request.times[side] is not None else side ^ 1
    left = request.times[shown]
    budget = None
    if left is not None:
        own_clock = time_management.ClockState(left / 1000, request.increments[shown] / 1000, request.moves_to_go)
        budget = time_management.time_budget(own_clock, overhead) if lag is None else time_management.time_budget(
            own_clock, overhead, lag.estimate(overhead), lag.reserve(own_clock.increment))
        if len(game.legal_moves()) == 1:
            budget = time_management.Budget(0.0, budget.hard)  # there is nothing to think about
    if request.movetime is None:
        return budget
    fixed = time_management.fixed_time_budget(request.movetime / 1000, overhead)
    return fixed if budget is None else time_management.Budget(budget.soft, min(budget.hard, fixed.hard))
