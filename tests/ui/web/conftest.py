"""A server and a real browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.browsing import Page, Server

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
