"""The ASGI application: routes, the page's files, and the limit on the number of sessions."""

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
_TRY_AGAIN_LATER = 1013  # WebSocket close code
_LARGEST_SHARE = 0.85  # of all sessions for one address
_IDLE_SECONDS = 900.0  # after which a session may be closed for a new visitor

_INDEX = "index.html"
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
          ".png": "image/png", ".webmanifest": "application/manifest+json"}
_SVG = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 45 45">'
        "{}</svg>")
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the images of python-chess contain inline styles


class SessionLimit:
    """Limits the number of sessions, and of those from one address; the last free one is for an address that has none.

    The session idle for longest is closed when a new visitor is waiting.
    """

    def __init__(self, pool: EnginePool) -> None:
        self._pool = pool
        self._sessions: dict[Session, str] = {}  # [session]: the address of its visitor

    async def admit(self, socket: WebSocket) -> None:
        """Run the session of one visitor, or refuse it if the server is full."""
        await socket.accept()
        address = socket.client.host if socket.client is not None else ""
        refusal = await self._refusal(address)
        if refusal is not None:
            await socket.send_json(make_message("error", text=refusal))
            await socket.close(_TRY_AGAIN_LATER)
            return
        session = Session(socket, self._pool)
        self._sessions[session] = address
        try:
            await session.run()
        finally:
            self._sessions.pop(session, None)  # before its jobs have ended: others need not wait for that
            await session.close()

    async def _refusal(self, address: str) -> str | None:
        """Why a visitor from this address gets no session; None if there is one."""
        most, own = self._pool.limits.sessions, list(self._sessions.values()).count(address)
        most_own = max(int(_LARGEST_SHARE * most), 1)
        if own >= most_own:
            if not await self._evict_idle(address):
                return f"your address has {most_own} boards already; try again later"
        elif len(self._sessions) >= (most - 1 if own else most) and not await self._evict_idle():
            return f"all {most} boards are taken; try again later"
        return None

    async def _evict_idle(self, address: str | None = None) -> bool:
        """Close the session idle for longest, of this address if one is given; returns whether one was idle."""
        idlest = min((session for session, client in self._sessions.items() if address in (None, client)),
                     key=lambda session: session.last_request_time)
        if time.monotonic() - idlest.last_request_time < _IDLE_SECONDS:
            return False
        del self._sessions[idlest]
        await idlest.disconnect(_TRY_AGAIN_LATER)
        return True


def page_file_content(name: str) -> bytes | None:
    """The content of a file of the page; None if there is no such file. `name` is compared, never used as a path."""
    folder = files("engine.ui.web") / "page"
    file = next((item for item in folder.iterdir() if item.name == name), None)
    return None if file is None or _media_type(name) is None or not file.is_file() else file.read_bytes()


@cache
def pieces() -> dict[str, bytes]:
    """SVG images of the pieces by file name: `wK.svg`, `bP.svg`."""
    images = {}
    for letter, drawing in chess.svg.PIECES.items():
        name = ("w" if letter.isupper() else "b") + letter.upper() + ".svg"
        images[name] = _SVG.format(drawing).encode()
    return images


def _media_type(name: str) -> str | None:
    return next((media_type for suffix, media_type in _TYPES.items() if name.endswith(suffix)), None)


def _file_response(request: Request, content: bytes | None, name: str) -> Response:
    if content is None:
        return PlainTextResponse("not found", 404)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(content, media_type=_media_type(name), headers={"ETag": tag})


async def index(request: Request) -> Response:
    """The page."""
    return _file_response(request, page_file_content(_INDEX), _INDEX)


async def page_file(request: Request) -> Response:
    """One of the page's files."""
    name = request.path_params["name"]
    return _file_response(request, page_file_content(name), name)


async def piece(request: Request) -> Response:
    """The SVG image of a piece."""
    name = request.path_params["name"]
    response = _file_response(request, pieces().get(name), name)
    response.headers["Content-Security-Policy"] = _PICTURE_POLICY
    return response


async def health_check(_: Request) -> Response:
    """Health check."""
    return PlainTextResponse("ok")


def make_app(server_address: ServerAddress, pool: EnginePool, rate: float = _RATE, burst: float = _BURST) -> ASGIApp:
    """Make the whole application. It closes `pool` at shutdown."""
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        pool.close()

    routes = [
        Route("/", index),
        Route("/page/{name}", page_file),
        Route("/pieces/{name}", piece),
        Route("/health", health_check),
        WebSocketRoute("/session", SessionLimit(pool).admit),
    ]
    return AccessControl(Starlette(routes=routes, lifespan=lifespan), server_address, ClientRateLimiter(rate, burst))
