"""UCI engine processes, run by python-chess: started when needed, kept between games, restarted after a forfeit."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from typing import Any, TypeVar

import chess.engine

from engine.system.errors import InputError, reason_of

T = TypeVar("T")

_HELLO_SECONDS = 60.0  # until `uciok`, on a busy machine too
_READY_SECONDS = 60.0  # until `readyok`: some engines load large files first
_QUIT_SECONDS = 2.0
_BOOK = "OwnBook"  # the protocol's name of the option

logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # a bad engine's lines are counted here, not logged


@dataclass(frozen=True)
class EngineSpec:
    """An engine as named by the user: a command line, and options, which it must have.

    Beside `Participant`, since it is a program: it needs a process, a clock or limits of its own, and a referee. A
    participant is a search in this process, which any thread or machine can make anew from a config and a budget.
    """

    name: str
    command: str
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()  # options that it must also have, though they are set elsewhere
    depth: int | None = None  # a fixed depth to search to, without a time limit
    environment: Mapping[str, str] | None = None  # this process's unless it is given


class Listener(chess.engine.UciProtocol):
    """Keeps the PV lines of an engine verbatim: python-chess drops illegal moves from them."""

    def __init__(self) -> None:
        super().__init__()
        self.announced: list[str] = []

    def line_received(self, line: str) -> None:
        if " pv " in line:
            self.announced.append(line)
        super().line_received(line)


class EngineProcess:
    """An engine of a match: starts the process when needed, and again after a forfeit."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._engine: Listener | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._exit: asyncio.Future[int] | None = None  # done when the process has ended

    @property
    def pid(self) -> int | None:
        """The id of the engine's process, if there is one."""
        return None if self._transport is None else self._transport.get_pid()

    async def engine(self) -> Listener:
        """The engine, running and ready; InputError with the reason if it does not start."""
        if self._engine is not None:
            return self._engine
        try:
            self._transport, engine = await Listener.popen(shlex.split(self.spec.command),
                                                            env=self.spec.environment)
            self._exit = engine.returncode
            await self._within(_HELLO_SECONDS, engine.initialize(), "it does not answer `uci`: is it a UCI engine?")
            await self._configure(engine)
            await self._within(_READY_SECONDS, engine.ping(), "it does not answer `isready`")
        except (OSError, ValueError, chess.engine.EngineError) as error:
            await self.close()
            reason = reason_of(error)
            raise InputError(f"cannot start {self.spec.command!r}: {reason}") from error
        self._engine = engine
        return engine

    async def _within(self, seconds: float, answer: Coroutine[Any, Any, None], message: str) -> None:
        try:
            await asyncio.wait_for(answer, seconds)
        except TimeoutError as error:
            raise ValueError(f"{message} ({seconds:g} s)") from error

    async def _configure(self, engine: Listener) -> None:
        for name in (*self.spec.options, *self.spec.needed):
            if name not in engine.options:
                raise ValueError(f"it has no option {name}")
        no_book = {_BOOK: "false"} if _BOOK in engine.options else {}  # the match has its own openings
        await self._within(_READY_SECONDS, engine.configure({**no_book, **self.spec.options}),
                           "it does not accept options")

    async def begin_game(self, game: object) -> None:
        """Send `ucinewgame` and wait until the engine is ready, before any clock starts."""
        engine = await self.engine()
        engine.send_line("ucinewgame")
        engine.game, engine.first_game = game, False  # otherwise python-chess would repeat it before the first move
        await asyncio.wait_for(engine.ping(), _READY_SECONDS)

    async def close(self) -> None:
        """End the process: send `quit`, then kill it."""
        if self._engine is not None:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError, OSError):
                await asyncio.wait_for(self._engine.quit(), _QUIT_SECONDS)
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
            self._transport.close()
            if self._exit is not None:  # an event loop that ends before would leave the process unreaped
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(self._exit), _QUIT_SECONDS)
        self._engine = self._transport = self._exit = None


class _EngineHost:
    """The engines of this process, and the event loop that runs them."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.engines: dict[int, EngineProcess] = {}

    async def engine(self, index: int, spec: EngineSpec) -> EngineProcess:
        engine = self.engines.get(index)
        if engine is None or engine.spec != spec:
            if engine is not None:
                await engine.close()
            engine = self.engines[index] = EngineProcess(spec)
        return engine

    async def close(self) -> None:
        for engine in self.engines.values():
            await engine.close()
        self.engines.clear()


_hosts: list[_EngineHost] = []


def run_on_host(game: Coroutine[Any, Any, T]) -> T:
    """Play a game with the engines of this process, which are kept for the next one; returns its result."""
    if not _hosts:
        _hosts.append(_EngineHost())
        Finalize(None, close_engines, exitpriority=10)  # when a worker process ends
    return _hosts[0].loop.run_until_complete(game)


async def start_engines(first: EngineSpec, second: EngineSpec) -> tuple[EngineProcess, EngineProcess]:
    """Both engines, running; InputError if one cannot be started."""
    engines = await _hosts[0].engine(0, first), await _hosts[0].engine(1, second)
    for engine in engines:
        await engine.engine()
    return engines


def close_engines() -> None:
    """End all engines of this process."""
    while _hosts:
        host = _hosts.pop()
        host.loop.run_until_complete(host.close())
        host.loop.close()


def kill_engines() -> None:
    """Kill all engines of this process at once, from any thread."""
    for host in _hosts:
        for engine in list(host.engines.values()):
            if engine.pid is not None:
                with contextlib.suppress(OSError):
                    os.kill(engine.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
