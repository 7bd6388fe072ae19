"""Work in threads that visitors wait for, with an engine that they use by turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.analysis.interface import Engine
from engine.desk.web.desk import EnginePool
from engine.desk.web.turns import Lease

T = TypeVar("T")


@dataclass
class Job:
    """What somebody else can see and do of a thread's work."""

    cancelled: threading.Event = field(default_factory=threading.Event)
    engine: Engine | None = None  # once it is in use

    def stop(self) -> None:
        """Let the work end soon."""
        self.cancelled.set()
        if self.engine is not None:
            self.engine.stop()


@asynccontextmanager
async def background_task(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something beside, as long as this lasts; how it ends is of no interest."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def run_until_preempted(desk: EnginePool, turn: Lease, work: Callable[[], None], errand: Job) -> bool:
    """Do something in a thread until it ends, or the place is wanted by others; returns whether it has ended."""
    job = asyncio.create_task(desk.run_analysis(work, errand.stop))
    wanted = asyncio.create_task(turn.preempted.wait())
    try:
        await asyncio.wait({job, wanted}, return_when=asyncio.FIRST_COMPLETED)
        is_over = job.done()
    finally:
        wanted.cancel()
        job.cancel()
        await asyncio.wait({job})
    if not job.cancelled():
        job.result()
    return is_over


async def with_engine(desk: EnginePool, work: Callable[[Engine], T]) -> T:
    """What `work` finds out with an engine, in a turn of its own: it takes less than a second."""
    errand = Job()

    def working(place: int) -> T:
        engine = errand.engine = desk.engine(place)
        return work(engine)

    async with desk.study_turns.lease() as turn:
        return await desk.run_analysis(lambda: working(turn.slot), errand.stop)
