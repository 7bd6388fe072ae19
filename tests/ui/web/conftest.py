"""A server and a real browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.ui.web.app import make_app
from engine.ui.web.engine_pool import EnginePool, ResourceLimits
from engine.ui.web.security import ServerAddress
from tests.ui.browsing import Page, Server
from tests.ui.visitor import ADDRESS, ORIGIN, PORT, SOCKET, TestClient, Visitor

PHONE, DESK, LAPTOP = (360, 740), (1280, 800), (1366, 768)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    made = Page(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture
def local_visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """A visitor of a server that only this machine's user can reach."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    app = make_app(ServerAddress("127.0.0.1", PORT, None), EnginePool(ResourceLimits(4, 16, 2), tmp_path / "games"))
    with TestClient(app, base_url=ADDRESS) as browser, browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


@pytest.fixture
def solver(tmp_path: Path) -> Iterator[Visitor]:
    """A visitor who trains."""
    pool = EnginePool(ResourceLimits(4, 16, 2), progress_path=tmp_path / "progress.sqlite3")
    app = make_app(ServerAddress("127.0.0.1", PORT, None), pool)
    with TestClient(app, base_url=ADDRESS).websocket_connect(SOCKET, headers=ORIGIN) as socket:
        yield Visitor(socket)


@pytest.fixture
def page(server: Server, chromium: Page) -> Iterator[Page]:
    """The page on a desk, visited for the first time; its console stays empty."""
    chromium.visit(server.address, DESK)
    yield chromium
    assert chromium.complaints() == []


@pytest.fixture
def laptop(server: Server, chromium: Page) -> Iterator[Page]:
    chromium.visit(server.address, LAPTOP)
    yield chromium
    assert chromium.complaints() == []


@pytest.fixture
def phone(server: Server, chromium: Page) -> Iterator[Page]:
    chromium.visit(server.address, PHONE)
    yield chromium
    assert chromium.complaints() == []
