"""A server and a real browser for all tests of the page; they are skipped where no Chromium is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.ui.browsing import Page, Server

PHONE, DESK, LAPTOP = (360, 740), (1280, 800), (1366, 768)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    from tests.ui.browsing import Server

    made = Server()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    from tests.ui.browsing import Page

    made = Page(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


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
