"""One visitor: a WebSocket, what the page says on it, and what it is told."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from engine.system.errors import InputError, quote
from engine.ui.web import requests
from engine.ui.web.analysis import AnalysisSession
from engine.ui.web.annotation import LIMITS, AnnotateSession, load_game_or_position
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.play import LEVELS, PlaySession
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, game_opening_json, make_message, position_json
from engine.ui.web.security import RateLimiter
from engine.ui.web.watch import WATCHED_MODES, WatchSession
from engine.version import VERSION

_RATE, _BURST = 30.0, 100.0  # messages a second: whoever says more is heard later
_PATIENCE = 20.0  # seconds that a page may take to hear what it is told
_BACKGROUND = ("analyse", "annotate", "watch", "tree")
_GAME = "game"  # a question about the game that is being played

_asked: ContextVar[int | None] = ContextVar("asked", default=None)  # the number of the request that is being answered


class Session:
    """A visitor's conversation, from hello to good-bye."""

    def __init__(self, socket: WebSocket, desk: EnginePool) -> None:
        self._socket, self._desk = socket, desk
        self.heard = time.monotonic()  # when the visitor last said something
        self._pace = RateLimiter(_RATE, _BURST)
        self._sitting = PlaySession(desk, self.send, self._spawn)
        self._study = AnalysisSession(desk, self.send)
        self._annotating = AnnotateSession(desk, self.send)
        self._watching = WatchSession(desk, self.send)
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by what is being done
        self._handlers: dict[str, Callable[[Message], Awaitable[None]]] = {
            "hello": self._hello,
            "new": self._sitting.begin,
            "restore": self._sitting.restore,
            "move": self._sitting.move,
            "takeback": lambda _: self._sitting.take_back(),
            "resign": lambda _: self._sitting.resign(),
            "draw": self._offer_draw,
            "hint": self._hint,
            "load": self._load,
            "position": self._position,
            "analyse": lambda message: self._replace_task("analyse", lambda: self._study.analyse(message)),
            "annotate": lambda message: self._replace_task("annotate", lambda: self._annotating.annotate(message)),
            "watch": lambda message: self._replace_task("watch", lambda: self._watching.watch(message)),
            "tree": lambda message: self._replace_task("tree", lambda: self._watching.tree(message)),
            "stop": self._stop,
        }

    async def run(self) -> None:
        """Listen until the visitor leaves; then everything that was done for them ends."""
        try:
            while True:
                text = await self._receive()
                self.heard = time.monotonic()
                await asyncio.sleep(self._pace.wait())
                await self._guarded(self._answer(text))
        except WebSocketDisconnect:
            pass
        finally:
            await self._desk.run_shielded(self._leave())

    async def _leave(self) -> None:
        await self._halt(*self._tasks)
        await self._sitting.close()

    async def disconnect(self, code: int) -> None:
        """Send the visitor away."""
        with suppress(RuntimeError):  # they have gone by themselves
            await self._socket.close(code)

    async def _receive(self) -> str:
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1000))
        text: str | None = received.get("text")
        return "" if text is None else text

    async def _answer(self, text: str) -> None:
        _asked.set(None)
        name, message = requests.read_message(text)
        _asked.set(requests.optional_int_field(message, "ask"))
        handler = self._handlers.get(name)
        if handler is None:
            raise InputError(f"nobody here knows how to {quote(name)}")
        await handler(message)

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Do something; what cannot be done is said, and nothing that goes wrong ends the conversation."""
        try:
            await work
        except InputError as error:
            await self.send(make_message("error", text=str(error)))
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001  one visitor's trouble must not be another's
            print(f"error: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            await self.send(make_message("error", text="that went wrong in the server"))

    async def send(self, value: Value) -> None:
        """Send a message; WebSocketDisconnect if nobody hears it."""
        if (asked := _asked.get()) is not None:
            value["ask"] = asked
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._socket.send_json(value)
        except (RuntimeError, OSError, TimeoutError) as error:
            raise WebSocketDisconnect from error

    async def _replace_task(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do this in the background from now on, instead of what was done before of the same kind."""
        await self._halt(what)
        self._tasks[what] = self._spawn(work)

    def _spawn(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Do something in the background."""
        return asyncio.create_task(self._in_background(work))

    async def _in_background(self, work: Callable[[], Awaitable[None]]) -> None:
        with suppress(WebSocketDisconnect):  # whoever listens will notice
            await self._guarded(work())

    async def _halt(self, *whats: str) -> None:
        tasks = [task for what in whats if (task := self._tasks.pop(what, None)) is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stop(self, message: Message) -> None:
        whats = tuple(what for what in self._tasks if what != _GAME)
        await self._halt(*([requests.enum_field(message, "what", _BACKGROUND)] if "what" in message else whats))

    async def _hello(self, _: Message) -> None:
        await self.send(make_message("welcome", version=VERSION, levels=list(LEVELS), kinds=WATCHED_MODES,
                                     limits=LIMITS))

    async def _position(self, message: Message) -> None:
        board = requests.parse_board(message)
        await self.send(make_message("position", **position_json(board), opening=game_opening_json(board)))

    async def _load(self, message: Message) -> None:
        text = requests.str_field(message, "text", LIMITS["pgn"])
        await self.send(make_message("loaded", **await self._desk.run_briefly(lambda: load_game_or_position(text))))

    async def _hint(self, _: Message) -> None:
        game = self._sitting.game
        if game.is_over or game.turn != self._sitting.color:
            raise InputError("a hint is for your own move")
        await self._replace_task(_GAME, lambda: self._study.hint(game.board))

    async def _offer_draw(self, _: Message) -> None:
        game = self._sitting.game
        if game.is_over or game.turn != self._sitting.color:
            raise InputError("offer a draw when it is your move")
        await self._replace_task(_GAME, self._decide_draw)

    async def _decide_draw(self) -> None:
        game = self._sitting.game
        if await self._study.wants_draw(game.board):
            await self._sitting.agree_draw()
            await self.send(make_message("notice", text="Your offer is accepted: the game is drawn."))
        else:
            await self.send(make_message("notice", text="The engine would rather play on."))
