"""Time on machines that are shared: a processor taken away for a moment is no delay of the engine's."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

TRIES = 5
PATIENCE = 120.0  # seconds for what happens in a moment on a free machine
_POLL = 0.01
_SAMPLE = 0.1  # seconds of CPU time
_ROUNDS, _USUAL = 1_000_000, 0.054  # of a plain loop, and the CPU seconds that they take on a quiet Cascade Lake core


def clocked(action: Callable[[], object]) -> float:
    """The seconds on the clock that the action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def contention() -> float:
    """How many times as long as on a processor of its own this process takes now; 1 on a free machine."""
    started, spent = time.perf_counter(), time.thread_time()
    while time.thread_time() - spent < _SAMPLE:
        pass
    return max((time.perf_counter() - started) / _SAMPLE, 1.0)


def slowness() -> float:
    """How many times the usual CPU time Python takes now, at least 1: neighbours share more than processor time."""
    started, total = time.thread_time(), 0
    for number in range(_ROUNDS):
        total += number & 7
    return max((time.thread_time() - started) / _USUAL, 1.0)


def shortest(measure: Callable[[], float], limit: float) -> float:
    """The least of what is measured, up to five times and until it is below the limit: a delay of ours comes back.

    A time over the limit counts as what it would be on a processor of its own.
    """
    least = math.inf
    for _ in range(TRIES):
        seconds = measure()
        least = min(least, seconds if seconds < limit else seconds / contention())
        if least < limit:
            break
    return least


def assert_within(limit: float, action: Callable[[], object]) -> None:
    """The action takes less than `limit` seconds, at one of its tries."""
    assert shortest(lambda: clocked(action), limit) < limit


def assert_spent(least: float, limit: float, action: Callable[[], object]) -> None:
    """Assert that every try of the action takes at least `least` seconds, and that one takes less than `limit`."""
    taken = list[float]()

    def measure() -> float:
        taken.append(clocked(action))
        return taken[-1]

    assert shortest(measure, limit) < limit
    assert min(taken) >= least


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for a condition; AssertionError if it does not come about in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain"
        time.sleep(_POLL)


async def eventually(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """`wait_until` in an event loop."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain"
        await asyncio.sleep(_POLL)
