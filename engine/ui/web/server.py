"""The server: the application behind a socket, with limits on what a connection may cost."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from engine.system.errors import InputError, quote
from engine.system.host import IS_WINDOWS
from engine.ui.web.requests import LONGEST_MESSAGE

_LONGEST_HEAD = 16_384  # bytes of a request line with its headers
_MOST_CONNECTIONS = 400
_REQUEST_SECONDS = 10.0  # a connection that has not asked for anything by then is closed
_KEEP_ALIVE = 15  # seconds
_PING, _PONG = 20.0, 20.0  # seconds
_LAST_WORDS = 2.0  # seconds that a connection has to take what was already said
_SWITCH_SECONDS = 0.001  # after which a thread lets another one run Python: answers shall not wait for analyses
_SHUTDOWN = 1  # seconds that visitors have to leave


class TimeoutHttpProtocol(H11Protocol):
    """HTTP for those who ask within a reasonable time, and ask one thing after the other."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            transport.abort()
            return
        self._impatience = self.loop.call_later(_REQUEST_SECONDS, self._lose_patience)

    def _lose_patience(self) -> None:
        if self.cycle is None and self.transport.get_protocol() is self:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if hasattr(self, "_impatience"):
            self._impatience.cancel()
        super().connection_lost(exc)


class KeepaliveWebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that ends when the other side does not answer, whether or not it takes what was said."""

    def keepalive_timeout(self) -> None:
        """Nobody is there any more."""
        super().keepalive_timeout()
        self.loop.call_later(_LAST_WORDS, self.transport.abort)

    def shutdown(self) -> None:
        """The server ends."""
        super().shutdown()
        self.loop.call_later(_LAST_WORDS / 10, self.transport.abort)


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there; InputError if it cannot."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if not IS_WINDOWS:  # where it would let two programs have the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # who comes before the server is up waits a moment
    except (OSError, ValueError, TypeError) as error:  # the latter two for a name that could be nobody's
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        advice = "; another program uses it (try: --port)" if getattr(error, "errno", 0) == errno.EADDRINUSE else ""
        raise InputError(f"cannot listen at {quote(host)}, port {port}: {reason}{advice}") from error
    return listener


class Server:
    """Serves an application at a socket until it is told to stop."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
            logging.getLogger(name).disabled = True  # what a stranger sends is nothing to write pages about
        config = uvicorn.Config(
            app, loop="asyncio", http=TimeoutHttpProtocol, ws=KeepaliveWebSocketProtocol, ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=_PING, ws_ping_timeout=_PONG, ws_per_message_deflate=False, lifespan="on",
            log_config=None, access_log=False, proxy_headers=False, server_header=False,
            limit_concurrency=_MOST_CONNECTIONS, timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_SHUTDOWN, h11_max_incomplete_event_size=_LONGEST_HEAD)
        self._server = uvicorn.Server(config)
        self._listener = listener

    def run(self) -> None:
        """Serve; blocks until `stop`."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_complain)
        await self._server.serve([self._listener])

    def stop(self) -> None:
        """End soon; from any thread."""
        self._server.should_exit = True


def _complain(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log uncaught exceptions on one line; ignore broken connections."""
    error = context.get("exception")
    if not isinstance(error, OSError):
        logging.getLogger("adversary.web").error("%s: %r", context.get("message"), error)
