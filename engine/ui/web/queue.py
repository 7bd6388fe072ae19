"""Whose turn it is to search: so many at once, the others wait in line, and nobody keeps a place for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Lease:
    """A place among those who search. Whoever holds it should leave soon after `preempted` is set."""

    def __init__(self, place: int, began: float) -> None:
        self.slot = place
        self.began = began
        self.preempted = asyncio.Event()


class FairQueue:
    """Places to search at, first come, first served. All of it belongs to one event loop."""

    def __init__(self, places: int, seconds: float) -> None:
        """Whoever has had a place for so many `seconds` is asked to leave it if somebody waits."""
        self._seconds = seconds
        self._free = deque(range(places))
        self._held: list[Lease] = []  # the oldest first
        self._waiting: deque[asyncio.Future[int]] = deque()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Lease]:
        """Wait for a place, and give it back at the end."""
        loop = asyncio.get_running_loop()
        turn = Lease(await self._place(loop), loop.time())
        self._held.append(turn)
        self._preempt(loop)
        try:
            yield turn
        finally:
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
                self._release(mine.result())  # the place came at the moment at which it was no longer needed
            raise

    def _release(self, place: int) -> None:
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():
                following.set_result(place)
                return
        self._free.append(place)

    def _preempt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ask as many to leave as wait, those first who came first."""
        for turn in self._held[: len(self._waiting)]:
            loop.call_at(turn.began + self._seconds, turn.preempted.set)
