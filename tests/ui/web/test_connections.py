"""Slow connections by the hundred, and a server that others on the network may reach with its token only."""

from __future__ import annotations

import asyncio
import http.client
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest

from tests.ui.serving import Server, serving

EVERYWHERE = "0.0.0.0"  # noqa: S104  with a token


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web")) as made:
        yield made


def ask(server: Server, path: str, source: str = "127.0.0.1", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20, source_address=(source, 0))
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
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: ")
            slow.append(connection)
        assert ask(server, "/health", "127.0.0.2").status == 200
    assert ask(server, "/health").status == 200


def test_a_head_that_never_ends_is_not_waited_for(server):
    async def scene() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        with suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"G")
                await asyncio.sleep(0.4)
        writer.close()

    asyncio.run(asyncio.wait_for(scene(), 40))


def test_a_server_for_the_network_answers_only_with_its_token(tmp_path):
    with serving(tmp_path, "--host", EVERYWHERE) as server:
        assert "token=" in server.told
        token = server.told.split("token=")[1].split()[0]
        for path in ("/", "/page/main.js", "/health", "/?token=", "/?token=x" + token[1:], f"/?token={token}x"):
            assert ask(server, path).status == 403, path
        assert ask(server, "/", Cookie=f"adversary-{server.port}=wrong").status == 403
        welcome = ask(server, f"/?token={token}")
        cookie = welcome.headers["Set-Cookie"]
        assert welcome.status == 303 and welcome.headers["Location"] == "/" and "HttpOnly" in cookie
        assert ask(server, "/", Cookie=cookie.split(";")[0]).status == 200
        assert ask(server, "/", Cookie=cookie.split(";")[0], Host="evil.example").status == 421
        assert token not in server.complaints
