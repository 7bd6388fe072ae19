"""UCI engines that play: started when needed, kept from one game to the next, restarted after a fault.

python-chess talks to them.
"""

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

from engine.system.errors import InputError

T = TypeVar("T")

_HELLO_SECONDS = 10.0  # to say `uciok`
_READY_SECONDS = 60.0  # to say `readyok`: some load large files first
_QUIT_SECONDS = 2.0

logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # a bad engine's lines are counted here, not logged


@dataclass(frozen=True)
class EngineSpec:
    """An engine as the user specifies it: a command line, and options, which it must have."""

    name: str
    command: str
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()  # options that it must also have, but that are set elsewhere
    depth: int | None = None  # a fixed depth to search to, however long that takes


class Listener(chess.engine.UciProtocol):
    """Keeps the lines that an engine announces verbatim: python-chess drops what is illegal in them."""

    def __init__(self) -> None:
        super().__init__()
        self.announced: list[str] = []

    def line_received(self, line: str) -> None:
        if " pv " in line:
            self.announced.append(line)
        super().line_received(line)


class EngineProcess:
    """One side of the board: it starts its engine when needed, and again after a fault."""

    def __init__(self, contender: EngineSpec) -> None:
        self.contender = contender
        self._engine: Listener | None = None
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def pid(self) -> int | None:
        """The id of the engine's process, if there is one."""
        return None if self._transport is None else self._transport.get_pid()

    async def engine(self) -> Listener:
        """The engine, running and ready; InputError with the reason if it does not start."""
        if self._engine is not None:
            return self._engine
        try:
            self._transport, engine = await Listener.popen(shlex.split(self.contender.command))
            await self._within(_HELLO_SECONDS, engine.initialize(), "it does not answer `uci`: is it a UCI engine?")
            await self._configure(engine)
            await self._within(_READY_SECONDS, engine.ping(), "it does not answer `isready`")
        except (OSError, ValueError, chess.engine.EngineError) as error:
            await self.close()
            raise InputError(f"cannot start {self.contender.command!r}: {error}") from error
        self._engine = engine
        return engine

    async def _within(self, seconds: float, answer: Coroutine[Any, Any, None], complaint: str) -> None:
        try:
            await asyncio.wait_for(answer, seconds)
        except TimeoutError as error:
            raise ValueError(f"{complaint} ({seconds:g} s)") from error

    async def _configure(self, engine: Listener) -> None:
        for name in (*self.contender.options, *self.contender.needed):
            if name not in engine.options:
                raise ValueError(f"it has no option {name}")
        await self._within(_READY_SECONDS, engine.configure(dict(self.contender.options)), "it does not accept options")

    async def begin_game(self, game: object) -> None:
        """Tell the engine that a new game begins, before any clock starts."""
        engine = await self.engine()
        engine.send_line("ucinewgame")
        engine.game, engine.first_game = game, False  # otherwise python-chess would repeat it before the first move
        await asyncio.wait_for(engine.ping(), _READY_SECONDS)

    async def close(self) -> None:
        """End the process, politely first."""
        if self._engine is not None:
            with contextlib.suppress(TimeoutError, chess.engine.EngineError, OSError):
                await asyncio.wait_for(self._engine.quit(), _QUIT_SECONDS)
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
            self._transport.close()
        self._engine = self._transport = None


class _EngineHost:
    """The engines of this process, and the event loop that talks to them."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.seats: dict[int, EngineProcess] = {}

    async def seat(self, place: int, contender: EngineSpec) -> EngineProcess:
        seat = self.seats.get(place)
        if seat is None or seat.contender != contender:
            if seat is not None:
                await seat.close()
            seat = self.seats[place] = EngineProcess(contender)
        return seat

    async def leave(self) -> None:
        for seat in self.seats.values():
            await seat.close()
        self.seats.clear()


_rooms: list[_EngineHost] = []


def run_on_host(game: Coroutine[Any, Any, T]) -> T:
    """The result of a game played by engines of this process, which are kept for the next one."""
    if not _rooms:
        _rooms.append(_EngineHost())
        Finalize(None, close_engines, exitpriority=10)  # when a worker process ends
    return _rooms[0].loop.run_until_complete(game)


async def start_engines(first: EngineSpec, second: EngineSpec) -> tuple[EngineProcess, EngineProcess]:
    """Both players, ready; InputError if one cannot be started."""
    seats = await _rooms[0].seat(0, first), await _rooms[0].seat(1, second)
    for seat in seats:
        await seat.engine()
    return seats


def close_engines() -> None:
    """End all engines of this process."""
    while _rooms:
        room = _rooms.pop()
        room.loop.run_until_complete(room.leave())
        room.loop.close()


def kill_engines() -> None:
    """Kill all engines of this process at once, from any thread."""
    for room in _rooms:
        for seat in list(room.seats.values()):
            if seat.pid is not None:
                with contextlib.suppress(OSError):
                    os.kill(seat.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
