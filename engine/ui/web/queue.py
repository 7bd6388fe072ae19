"""A fair queue for a limited number of search slots: first come, first served, with preemption of old leases."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

_REPEAT_SECONDS = 0.02  # between two calls of `on_preempt`


def _ignore() -> None:
    """Default for `on_preempt`: the holder of a short lease has nothing to stop."""


class Lease:
    """The right to search in one slot."""

    def __init__(self, slot: int, began: float, on_preempt: Callable[[], None]) -> None:
        self.slot = slot
        self.began = began
        self.on_preempt = on_preempt
        self.timer: asyncio.TimerHandle | None = None  # for the next call of `on_preempt`


class FairQueue:
    """Search slots, leased in order of arrival. All methods must be called from one event loop."""

    def __init__(self, slots: int, seconds: float) -> None:
        """A lease older than `seconds` is preempted when another session is waiting."""
        self._seconds = seconds
        self._free = deque(range(slots))
        self._held: list[Lease] = []  # oldest first
        self._waiting: deque[asyncio.Future[int]] = deque()

    @property
    def waiting(self) -> int:
        """The number of sessions waiting for a slot."""
        return len(self._waiting)

    @asynccontextmanager
    async def lease(self, on_preempt: Callable[[], None] = _ignore) -> AsyncIterator[Lease]:
        """Wait for a slot, and release it when the context closes.

        When the lease is preempted, the event loop calls `on_preempt`, which must make the holder finish soon. The
        call is repeated until the slot is released, because a search ignores a stop that comes before it has started.
        """
        loop = asyncio.get_running_loop()
        lease = Lease(await self._acquire_slot(loop), loop.time(), on_preempt)
        self._held.append(lease)
        self._preempt(loop)
        try:
            yield lease
        finally:
            if lease.timer is not None:
                lease.timer.cancel()
            self._held.remove(lease)
            self._release(lease.slot)

    async def _acquire_slot(self, loop: asyncio.AbstractEventLoop) -> int:
        if self._free and not self._waiting:
            return self._free.popleft()
        request: asyncio.Future[int] = loop.create_future()
        self._waiting.append(request)
        self._preempt(loop)
        try:
            return await request
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._waiting.remove(request)
            if request.done() and not request.cancelled():
                self._release(request.result())  # the slot was handed over and the wait cancelled at the same moment
            raise

    def _release(self, slot: int) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(slot)
                return
        self._free.append(slot)

    def _preempt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Schedule the preemption of as many leases as sessions are waiting, oldest first."""
        for lease in self._held[: len(self._waiting)]:
            if lease.timer is None:
                lease.timer = loop.call_at(lease.began + self._seconds, self._notify_holder, loop, lease)

    def _notify_holder(self, loop: asyncio.AbstractEventLoop, lease: Lease) -> None:
        lease.timer = None
        if self._waiting:  # otherwise they have given up or got other slots
            lease.on_preempt()
            lease.timer = loop.call_later(_REPEAT_SECONDS, self._notify_holder, loop, lease)
