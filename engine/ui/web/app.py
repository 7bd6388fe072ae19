"""The application: its addresses, the page's files, and the limit on the number of sessions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files

import chess
import chess.svg
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.responses import make_message
from engine.ui.web.security import AccessControl, ClientRateLimiter, ServerAddress
from engine.ui.web.session import Session

_RATE, _BURST = 100.0, 400.0  # requests per second of one client
_TRY_AGAIN_LATER = 1013  # the WebSocket's code
_LONG_SILENCE = 900.0  # seconds

_INDEX = "index.html"
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
          ".png": "image/png", ".webmanifest": "application/manifest+json"}
_SVG = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 45 45">'
        "{}</svg>")
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the pieces of python-chess contain styles


class SessionLimit:
    """Limits the number of sessions. The session idle for longest is closed when a new visitor is waiting."""

    def __init__(self, desk: EnginePool) -> None:
        self._desk = desk
        self._visits: set[Session] = set()

    async def admit(self, socket: WebSocket) -> None:
        """Run the session of one visitor, if there is room for it."""
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


def page_file_content(name: str) -> bytes | None:
    """A file of the page; None if its folder has none of that name. A name from outside never becomes a path."""
    folder = files("engine.ui.web") / "page"
    found = next((item for item in folder.iterdir() if item.name == name), None)
    return None if found is None or _type_of(name) is None or not found.is_file() else found.read_bytes()


@cache
def pieces() -> dict[str, bytes]:
    """Pictures of the pieces by name: `wK.svg`, `bP.svg`."""
    found = {}
    for letter, drawing in chess.svg.PIECES.items():
        name = ("w" if letter.isupper() else "b") + letter.upper() + ".svg"
        found[name] = _SVG.format(drawing).encode()
    return found


def _type_of(name: str) -> str | None:
    return next((kind for ending, kind in _TYPES.items() if name.endswith(ending)), None)


def _answer(request: Request, content: bytes | None, name: str) -> Response:
    if content is None:
        return PlainTextResponse("not found", 404)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(content, media_type=_type_of(name), headers={"ETag": tag})


async def index(request: Request) -> Response:
    """The page."""
    return _answer(request, page_file_content(_INDEX), _INDEX)


async def page_file(request: Request) -> Response:
    """One of the page's files."""
    name = request.path_params["name"]
    return _answer(request, page_file_content(name), name)


async def piece(request: Request) -> Response:
    """The picture of a piece."""
    name = request.path_params["name"]
    answer = _answer(request, pieces().get(name), name)
    answer.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return answer


async def health_check(_: Request) -> Response:
    """Health check."""
    return PlainTextResponse("ok")


def make_app(door: ServerAddress, desk: EnginePool, rate: float = _RATE, burst: float = _BURST) -> ASGIApp:
    """The whole application, which closes `desk` when it ends."""
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    routes = [
        Route("/", index),
        Route("/page/{name}", page_file),
        Route("/pieces/{name}", piece),
        Route("/health", health_check),
        WebSocketRoute("/talk", SessionLimit(desk).admit),
    ]
    return AccessControl(Starlette(routes=routes, lifespan=lifespan), door, ClientRateLimiter(rate, burst))
