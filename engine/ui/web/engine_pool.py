"""What all sessions share: threads, engines for analysis, the queues for them, and jobs that use them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import chess

from engine.analysis.engine import Engine
from engine.analysis.facts import position_facts
from engine.player.options import Settings
from engine.search.modes import MODES
from engine.ui.game import PlayedGame
from engine.ui.opponent import LOWEST, EngineOpponent
from engine.ui.web.queue import FairQueue

_SLICE = 1.0  # seconds after which a waiting session preempts an analysis
_GAME_SLICE = 0.5  # seconds after which a waiting session preempts the search for a move
_PULSE = 0.02  # seconds between two requests to stop
_LEAST_HASH = 1  # MB
_KINDS_AT_ONCE = 8  # at least as many as a visitor can watch
_PAGE_THREADS = 4  # for work of a few milliseconds, which would hold up the event loop all the same

T = TypeVar("T")


@dataclass(frozen=True)
class ResourceLimits:
    """The resources of all sessions together, and the share of each."""

    sessions: int = 24  # at the same time
    hash: int = 256  # MB for all transposition tables
    threads: int = 2  # that search at the same time

    @property
    def search_threads(self) -> int:
        """Threads of one search."""
        return max(self.threads // self.sessions, 1)

    @property
    def slots(self) -> int:
        """Searches at the same time."""
        return max(self.threads // self.search_threads, 1)

    @property
    def game_hash(self) -> int:
        """MB for the engine of one session's game; the games get half of the memory."""
        return max(self.hash // 2 // self.sessions, _LEAST_HASH)

    @property
    def analysis_hash(self) -> int:
        """MB for one of the engines for analysis, which the sessions share."""
        return max(self.hash // 2 // self.slots, _LEAST_HASH)


class EnginePool:
    """Engines and threads. Moves of games have slots of their own, so that they never wait for an analysis."""

    def __init__(self, shares: ResourceLimits) -> None:
        self.shares = shares
        self.game_turns = FairQueue(shares.slots, _GAME_SLICE)
        self.study_turns = FairQueue(shares.slots, _SLICE)
        self._game_threads = ThreadPoolExecutor(shares.slots, "game")
        self._page_threads = ThreadPoolExecutor(_PAGE_THREADS, "page")
        # Watching several modes side by side takes a thread for each of them.
        self._study_threads = ThreadPoolExecutor(_KINDS_AT_ONCE * shares.slots, "study")
        self._engines: dict[int, Engine] = {}
        self._lock = threading.Lock()
        self._departures: set[asyncio.Task[None]] = set()

    def load(self) -> None:
        """Load all kernels by using them, so that no visitor has to wait for that."""
        board = chess.Board()
        next(iter(self.engine(0).analyse(board, depth=1)))
        self.engine(0).evaluate(board)
        position_facts(board)
        for kind in MODES:
            kind.create(Settings(), _LEAST_HASH).load()
        with EngineOpponent(LOWEST, _LEAST_HASH, threads=1) as opponent:  # weak levels have a search of their own
            opponent.move(PlayedGame())

    def engine(self, place: int) -> Engine:
        """The engine for analysis in a slot. The first call creates it, which takes some 50 ms."""
        with self._lock:
            if place not in self._engines:
                self._engines[place] = Engine(threads=self.shares.search_threads, hash=self.shares.analysis_hash)
            return self._engines[place]

    async def run_briefly(self, work: Callable[[], T]) -> T:
        """Run `work`, which takes milliseconds, in a thread, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._page_threads, work)

    async def run_game_search(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """Run `work`, the search for a move, in a thread, and return its result.

        When the caller is cancelled, `stop` is called until the thread has ended.
        """
        return await _await_or_stop(self._game_threads.submit(work), stop)

    async def run_analysis(self, work: Callable[[], T], stop: Callable[[], None]) -> T:
        """The same for an analysis."""
        return await _await_or_stop(self._study_threads.submit(work), stop)

    async def run_shielded(self, work: Coroutine[Any, Any, None]) -> None:
        """Await `work`, which goes on even if the caller is cancelled."""
        task = asyncio.create_task(work)
        self._departures.add(task)
        task.add_done_callback(self._departures.discard)
        await asyncio.shield(task)

    def close(self) -> None:
        """Stop all searches, and release threads and memory."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()
        for threads in (self._game_threads, self._page_threads, self._study_threads):
            threads.shutdown(wait=False, cancel_futures=True)


async def _await_or_stop(work: Future[T], stop: Callable[[], None]) -> T:
    """The result of a thread's work. A cancelled caller gets CancelledError after the thread has ended, not before."""
    future = asyncio.wrap_future(work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if not work.cancel():
            while not work.done():
                stop()  # again and again: a search ignores a stop that comes before it has started
                with suppress(asyncio.CancelledError):  # cancelling twice does not end the thread any earlier
                    await asyncio.wait([future], timeout=_PULSE)
            await asyncio.gather(future, return_exceptions=True)  # the result is not needed any more
        raise


@dataclass
class Job:
    """The work of a thread with an engine, which the event loop can stop."""

    halt: threading.Event = field(default_factory=threading.Event)
    engine: Engine | None = None  # once the thread uses it

    def stop(self) -> None:
        """Make the work end soon."""
        self.halt.set()
        if self.engine is not None:
            self.engine.stop()


async def with_engine(desk: EnginePool, work: Callable[[Engine], T], preemptible: Job | None = None) -> T:
    """Run `work` in a thread with an engine for analysis, and return its result.

    `preemptible` is stopped when another session waits for the slot; `work` without it must take less than a second.
    """
    errand = preemptible or Job()

    def run(place: int) -> T:
        engine = errand.engine = desk.engine(place)
        return work(engine)

    lease = desk.study_turns.lease(errand.stop) if preemptible else desk.study_turns.lease()
    async with lease as turn:
        return await desk.run_analysis(lambda: run(turn.slot), errand.stop)


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a task in the background while the context is open; its result is ignored."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
