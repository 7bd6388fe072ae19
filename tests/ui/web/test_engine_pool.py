"""The threads and engines that sessions share: a cancelled caller waits for its thread, an analysis is preempted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from engine.ui.web.engine_pool import EnginePool, Job, ResourceLimits, with_engine
from tests.timing import PATIENCE, eventually


@pytest.fixture
def pool() -> Iterator[EnginePool]:
    made = EnginePool(ResourceLimits(sessions=2, hash=4, threads=1))
    yield made
    made.close()


class Work:
    """Work in a thread that ignores the first stops, as a search does before it has started."""

    def __init__(self, ignored: int) -> None:
        self._ignored, self._stopped = ignored, threading.Event()
        self.started, self.has_ended = threading.Event(), False

    def run(self) -> None:
        self.started.set()
        assert self._stopped.wait(PATIENCE)
        time.sleep(0.05)
        self.has_ended = True

    def stop(self) -> None:
        self._ignored -= 1
        if self._ignored < 0:
            self._stopped.set()


@pytest.mark.parametrize("cancellations", [1, 3])
def test_a_cancelled_search_has_ended_before_its_caller(pool, cancellations):
    async def scene() -> None:
        work = Work(ignored=3)
        task = asyncio.create_task(pool.run_game_search(work.run, work.stop))
        assert await asyncio.to_thread(work.started.wait, PATIENCE)
        for _ in range(cancellations):
            task.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.has_ended

    asyncio.run(scene())


def test_an_analysis_is_preempted_and_a_brief_job_is_not(pool, monkeypatch):
    monkeypatch.setattr(pool, "engine", lambda slot: None)
    pool.analysis_queue._seconds = 0.02

    async def scene() -> None:
        job, started = Job(), threading.Event()

        def analyse(_: object) -> bool:
            started.set()
            return job.cancelled.wait(PATIENCE)

        analysis = asyncio.create_task(with_engine(pool, analyse, preemptible=job))
        await eventually(started.is_set)
        brief = asyncio.create_task(with_engine(pool, lambda _: time.sleep(0.1)))
        assert await asyncio.wait_for(analysis, PATIENCE)
        last = await with_engine(pool, lambda _: "done")
        assert brief.done() and last == "done"

    asyncio.run(scene())
