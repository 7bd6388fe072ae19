"""Who is let in: requests to this server under its own name, from its own page, and with the token if one is needed.

A page from elsewhere that a visitor's browser has open can neither talk to the server (Origin), nor pretend to come
from it by a name that it lets point here (Host). What is handed out may load nothing from anywhere else.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "font-src 'self'; media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_METHODS = ("GET", "HEAD")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_TOKEN = "token"  # noqa: S105  the name of the parameter
_POLICY_VIOLATION = 1008  # the WebSocket's code
_FORGOTTEN = 60.0  # seconds after which a client's rate is forgotten


@dataclass(frozen=True)
class ServerAddress:
    """Where the server is reached, and by whom."""

    host: str
    port: int
    token: str | None  # None on the loopback interface, where there is nobody else

    @property
    def address(self) -> str:
        """What to open in a browser."""
        name = self.host if self.host not in ("0.0.0.0", "::", "") else socket.gethostname()  # noqa: S104  compared
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/" + (f"?{_TOKEN}={self.token}" if self.token else "")

    @property
    def cookie(self) -> str:
        """The cookie's name: cookies do not tell ports apart."""
        return f"adversary-{self.port}"

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server. A foreign name that points here would not be known."""
        name, _, port = host.rpartition(":")
        if not name or not port.isdecimal():
            name, port = host, "80"
        if int(port[:6]) != self.port:
            return False
        return name.lower() in self._names() or (self.token is not None and _is_address(name))

    def _names(self) -> tuple[str, ...]:
        if self.token is None:
            return _LOOPBACK_NAMES
        return (*_LOOPBACK_NAMES, self.host.lower(), socket.gethostname().lower())


def is_loopback(host: str) -> bool:
    """Whether only this machine itself can reach a server that is bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class RateLimiter:
    """So many things a second, and so many more at once."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left, self.seen = burst, now()

    def wait(self) -> float:
        """Take note of one more; returns the seconds for which it should have waited."""
        now = self._now()
        self._left = min(self._left + (now - self.seen) * self._rate, self._burst) - 1
        self.seen = now
        return max(-self._left / self._rate, 0.0)

    def allows(self) -> bool:
        """Take note of one more, unless it should have waited."""
        if self.wait() == 0:
            return True
        self._left += 1
        return False


class ClientRateLimiter:
    """A pace for each client, by its address."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst = rate, burst
        self._now, self._tidied = now, now()
        self._paces: dict[str, RateLimiter] = {}

    def allows(self, who: str) -> bool:
        """Whether one more is allowed."""
        now = self._now()
        if now - self._tidied > _FORGOTTEN:
            self._paces = {name: pace for name, pace in self._paces.items() if now - pace.seen < _FORGOTTEN}
            self._tidied = now
        return self._paces.setdefault(who, RateLimiter(self._rate, self._burst, self._now)).allows()


class AccessControl:
    """An ASGI application before another, which hears only what is let in."""

    def __init__(self, app: ASGIApp, door: ServerAddress, allowance: ClientRateLimiter) -> None:
        self._app, self._door, self._allowance = app, door, allowance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return
        answer: ASGIApp = self._app if refusal is None else refusal
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in, if it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._door.knows(hosts[0]):
            return PlainTextResponse("this server is not known by that name", 421)
        if not self._allowance.allows((scope.get("client") or ("?",))[0]):
            return PlainTextResponse("too many requests", 429, {"Retry-After": "1"})
        is_talk = scope["type"] == "websocket"
        if not is_talk and scope["method"] not in _METHODS:
            return PlainTextResponse("only GET", 405, {"Allow": ", ".join(_METHODS)})
        origins = headers.getlist("origin")
        if origins != [f"http://{hosts[0]}"] and (is_talk or origins):
            return PlainTextResponse("only this server's own page may do that", 403)
        return self._token_refusal(scope, headers)

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Once the token came in the address, a cookie has it, and the address is clean."""
        token, door = self._door.token, self._door
        if token is None or _same(_cookie(headers, door.cookie), token):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=8).get(_TOKEN, [""])[0] if (
            len(scope["query_string"]) < 500) else ""
        if not _same(given, token):
            return PlainTextResponse("this board needs the whole address that `adversary web` printed, with its token",
                                     403)
        if scope["type"] == "websocket":
            return None
        answer = RedirectResponse(scope["path"] if scope["path"] == "/" else "/", 303)
        # "strict" would keep it from whoever follows a link to the board from a letter.
        answer.set_cookie(door.cookie, token, httponly=True, samesite="lax")
        return answer


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def _with_headers(send: Send) -> Send:
    """Give every answer the headers that keep browsers strict."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return sending
