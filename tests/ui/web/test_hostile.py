"""Strangers who mean no good: whatever they send, the server serves the next one, stays quiet, and does not grow."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from tests.ui.serving import Guest, Server, serving

MOST_GROWTH = 50  # MB
NAMES = ("hello", "new", "restore", "game", "move", "takeback", "resign", "draw", "hint", "position", "analyse",
         "annotate", "watch", "tree", "question", "stop", "explore", "openings", "games", "judge", "steps",
         "treequestion", "learn", "recall", "reply", "prompt", "train", "report", "", "quit",
         "__init__", "..", "drop")
FIELDS = ("level", "side", "clock", "start", "chess960", "moves", "uci", "ply", "pgn", "text", "multipv", "movetime",
          "modes", "depth", "request", "job", "clocks", "delay", "base", "increment", "positions",
          "tree", "algorithm", "order", "iterations", "curiosity", "number", "answer", "title", "player", "action",
          "theme", "lowest", "highest", "source", "woodpecker", "id")
LAST = 2_000_000  # the number of a request after which a visitor sends no more
FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def value(chance: random.Random, depth: int = 0) -> object:
    """Anything that JSON can say; often nearly what is expected."""
    kinds: list[Callable[[], object]] = [
        lambda: None, lambda: chance.choice((True, False)), lambda: chance.randrange(-(10**6), 10**6), lambda: 10**40,
        lambda: chance.random() * 1e308, lambda: "x" * chance.randrange(2000), lambda: "\u0000\u202e💥",
        lambda: "".join(chance.choice("rnbqkpRNBQKP12345678/ wKQkq-09") for _ in range(chance.randrange(90))),
        lambda: FEN.replace("8", chance.choice(("9", "k", "P", "", "44")), 1), lambda: FEN, lambda: "e2e4",
        lambda: "".join(chance.choice("[[(({{]]))}},,:0123./-") for _ in range(chance.randrange(60))),
        lambda: chance.choice(("max", 800, 1200, "white", "black", "random", "alphabeta", "uct")),
        lambda: "1. e4 e5 2. " + "(" * chance.randrange(300) + "{" * chance.randrange(300) + " Nf3 $999 " * 50,
        lambda: '[FEN "' + FEN[: chance.randrange(len(FEN))] + '"]\n\n1. e4 *', lambda: "1. -- e5 2. Z0 *",
    ]
    if depth < 3:
        kinds += [lambda: [value(chance, depth + 1) for _ in range(chance.randrange(6))],
                  lambda: {chance.choice(FIELDS): value(chance, depth + 1) for _ in range(chance.randrange(4))}]
    return chance.choice(kinds)()


def message(chance: random.Random) -> str | bytes:
    """A message, or what is none."""
    if chance.random() < 0.1:
        return chance.choice((b"\x00\xff" * 10, "", "{", "[" * 3000, "null", '"x"', "\ufeff{}", "{}" * 9, "9" * 5000))
    return json.dumps({"type": chance.choice(NAMES), **{chance.choice(FIELDS): value(chance)
                                                      for _ in range(chance.randrange(7))}})


async def babble(server: Server, count: int, seed: int) -> int:
    """Messages without sense or order; begins again when it is thrown out. Returns the number of answers."""
    chance, left, answers = random.Random(seed), count, 0
    while left > 0:
        with contextlib.suppress(ConnectionClosed, InvalidHandshake, InvalidMessage, OSError, TimeoutError):
            async with Guest(server) as guest:
                reading = asyncio.create_task(_read(guest))
                for _ in range(chance.randrange(1, 60)):
                    left -= 1
                    await guest.socket.send(message(chance))
                if chance.random() < 0.2:
                    await guest.socket.send("x" * (3 << 20))  # more than is taken
                if chance.random() < 0.8:  # stay until everything has been answered
                    await guest.send("hello", request=LAST)
                    answers += await reading
                    reading = asyncio.create_task(_read(guest))
                if chance.random() < 0.2:
                    guest.socket.transport.abort()
                await guest.socket.close()  # while answers are read: unread ones would hide that of the server
                answers += await reading
    return answers


async def _read(guest: Guest) -> int:
    """Read up to the answer to the request LAST, or to the end; returns the number of messages."""
    count = 0
    with contextlib.suppress(ConnectionClosed):
        async for said in guest.socket:
            count += 1
            if json.loads(said).get("request") == LAST:
                break
    return count


def request(chance: random.Random, port: int) -> bytes:
    """A request of HTTP, more or less."""
    method = chance.choice(("GET", "GET", "HEAD", "POST", "PUT", "TRACE", "CONNECT", "\x00\x16\x03\x01", "G" * 400))
    path = chance.choice(("/", "/session", "/page/main.js", "/page/../../../../etc/passwd",
                          "/page/%2e%2e%2f%2e%2e%2fetc", "//", "*", "/" + "a" * chance.randrange(30_000), "/%00",
                          "/%ff%fe", "http://evil.example/", "?"))
    lines = [f"{method} {path} HTTP/{chance.choice(('1.1', '1.0', '2.0', '9', ''))}"]
    lines.append(f"Host: {chance.choice((f'127.0.0.1:{port}', 'evil.example', '', 'x' * 3000))}")
    extra = ("Content-Length: 99999999999", "Content-Length: -1", "Transfer-Encoding: chunked", "Connection: upgrade",
             "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 99",
             f"Origin: http://127.0.0.1:{port}", "Origin: null", "Cookie: " + "a=b;" * 500, "Expect: 100-continue",
             "X: " + "y" * 20_000, "Range: bytes=0-9,-5", "broken", ": ", "Upgrade: h2c", "Host: twice")
    lines += chance.sample(extra, chance.randrange(len(extra)))
    body = chance.choice(("", "x" * 1000, "ffffffffff\r\n", "0\r\n\r\n"))
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1", "replace")


async def knock(server: Server, count: int, seed: int) -> None:
    """Requests that are broken, huge, half, or of another language; some connections stay half open."""
    loop, chance = asyncio.get_running_loop(), random.Random(seed)
    open_ones: list[asyncio.Transport] = []
    for _ in range(count):
        try:
            transport, _ = await loop.create_connection(asyncio.Protocol, "127.0.0.1", server.port)
        except OSError:
            continue
        whole = chance.choice((request, _noise, _nothing, _frames))(chance, server.port)
        transport.write(whole[: chance.randrange(len(whole) + 1)] if chance.random() < 0.4 else whole)
        match chance.randrange(3):
            case 0:
                open_ones.append(transport)
                if len(open_ones) > 30:
                    open_ones.pop(0).close()
            case 1:  # an abrupt end
                await asyncio.sleep(0.005)
                transport.abort()
            case _:
                await asyncio.sleep(0.02)
                transport.close()
    for transport in open_ones:
        transport.close()


def _noise(chance: random.Random, _: int) -> bytes:
    return chance.randbytes(500)


def _nothing(*_: object) -> bytes:
    return b""


def _frames(chance: random.Random, port: int) -> bytes:
    """A good handshake, and then frames that break the rules."""
    head = (f"GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    frames = (b"\x81\xfe\xff\xff", b"\x81\xff" + b"\x7f" * 8, b"\x81\x05hello", b"\x80\x80\x00\x00\x00\x00",
              b"\xff" * 50, b"\x81\x82\x00\x00\x00\x00\xff\xfe", b"\x01\x80\x00\x00\x00\x00" * 500,
              b"\x89\xff" + bytes(12), b"\x88\x81\x00\x00\x00\x00x", chance.randbytes(300))
    return head.encode() + chance.choice(frames)


async def is_well(server: Server) -> None:
    """A good visitor is served."""
    for _ in range(100):
        with contextlib.suppress(ConnectionClosed, InvalidHandshake, InvalidMessage, OSError, TimeoutError):
            async with Guest(server) as guest:
                await guest.send("hello")
                if (await guest.receive("welcome", "error"))["type"] == "welcome":
                    game, _ = await guest.move(await guest.begin("max"), "e2e4")
                    assert game["ply"] == 2
                    return
        await asyncio.sleep(0.2)
    raise AssertionError("a well-behaved visitor cannot connect")


async def assault(server: Server, messages: int, requests: int, seed: int) -> int:
    """Returns the number of answers."""
    knocking = asyncio.gather(*(knock(server, requests // 10, seed + 100 + number) for number in range(10)))
    answers = await asyncio.gather(*(babble(server, messages // 10, seed + number) for number in range(10)))
    await knocking
    await is_well(server)
    return sum(answers)


@pytest.mark.parametrize(("messages", "requests"), [(300, 300), pytest.param(100_000, 10_000, marks=pytest.mark.slow)])
def test_hostile_strangers(tmp_path, messages, requests):
    with serving(tmp_path, "--sessions", "24", "--hash", "64") as server:
        asyncio.run(assault(server, messages // 4, requests // 4, 1))  # whatever is made once is made by now
        before, cpu_before = server.megabytes, server.cpu_seconds
        answers = asyncio.run(assault(server, messages, requests, 2))
        growth, used = server.megabytes - before, server.cpu_seconds - cpu_before
        print(f"{messages} messages ({answers} answers) and {requests} requests: {used:.0f} s of CPU time, "
              f"grew by {growth:.1f} MB to {server.megabytes:.0f} MB")
        assert answers > messages // 4
        assert server.process.poll() is None
        assert server.complaints == ""
        assert growth < MOST_GROWTH
