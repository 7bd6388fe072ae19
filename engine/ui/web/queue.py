"""A fair queue for a limited number of search slots: first come, first served, and nobody holds a slot for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

_REPEAT_SECONDS = 0.02  # between two calls of `on_preempt`


def _ignore() -> None:
    """The holder of a short lease has nothing to stop."""


class Lease:
    """The right to search in one slot."""

    def __init__(self, place: int, began: float, on_preempt: Callable[[], None]) -> None:
        self.slot = place
        self.began = began
        self.on_preempt = on_preempt
        self.timer: asyncio.TimerHandle | None = None  # of the next call of `on_preempt`


class FairQueue:
    """Slots to search in. All methods belong to one event loop."""

    def __init__(self, places: int, seconds: float) -> None:
        """A lease older than `seconds` is preempted when another session is waiting."""
        self._seconds = seconds
        self._free = deque(range(places))
        self._held: list[Lease] = []  # the oldest first
        self._waiting: deque[asyncio.Future[int]] = deque()

    @property
    def waiting(self) -> int:
        """The number of sessions that wait for a slot."""
        return len(self._waiting)

    @asynccontextmanager
    async def lease(self, on_preempt: Callable[[], None] = _ignore) -> AsyncIterator[Lease]:
        """Wait for a slot, and release it at the end.

        When the lease is preempted, the event loop calls `on_preempt`, which must make the holder end soon. The call is
        repeated until the slot is released: a search ignores a stop that comes before it has started.
        """
        loop = asyncio.get_running_loop()
        turn = Lease(await self._place(loop), loop.time(), on_preempt)
        self._held.append(turn)
        self._preempt(loop)
        try:
            yield turn
        finally:
            if turn.timer is not None:
                turn.timer.cancel()
            self._held.remove(turn)
            self._release(turn.slot)

    async def _place(self, loop: asyncio.AbstractEventLoop) -> int:
        if self._free and not self._waiting:
            return self._free.popleft()
        mine: asyncio.Future[int] = loop.create_future()
        self._waiting.append(mine)
        self._preempt(loop)
        try:
            return await mine
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._waiting.remove(mine)
            if mine.done() and not mine.cancelled():
                self._release(mine.result())  # the slot was handed over and the wait cancelled at the same moment
            raise

    def _release(self, place: int) -> None:
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():
                following.set_result(place)
                return
        self._free.append(place)

    def _preempt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Schedule the preemption of as many leases as sessions are waiting, the oldest first."""
        for turn in self._held[: len(self._waiting)]:
            if turn.timer is None:
                turn.timer = loop.call_at(turn.began + self._seconds, self._notify_holder, loop, turn)

    def _notify_holder(self, loop: asyncio.AbstractEventLoop, turn: Lease) -> None:
        turn.timer = None
        if self._waiting:  # else they have given up, or got other slots
            turn.on_preempt()
            turn.timer = loop.call_later(_REPEAT_SECONDS, self._notify_holder, loop, turn)
