"""Sessions and their connections: a visitor who leaves frees a session at once, and no address takes them all."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.websockets import WebSocketState

from engine.ui.web import app
from engine.ui.web.app import SessionLimit
from engine.ui.web.engine_pool import EnginePool, ResourceLimits
from engine.ui.web.session import Session
from tests.timing import PATIENCE, eventually

EXPLORE = json.dumps({"type": "explore", "start": None, "chess960": False, "moves": []})


class Connection:
    """The server's end of a connection."""

    application_state = WebSocketState.CONNECTED

    def __init__(self, address: str = "10.0.0.1", *texts: str) -> None:
        self.client = SimpleNamespace(host=address)
        self.responses: list[dict[str, Any]] = []
        self.code: int | None = None
        self.is_read = False
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for text in texts:
            self._incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict[str, Any]:
        self.is_read = True
        return await self._incoming.get()

    async def send_json(self, value: dict[str, Any]) -> None:
        self.responses.append(value)

    async def close(self, code: int = 1000) -> None:
        self.code = code

    def abort(self) -> None:
        """The page is gone."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1006})


@pytest.fixture
def pool():
    made = EnginePool(ResourceLimits(sessions=4, hash=4, threads=1))
    yield made
    made.close()


def run(scene: Callable[[], Any]) -> None:
    async def within_seconds() -> None:
        await asyncio.wait_for(scene(), PATIENCE)

    asyncio.run(within_seconds())


def test_a_session_ends_with_its_connection_whatever_is_still_to_be_answered(pool, monkeypatch):
    begun = []

    async def never(work: Callable[[], Any]) -> None:
        begun.append(work)
        await asyncio.Event().wait()

    async def scene() -> None:
        monkeypatch.setattr(pool, "run_briefly", never)
        connection: Any = Connection("10.0.0.1", *[EXPLORE] * 50)
        session = Session(connection, pool)
        running = asyncio.create_task(session.run())
        await eventually(lambda: begun)
        await asyncio.sleep(0.1)  # the other requests wait for the first
        assert len(begun) == 1 and not running.done()
        connection.abort()
        await running
        await session.close()
        assert len(begun) == 1 and not connection.responses

    run(scene)


def test_work_that_is_queued_is_dropped_with_the_connection(pool):
    async def scene() -> None:
        threads, release = pool._page_threads, threading.Event()
        loop = asyncio.get_running_loop()
        holders = [loop.run_in_executor(threads, release.wait, PATIENCE) for _ in range(threads._max_workers)]
        await eventually(threads._work_queue.empty)
        connection: Any = Connection("10.0.0.1", EXPLORE)
        running = asyncio.create_task(Session(connection, pool).run())
        await eventually(lambda: not threads._work_queue.empty())
        connection.abort()
        await running
        assert not connection.responses
        release.set()
        await asyncio.gather(*holders)

    run(scene)


def test_a_page_that_sends_far_more_than_is_answered_is_disconnected(pool):
    async def scene() -> None:
        connection: Any = Connection("10.0.0.1", *["x"] * 5000)
        await Session(connection, pool).run()
        assert connection.code == 1008

    run(scene)


def _is_answered(connection: Connection) -> bool:
    """Whether it has a session, or was refused one."""
    return connection.is_read or bool(connection.responses)


async def admitted(limit: SessionLimit, *addresses: str) -> list[tuple[Connection, asyncio.Task[None]]]:
    visits = []
    for address in addresses:
        connection: Any = Connection(address)
        visits.append((connection, asyncio.create_task(limit.admit(connection))))
        await eventually(partial(_is_answered, connection))
    return visits


def refusals(visits: list[tuple[Connection, asyncio.Task[None]]]) -> list[str | None]:
    return [connection.responses[0]["text"] if connection.responses else None for connection, _ in visits]


def test_one_address_cannot_take_all_sessions_and_the_last_is_for_newcomers(pool):
    async def scene() -> None:
        limit = SessionLimit(pool)
        visits = await admitted(limit, *["10.0.0.1"] * 4, "10.0.0.2", "10.0.0.3")
        assert refusals(visits) == [None, None, None, "your address has 3 boards already; try again later", None,
                                    "all 4 boards are taken; try again later"]
        visits[4][0].abort()
        visits[0][0].abort()
        await eventually(lambda: len(limit._sessions) == 2)
        visits += await admitted(limit, "10.0.0.2", "10.0.0.2", "10.0.0.3")
        assert refusals(visits[6:]) == [None, "all 4 boards are taken; try again later", None]
        for connection, _ in visits:
            connection.abort()
        await asyncio.gather(*(task for _, task in visits))
        assert not limit._sessions

    run(scene)


def test_a_session_is_free_before_its_jobs_have_ended(pool, monkeypatch):
    async def scene() -> None:
        ended = asyncio.Event()
        monkeypatch.setattr(Session, "close", lambda session: ended.wait())
        limit = SessionLimit(pool)
        visits = await admitted(limit, "10.0.0.1")
        visits[0][0].abort()
        await eventually(lambda: not limit._sessions)
        assert not visits[0][1].done()
        ended.set()
        await visits[0][1]

    run(scene)


def test_an_idle_session_makes_room(pool, monkeypatch):
    async def scene() -> None:
        monkeypatch.setattr(app, "_IDLE_SECONDS", 0.0)
        limit = SessionLimit(pool)
        visits = await admitted(limit, *["10.0.0.1"] * 5)
        assert refusals(visits) == [None] * 5 and [connection.code for connection, _ in visits[:2]] == [1013, 1013]
        for connection, _ in visits:
            connection.abort()
        await asyncio.gather(*(task for _, task in visits))

    run(scene)
