"""The page on a server that other machines can reach: with its token, and without a secure context."""

from __future__ import annotations

import socket

import pytest

from tests.ui.browsing import Server
from tests.ui.web.conftest import DESK

GAMES = "\n\n".join(f'[White "A{number}"]\n[Black "B"]\n\n1. e4 e5 *' for number in range(3))


def address_of_this_machine() -> str | None:
    """An address that is not the loopback's; None if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        return str(probe.getsockname()[0])


@pytest.mark.skipif(address_of_this_machine() is None, reason="this machine has no network")
def test_the_page_works_with_a_token(chromium):
    address = address_of_this_machine()
    server = Server(options=("--host", str(address)))
    try:
        assert "token=" in server.address
        chromium.visit(server.address, DESK)
        chromium.wait(lambda: chromium.text("#version"), "the connection")
        assert chromium.script("return window.isSecureContext") is False
        chromium.go("analyse")
        chromium.find("#lines .score")
        chromium.drop("games.pgn", GAMES)
        chromium.wait(lambda: chromium.text("#games-count") == "3 games", "the games")
        assert chromium.script("return document.getElementById('games-own').hidden")
        chromium.find("#games-file")  # the file is stored
        chromium.driver.refresh()
        chromium.wait(lambda: chromium.text("#game-number") == "1 of 3", "the file after a reload")
        chromium.click("#analyse-more summary")
        chromium.click("#analyse-share")
        chromium.click("label:has([name=share][value=game])")
        link = chromium.wait(lambda: "#pgn=" in (text := chromium.value("#share-link")) and text, "a link")
        assert "token" not in link
        # Without HTTPS a browser notes that it ignores this header; that is no fault of the page.
        assert [text for text in chromium.complaints() if "Cross-Origin-Opener-Policy" not in text] == []
    finally:
        chromium.driver.get("about:blank")
        server.stop()
