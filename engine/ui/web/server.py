"""The server: uvicorn at a socket, with limits on the resources of each connection."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Iterable
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from engine.system.errors import InputError, quote, reason_of
from engine.system.host import IS_WINDOWS
from engine.ui.web.requests import LONGEST_MESSAGE
from engine.ui.web.security import LONGEST_HEAD

_MOST_CONNECTIONS = 400
_MOST_OF_ONE_ADDRESS = 300  # so that slow clients at one address do not keep others out
_REQUEST_SECONDS = 10.0  # a connection that has not sent a request by then is closed
_KEEP_ALIVE = 15  # seconds
_PING, _PONG = 20.0, 20.0  # seconds
_FLUSH_SECONDS = 2.0  # that a client has to receive what was already sent
_SWITCH_SECONDS = 0.001  # thread switch interval: responses must not wait for analyses
_SHUTDOWN = 1  # seconds until open connections are closed


class TimeoutHttpProtocol(H11Protocol):
    """HTTP with a limit on the number of connections and a timeout for the first request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the first request; refuse the connection if there are too many."""
        super().connection_made(transport)
        others: Iterable[Any] = self.connections
        addresses = [other.client[0] for other in others if other.client and not other.transport.is_closing()]
        own = addresses.count(self.client[0]) if self.client is not None else 0
        if len(addresses) > _MOST_CONNECTIONS or own > _MOST_OF_ONE_ADDRESS:
            transport.abort()
            return
        self._request_timer = self.loop.call_later(_REQUEST_SECONDS, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if self.cycle is None and self.transport.get_protocol() is self:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        if hasattr(self, "_request_timer"):
            self._request_timer.cancel()
        super().connection_lost(exc)


class KeepaliveWebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that is aborted when the client answers no pings, even if it does not read what was sent."""

    def keepalive_timeout(self) -> None:
        """Abort the connection soon after the client has stopped answering pings."""
        super().keepalive_timeout()
        self.loop.call_later(_FLUSH_SECONDS, self.transport.abort)

    def shutdown(self) -> None:
        """Abort the connection soon after the server has started to shut down."""
        super().shutdown()
        self.loop.call_later(_FLUSH_SECONDS / 10, self.transport.abort)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; InputError if the address cannot be used."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if not IS_WINDOWS:  # on Windows it would let two programs use the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # connections wait until the server is up
    except (OSError, ValueError, TypeError) as error:  # the latter two for an invalid host name
        listener.close()
        reason = reason_of(error)
        is_in_use = getattr(error, "errno", 0) == errno.EADDRINUSE
        hint = "; another program uses it, choose another one with --port" if is_in_use else ""
        raise InputError(f"cannot listen at {quote(host)}, port {port}: {reason}{hint}") from error
    return listener


class Server:
    """Serves an application at a socket until `stop` is called."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
            logging.getLogger(name).disabled = True  # requests must not flood the terminal
        config = uvicorn.Config(
            app, loop="asyncio", http=TimeoutHttpProtocol, ws=KeepaliveWebSocketProtocol, ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=_PING, ws_ping_timeout=_PONG, ws_per_message_deflate=False, lifespan="on",
            log_config=None, access_log=False, proxy_headers=False, server_header=False,
            limit_concurrency=_MOST_CONNECTIONS, timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_SHUTDOWN, h11_max_incomplete_event_size=LONGEST_HEAD)
        self._server = uvicorn.Server(config)
        self._listener = listener

    def run(self) -> None:
        """Serve until `stop` is called."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_log_exception)
        await self._server.serve([self._listener])

    def stop(self) -> None:
        """Make `run` return soon; may be called from any thread."""
        self._server.should_exit = True


def _log_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log uncaught exceptions on one line; ignore broken connections."""
    error = context.get("exception")
    if not isinstance(error, OSError):
        logging.getLogger("adversary.web").error("%s: %r", context.get("message"), error)
