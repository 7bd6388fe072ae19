"""Script injection in a real browser: by addresses, file names, stored values and messages of the server."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.ui.browsing import Page, Server
from tests.ui.web.conftest import DESK

MARKUP = '"><img src=x onerror="window.broken = 1"><script>window.broken = 1</script><b>bold</b>'
FEN = f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 {MARKUP}"
VIEWS = ("play", "analyse", "watch")

# Every string of a message from the server becomes markup, except those that the page compares or parses.
SPOIL = """const parse = JSON.parse, kept = /^(type|fen|start|uci|moves|turn|side|result|state|level)$/;
  const spoil = (value, name) => typeof value === "string" && !kept.test(name) ? MARKUP
    : Array.isArray(value) ? value.map((one) => spoil(one, name))
    : value !== null && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoil(one, key)])) : value;
  JSON.parse = (...words) => {
    const value = parse(...words);
    return value !== null && typeof value === "object" && "type" in value ? spoil(value, "") : value;
  };"""


@pytest.fixture
def visitor(server: Server, chromium: Page) -> Iterator[Page]:
    """The page, whose console may hold complaints: hostile values need not be understood."""
    chromium.visit(server.address, DESK)
    yield chromium
    chromium.driver.get("about:blank")
    chromium.complaints()


def is_inert(page: Page) -> bool:
    """Whether no markup became an element, and no script ran."""
    made = page.script("return document.querySelectorAll('body img[src=x], body script, body iframe, main b').length")
    return bool(made == 0 and page.script("return window.broken ?? null") is None)


def starts(page: Page) -> bool:
    """Whether the page has connected, and shows one of its views."""
    page.wait(lambda: page.text("#version"), "the connection")
    shown = "return document.querySelectorAll('.view:not([hidden])').length"
    return bool(page.wait(lambda: page.script(shown) == 1, "a view"))


@pytest.mark.parametrize("rest", [
    f"?name={quote(MARKUP)}", f"?{quote(MARKUP)}", f"#{quote(MARKUP)}", f"#{MARKUP}", f"#fen={quote(FEN)}",
    f"#fen={quote(MARKUP)}", f"#pgn={quote(MARKUP)}", f"#fen=javascript:{quote(MARKUP)}", "#toString", "#__proto__",
    "#constructor", "#main"])
def test_addresses_are_inert(visitor, server, rest):
    visitor.driver.get("about:blank")
    visitor.driver.get(server.address + rest)
    assert starts(visitor)
    assert is_inert(visitor)


def test_names_of_files_are_inert(visitor):
    for number in range(2):
        visitor.drop(f"{MARKUP}{number}.pgn", f'[White "{number}"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *')
        visitor.wait(lambda: len(visitor.moves("analyse")) == 2, "the game")
    visitor.wait(lambda: "<img" in visitor.text("#games-file"), "the name")
    assert is_inert(visitor)
    visitor.driver.refresh()
    assert starts(visitor) and is_inert(visitor)


@pytest.mark.parametrize("value", [MARKUP, f'"{quote(MARKUP)}"', '"toString"', '"__proto__"', "[]", "{}", "1e400",
                                   "null", '{"__proto__": {"broken": 1}, "pgn": "<b>", "fen": "<b>"}'])
def test_stored_values_are_inert(visitor, server, value):
    visitor.go("analyse")
    visitor.drop("game.pgn", "1. e4 e5 *")
    visitor.wait(lambda: len(visitor.moves("analyse")) == 2, "the game")
    visitor.wait(lambda: visitor.script("return localStorage.length") > 1, "stored values")
    visitor.script("""addEventListener("pagehide", () => {
        for (const key of Object.keys(localStorage)) localStorage.setItem(key, arguments[0]);
      });
      for (const key of Object.keys(localStorage)) localStorage.setItem(key, arguments[0]);""", value)
    visitor.driver.get("about:blank")
    visitor.driver.get(server.address)  # without the name of a view, which is stored as well
    assert starts(visitor)
    assert is_inert(visitor) and visitor.script("return ({}).broken ?? null") is None
    for view in VIEWS:
        visitor.go(view)
    assert is_inert(visitor)


def test_messages_of_the_server_are_inert(visitor, server):
    source = SPOIL.replace("MARKUP", repr(MARKUP))
    added = visitor.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        visitor.driver.get("about:blank")
        visitor.driver.get(server.address)
        visitor.wait(lambda: "<img" in visitor.text("#version"), "the connection")
        for view in VIEWS:
            visitor.script("location.hash = arguments[0]", view)
            visitor.find(f"#view-{view}")
            assert is_inert(visitor)
        visitor.drop("game.pgn", "1. e4 e5 *")
        visitor.wait(lambda: len(visitor.moves("analyse")) == 2, "the game")
        visitor.wait(lambda: "<img" in visitor.script("return document.querySelector('main').textContent"), "an answer")
        assert is_inert(visitor)
    finally:
        visitor.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
