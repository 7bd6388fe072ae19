"""The resources that all sessions share: threads, engines for analysis, the queues for them, and jobs that use them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import chess

from engine.analysis.engine import Engine
from engine.analysis.facts import position_facts
from engine.player.options import Settings
from engine.search.modes import MODES
from engine.ui.game import PlayedGame
from engine.ui.level import LOWEST
from engine.ui.opponent import EngineOpponent
from engine.ui.web.queue import FairQueue

_SLICE = 1.0  # seconds after which a waiting session preempts an analysis
_GAME_SLICE = 0.5  # seconds after which a waiting session preempts the search for a move
_STOP_INTERVAL = 0.02  # seconds between two calls of `stop`
_MIN_HASH = 1  # MB
_MODES_AT_ONCE = 8  # at least as many as a session can watch
_PAGE_THREADS = 4  # for work of a few milliseconds, which would still block the event loop

T = TypeVar("T")


@dataclass(frozen=True)
class ResourceLimits:
    """Limits on the resources of all sessions together, and what follows for each search."""

    sessions: int = 24  # open at the same time
    hash: int = 256  # MB for all transposition tables
    threads: int = 2  # searching at the same time

    @property
    def search_threads(self) -> int:
        """Number of threads of one search."""
        return max(self.threads // self.sessions, 1)

    @property
    def slots(self) -> int:
        """Number of searches at the same time."""
        return max(self.threads // self.search_threads, 1)

    @property
    def game_hash(self) -> int:
        """Hash size in MB for the engine of one session's game; the games get half of the memory."""
        return max(self.hash // 2 // self.sessions, _MIN_HASH)

    @property
    def analysis_hash(self) -> int:
        """Hash size in MB for each of the engines for analysis, which the sessions share."""
        return max(self.hash // 2 // self.slots, _MIN_HASH)


class EnginePool:
    """Engines and threads. Games have slots of their own, so that a move never waits for an analysis."""

    def __init__(self, limits: ResourceLimits, games_folder: Path | None = None,
                 progress_path: Path | None = None) -> None:
        """The games and the progress of this machine's user; None if the visitors may be others."""
        self.limits, self.games_folder, self.progress_path = limits, games_folder, progress_path
        self.game_queue = FairQueue(limits.slots, _GAME_SLICE)
        self.analysis_queue = FairQueue(limits.slots, _SLICE)
        self._game_threads = ThreadPoolExecutor(limits.slots, "game")
        self._page_threads = ThreadPoolExecutor(_PAGE_THREADS, "page")
        # Watching several modes side by side takes a thread for each of them.
        self._analysis_threads = ThreadPoolExecutor(_MODES_AT_ONCE * limits.slots, "study")
        self._engines: dict[int, Engine] = {}
        self._lock = threading.Lock()
        self._shielded_tasks: set[asyncio.Task[None]] = set()

    def load(self) -> None:
        """Load all kernels by using them, so that no visitor has to wait for them."""
        board = chess.Board()
        next(iter(self.engine(0).analyse(board, depth=1)))
        self.engine(0).evaluate(board)
        position_facts(board)
        for mode in MODES:
            mode.create(Settings(), _MIN_HASH).load()
        with EngineOpponent(LOWEST, _MIN_HASH, threads=1) as opponent:  # weak levels use another search mode
            opponent.move(PlayedGame())

    def engine(self, slot: int) -> Engine:
        """The engine for analysis in a slot. The first call creates it, which takes about 50 ms."""
        with self._lock:
            if slot not in self._engines:
                self._engines[slot] = Engine(threads=self.limits.search_threads, hash=self.limits.analysis_hash)
            return self._engines[slot]

    async def run_briefly(self, work: Callable[[], T]) -> T:
        """Run `work`, which takes milliseconds, in a thread, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._page_threads, work)

    async def run_game_search(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """Run `work`, the search for a move, in a thread, and return its result.

        When the caller is cancelled, `stop` is called until the thread has ended.
        """
        return await _await_or_stop(self._game_threads.submit(work), stop)

    async def run_analysis(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """Run an analysis in a thread, like `run_game_search`."""
        return await _await_or_stop(self._analysis_threads.submit(work), stop)

    async def run_shielded(self, work: Coroutine[Any, Any, None]) -> None:
        """Await `work`, which continues even if the caller is cancelled."""
        task = asyncio.create_task(work)
        self._shielded_tasks.add(task)
        task.add_done_callback(self._shielded_tasks.discard)
        await asyncio.shield(task)

    def close(self) -> None:
        """Stop all searches and release threads and memory."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()
        for threads in (self._game_threads, self._page_threads, self._analysis_threads):
            threads.shutdown(wait=False, cancel_futures=True)


async def _await_or_stop(work: Future[T], stop: Callable[[], None]) -> T:
    """Await the result of `work`. A cancelled caller gets CancelledError only after the thread has ended."""
    future = asyncio.wrap_future(work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if not work.cancel():
            while not work.done():
                stop()  # repeatedly, because a search ignores a stop that comes before it has started
                with suppress(asyncio.CancelledError):  # cancelling twice does not end the thread any earlier
                    await asyncio.wait([future], timeout=_STOP_INTERVAL)
            await asyncio.gather(future, return_exceptions=True)  # the result is no longer needed
        raise


@dataclass
class Job:
    """Work that a thread does with an engine, and that the event loop can stop."""

    cancelled: threading.Event = field(default_factory=threading.Event)
    engine: Engine | None = None  # set when the thread starts to use it

    def stop(self) -> None:
        """Cancel the job; the thread ends soon afterwards."""
        self.cancelled.set()
        if self.engine is not None:
            self.engine.stop()


async def with_engine(pool: EnginePool, work: Callable[[Engine], T], preemptible: Job | None = None) -> T:
    """Run `work` in a thread with an engine for analysis, and return its result.

    `preemptible` is stopped when another session waits for the slot; `work` without it must take less than a second.
    """
    job = preemptible or Job()

    def run(slot: int) -> T:
        engine = job.engine = pool.engine(slot)
        return work(engine)

    queue = pool.analysis_queue
    async with queue.lease(job.stop) if preemptible else queue.lease() as lease:
        return await pool.run_analysis(lambda: run(lease.slot), job.stop)


@asynccontextmanager
async def background_task(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a task in the background while the context is open; its result is ignored."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
