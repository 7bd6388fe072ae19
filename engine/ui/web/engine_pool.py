"""What all sessions share: threads, engines for analysis, the queues for them, and jobs that use them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import chess

from engine.analysis.engine import Engine
from engine.analysis.facts import position_facts
from engine.player.options import Settings
from engine.search.modes import MODES
from engine.ui.web.queue import FairQueue, Lease

_SLICE = 1.0  # seconds that an analysis keeps its place if others wait
_GAME_SLICE = 0.5  # seconds that a move may be thought about if others wait for theirs
_PULSE = 0.02  # seconds between two requests to end
_LEAST_HASH = 1  # MB
_KINDS_AT_ONCE = 8  # more than a visitor can watch
_PAGE_THREADS = 4  # for what takes milliseconds, but too many of them for the event loop

T = TypeVar("T")


@dataclass(frozen=True)
class ResourceLimits:
    """What the visitors have in all, and how it is shared out."""

    sessions: int = 24  # visitors at the same time
    hash: int = 256  # MB for all transposition tables
    threads: int = 2  # that search at the same time

    @property
    def search_threads(self) -> int:
        """Of one search."""
        return max(self.threads // self.sessions, 1)

    @property
    def slots(self) -> int:
        """Searches at the same time."""
        return max(self.threads // self.search_threads, 1)

    @property
    def game_hash(self) -> int:
        """MB for the engine of one visitor's game: half of all is theirs."""
        return max(self.hash // 2 // self.sessions, _LEAST_HASH)

    @property
    def analysis_hash(self) -> int:
        """MB for one of the engines that analyse, which visitors use by turns."""
        return max(self.hash // 2 // self.slots, _LEAST_HASH)


class EnginePool:
    """Engines and threads. Moves of games have places of their own, so that no analysis keeps them waiting."""

    def __init__(self, shares: ResourceLimits) -> None:
        self.shares = shares
        self.game_turns = FairQueue(shares.slots, _GAME_SLICE)
        self.study_turns = FairQueue(shares.slots, _SLICE)
        self._game_threads = ThreadPoolExecutor(shares.slots, "game")
        self._page_threads = ThreadPoolExecutor(_PAGE_THREADS, "page")
        # A search of many kinds side by side takes a thread for each of them.
        self._study_threads = ThreadPoolExecutor(_KINDS_AT_ONCE * shares.slots, "study")
        self._engines: dict[int, Engine] = {}
        self._lock = threading.Lock()
        self._departures: set[asyncio.Task[None]] = set()

    def load(self) -> None:
        """Load all kernels, by using them: no visitor shall wait for that."""
        board = chess.Board()
        next(iter(self.engine(0).analyse(board, depth=1)))
        self.engine(0).evaluate(board)
        position_facts(board)
        for kind in MODES:
            kind.create(Settings(), _LEAST_HASH).load()

    def engine(self, place: int) -> Engine:
        """The engine that analyses at a place; made when it is first asked for, which takes a moment."""
        with self._lock:
            if place not in self._engines:
                self._engines[place] = Engine(threads=self.shares.search_threads, hash=self.shares.analysis_hash)
            return self._engines[place]

    async def run_briefly(self, work: Callable[[], T]) -> T:
        """What `work` returns, done in a thread: it takes milliseconds."""
        return await asyncio.get_running_loop().run_in_executor(self._page_threads, work)

    async def run_game_search(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """What `work` returns, a search for a move. Whoever is cancelled meanwhile calls `stop`."""
        return await _await_or_stop(self._game_threads.submit(work), stop)

    async def run_analysis(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """The same for whoever analyses."""
        return await _await_or_stop(self._study_threads.submit(work), stop)

    async def run_shielded(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that has to be done even if whoever waits for it is cancelled."""
        task = asyncio.create_task(work)
        self._departures.add(task)
        task.add_done_callback(self._departures.discard)
        await asyncio.shield(task)

    def close(self) -> None:
        """End all searches, and give everything back."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()
        for threads in (self._game_threads, self._page_threads, self._study_threads):
            threads.shutdown(wait=False, cancel_futures=True)


async def _await_or_stop(work: Future[T], stop: Callable[[], None]) -> T:
    """The result of a thread's work. When this is cancelled, it is stopped first, and has ended when this returns."""
    future = asyncio.wrap_future(work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if not work.cancel():
            while not work.done():  # a request that comes before the search has begun is not heard
                stop()
                await asyncio.wait([future], timeout=_PULSE)
            await asyncio.gather(future, return_exceptions=True)  # nobody is left who would want to know
        raise


@dataclass
class Errand:
    """What somebody else can see and do of a thread's work."""

    halt: threading.Event = field(default_factory=threading.Event)
    engine: Engine | None = None  # once it is in use

    def stop(self) -> None:
        """Let the work end soon."""
        self.halt.set()
        if self.engine is not None:
            self.engine.stop()


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something beside, as long as this lasts; how it ends is of no interest."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until_wanted(desk: EnginePool, turn: Lease, work: Callable[[], None], errand: Errand) -> bool:
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
    errand = Errand()

    def working(place: int) -> T:
        engine = errand.engine = desk.engine(place)
        return work(engine)

    async with desk.study_turns.lease() as turn:
        return await desk.run_analysis(lambda: working(turn.slot), errand.stop)
