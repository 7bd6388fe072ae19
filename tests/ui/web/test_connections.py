"""Slow connections by the hundred, and a server that others on the network may reach with its token only."""

from __future__ import annotations

import asyncio
import http.client
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest

from tests.timing import PATIENCE
from tests.ui.serving import Guest, Server, serving

EVERYWHERE = "0.0.0.0"  # noqa: S104  with a token
MOST_DELAY = 0.5  # seconds, on a busy machine; without threads for such requests it was three


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web")) as made:
        yield made


def ask(server: Server, path: str, source: str = "127.0.0.1", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE, source_address=(source, 0))
    with closing(connection):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        return response


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has many loopback addresses")
def test_slow_connections_of_one_address_keep_nobody_else_out(server):
    with ExitStack() as stack:
        slow = []
        for _ in range(420):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: ")
            slow.append(connection)
        assert ask(server, "/health", "127.0.0.2").status == 200
    assert ask(server, "/health").status == 200


IMPATIENT = """import sys
from engine.ui.web import server
assert server._REQUEST_SECONDS == 10
server._REQUEST_SECONDS = 1.0
from engine.__main__ import main
sys.exit(main(sys.argv[1:]))"""


def test_a_head_that_never_ends_is_not_waited_for(tmp_path):
    async def scene(server: Server) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        with suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"G")
                await asyncio.sleep(0.05)
        writer.close()

    with serving(tmp_path, program=IMPATIENT) as server:
        asyncio.run(asyncio.wait_for(scene(server), PATIENCE))


DANCE = ("g1f3", "g8f6", "f3g1", "f6g8")


def long_position(plies: int) -> dict[str, object]:
    return {"start": None, "chess960": False, "moves": [*DANCE * (plies // 4)]}


@pytest.mark.parametrize(("request_name", "fields", "response"), [
    ("openings", {"positions": [long_position(40)] * 60}, "openings"),
    ("openings", {"positions": [long_position(1200)] * 60}, "error"),
    ("position", long_position(1200), "position"), ("explore", long_position(1200), "explored")])
def test_the_longest_request_delays_no_other_visitor(server, request_name, fields, response):
    async def scene() -> float:
        async with Guest(server) as one, Guest(server) as other:
            await one.send(request_name, **fields)
            waiting, longest = asyncio.create_task(one.receive(response)), 0.0
            while not waiting.done():
                began = time.perf_counter()
                await other.send("hello")
                await other.receive("welcome")
                longest = max(longest, time.perf_counter() - began)
            await waiting
            return longest

    assert asyncio.run(asyncio.wait_for(scene(), 40)) < MOST_DELAY


def test_a_server_for_the_network_answers_only_with_its_token(tmp_path):
    with serving(tmp_path, "--host", EVERYWHERE) as server:
        assert "token=" in server.first_line
        token = server.first_line.split("token=")[1].split()[0]
        other = ("b" if token[0] == "a" else "a") + token[1:]
        for path in ("/", "/page/main.js", "/health", "/?token=", f"/?token={other}", f"/?token={token}x"):
            assert ask(server, path).status == 403, path
        assert ask(server, "/", Cookie=f"adversary-{server.port}=wrong").status == 403
        welcome = ask(server, f"/?token={token}")
        cookie = welcome.headers["Set-Cookie"]
        assert welcome.status == 303 and welcome.headers["Location"] == "/" and "HttpOnly" in cookie
        assert ask(server, "/", Cookie=cookie.split(";")[0]).status == 200
        assert ask(server, "/", Cookie=cookie.split(";")[0], Host="evil.example").status == 421
        assert token not in server.complaints
