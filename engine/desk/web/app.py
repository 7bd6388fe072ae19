"""The application: which address leads where, who is let in, and who has left."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from engine.desk.web import pages
from engine.desk.web.desk import EnginePool
from engine.desk.web.gate import AccessControl, ClientRateLimiter, ServerAddress
from engine.desk.web.visit import Session
from engine.desk.web.wire import make_message

_RATE, _BURST = 100.0, 400.0  # requests a second of one client
_TRY_AGAIN_LATER = 1013  # the WebSocket's code
_LONG_SILENCE = 900.0  # seconds


class SessionLimit:
    """Where visitors come in: so many and no more. Whoever has been silent for long makes room for who waits."""

    def __init__(self, desk: EnginePool) -> None:
        self._desk = desk
        self._visits: set[Session] = set()

    async def admit(self, socket: WebSocket) -> None:
        """Talk to one visitor, if there is room."""
        await socket.accept()
        most = self._desk.shares.sessions
        if len(self._visits) >= most and not await self._evict_idle():
            await socket.send_json(make_message("error", text=f"all {most} boards are taken: please try again later"))
            await socket.close(_TRY_AGAIN_LATER)
            return
        visit = Session(socket, self._desk)
        self._visits.add(visit)
        try:
            await visit.run()
        finally:
            self._visits.discard(visit)

    async def _evict_idle(self) -> bool:
        quietest = min(self._visits, key=lambda visit: visit.heard)
        if time.monotonic() - quietest.heard < _LONG_SILENCE:
            return False
        self._visits.discard(quietest)
        await quietest.disconnect(_TRY_AGAIN_LATER)
        return True


def make_app(door: ServerAddress, desk: EnginePool, rate: float = _RATE, burst: float = _BURST) -> ASGIApp:
    """The whole application, which closes the desk when it ends."""
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    routes = [
        Route("/", pages.index),
        Route("/page/{name}", pages.page_file),
        Route("/pieces/{name}", pages.piece),
        Route("/health", pages.health_check),
        WebSocketRoute("/talk", SessionLimit(desk).admit),
    ]
    return AccessControl(Starlette(routes=routes, lifespan=lifespan), door, ClientRateLimiter(rate, burst))
