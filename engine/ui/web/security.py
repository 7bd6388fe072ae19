"""Access control: requests must name this server, come from its own page, and carry the token if one is needed.

The Origin check keeps other pages in a visitor's browser from connecting; the Host check prevents DNS rebinding. The
Content-Security-Policy keeps the page from loading anything from elsewhere.
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
LONGEST_HEAD = 16_384  # bytes of a request line with its headers
_METHODS = ("GET", "HEAD")
_LOCALHOST = "localhost"
_TOKEN = "token"  # noqa: S105  the name of the query parameter
_POLICY_VIOLATION = 1008  # WebSocket close code
_EXPIRY_SECONDS = 60.0  # after which an idle client's rate limiter is dropped


@dataclass(frozen=True)
class ServerAddress:
    """The address that the server listens at, and the token that clients need."""

    host: str  # as the user wrote it
    port: int
    token: str | None  # None on the loopback interface, which only this machine can reach

    @property
    def url(self) -> str:
        """The URL to open in a browser, with the token if there is one."""
        name = self.host if self.host not in ("0.0.0.0", "::", "") else socket.gethostname()  # noqa: S104  compared
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/" + (f"?{_TOKEN}={self.token}" if self.token else "")

    @property
    def cookie(self) -> str:
        """The name of the cookie. It contains the port, because browsers share cookies between the ports of a host."""
        return f"adversary-{self.port}"

    def accepts_host(self, host: str) -> bool:
        """Whether a Host header names this server. Foreign names that resolve to its address are rejected."""
        name, _, port = host.rpartition(":")
        if not name or not port.isdecimal():
            name, port = host, "80"
        if int(port[:6]) != self.port:
            return False
        address = name.removeprefix("[").removesuffix("]")
        return name.lower() in self._names() or (_is_address(address) if self.token else is_loopback(address))

    def _names(self) -> tuple[str, ...]:
        names = (_LOCALHOST, self.host.lower())
        return names if self.token is None else (*names, socket.gethostname().lower())


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach a server that is bound to this IP address; a name is no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class RateLimiter:
    """A token bucket: `rate` events per second, and bursts of at most `burst`."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left, self.seen = burst, now()

    def wait(self) -> float:
        """Count one event, and return how many seconds it has to wait."""
        now = self._now()
        self._left = min(self._left + (now - self.seen) * self._rate, self._burst) - 1
        self.seen = now
        return max(-self._left / self._rate, 0.0)

    def allows(self) -> bool:
        """Whether an event is within the limit; only such an event is counted."""
        if self.wait() == 0:
            return True
        self._left += 1
        return False


class ClientRateLimiter:
    """A rate limiter for each client address."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst = rate, burst
        self._now, self._tidied = now, now()
        self._limiters: dict[str, RateLimiter] = {}

    def allows(self, client: str) -> bool:
        """Whether one more request of this client is within the limit; if so, it is counted."""
        now = self._now()
        if now - self._tidied > _EXPIRY_SECONDS:
            self._limiters = {name: limiter for name, limiter in self._limiters.items()
                              if now - limiter.seen < _EXPIRY_SECONDS}
            self._tidied = now
        return self._limiters.setdefault(client, RateLimiter(self._rate, self._burst, self._now)).allows()


class AccessControl:
    """ASGI middleware that passes on only the requests that are allowed."""

    def __init__(self, app: ASGIApp, server_address: ServerAddress, rate_limiter: ClientRateLimiter) -> None:
        self._app, self._address, self._rate_limiter = app, server_address, rate_limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""
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
        response: ASGIApp = self._app if refusal is None else refusal
        await response(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The response to a request that is refused; None if the request is allowed."""
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in headers.raw) > LONGEST_HEAD:
            return PlainTextResponse("the headers are too long", 431)
        if "content-length" in headers and "transfer-encoding" in headers:
            return PlainTextResponse("a request has one length", 400, {"Connection": "close"})
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._address.accepts_host(hosts[0]):
            return PlainTextResponse("this server has another name", 421)
        if not self._rate_limiter.allows((scope.get("client") or ("?",))[0]):
            return PlainTextResponse("too many requests", 429, {"Retry-After": "1"})
        is_websocket = scope["type"] == "websocket"
        if not is_websocket and scope["method"] not in _METHODS:
            return PlainTextResponse("only GET and HEAD are allowed", 405, {"Allow": ", ".join(_METHODS)})
        origins = headers.getlist("origin")
        if origins != [f"http://{hosts[0]}"] and (is_websocket or origins):
            return PlainTextResponse("only this server's own page may connect", 403)
        return self._token_refusal(scope, headers)

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Check the token. A redirect moves a token in the URL to a cookie, so that the URL no longer shows it."""
        token = self._address.token
        if token is None or _same(_cookie(headers, self._address.cookie), token):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=8).get(_TOKEN, [""])[0] if (
            len(scope["query_string"]) < 500) else ""
        if not _same(given, token):
            return PlainTextResponse("open the full address that `adversary web` printed, including the token",
                                     403)
        if scope["type"] == "websocket":
            return None
        response = RedirectResponse(scope["path"] if scope["path"] == "/" else "/", 303)
        # "strict" would withhold the cookie from a visitor who follows a link to the board.
        response.set_cookie(self._address.cookie, token, httponly=True, samesite="lax")
        return response


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if cookie is None else cookie.value


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def _with_headers(send: Send) -> Send:
    """Wrap `send` so that every response has the security headers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return sending
