"""Nothing is lost: the page in a real browser after a reload, a closed tab, a restarted server, beside another tab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.browsing import Keys, Page, Server
from tests.ui.web.conftest import DESK

ITALIAN = "1. e4 e5 2. Nf3 Nc6 3. Bc4 {The Italian} Bc5 (3... Nf6 4. d3) *"
FRENCH = "1. e4 e6 2. d4 d5 *"


def load(page: Page, pgn: str, moves: int) -> None:
    page.drop("game.pgn", pgn)
    page.wait(lambda: len(page.moves("analyse")) == moves, "the game")
    page.script("document.activeElement.blur()")


@pytest.fixture
def quiet(page: Page) -> Iterator[Page]:
    """The analysis board with the engine off; tabs that a test opens are closed afterwards."""
    page.go("analyse")
    page.click("#engine-on")
    first = page.driver.current_window_handle
    yield page
    for handle in page.driver.window_handles:
        if handle != first:
            page.driver.switch_to.window(handle)
            page.driver.close()
    page.driver.switch_to.window(first)


def open_tab(page: Page, address: str, duplicate: bool = False) -> None:
    """Open another tab; a duplicate has the session storage of the one it comes from."""
    if duplicate:
        before = set(page.driver.window_handles)
        page.script("window.open(location.href, '_blank', 'opener')")
        new = page.wait(lambda: set(page.driver.window_handles) - before, "another tab").pop()
        page.driver.switch_to.window(new)
    else:
        page.driver.switch_to.new_window("tab")
        page.driver.get(address)
    page.wait(lambda: page.script("return document.documentElement.dataset.theme"), "the page to start")


def test_analysis_survives_a_reload(quiet):
    load(quiet, ITALIAN, 6)
    for _ in range(5):
        quiet.press(Keys.ARROW_RIGHT)
    quiet.press("f")
    before = quiet.copied("#analyse-copy-pgn")
    quiet.driver.refresh()
    quiet.wait(lambda: quiet.current() == "Bc4", "the move that was shown")
    assert quiet.value("#note") == "The Italian"
    assert not quiet.script("return document.getElementById('engine-on').checked")
    assert quiet.script("return document.querySelector('#analyse-board .square').dataset.square") == "h1"
    assert quiet.copied("#analyse-copy-pgn") == before


def test_an_edit_just_before_a_reload_is_kept(quiet):
    load(quiet, FRENCH, 4)
    quiet.press(Keys.ARROW_RIGHT)
    quiet.press(Keys.DELETE)
    quiet.driver.refresh()
    quiet.find("#analyse-moves .empty")


def test_two_tabs_do_not_overwrite_each_other(quiet, server):
    load(quiet, ITALIAN, 6)
    first = quiet.driver.current_window_handle
    open_tab(quiet, f"{server.address}#analyse")
    quiet.find("#analyse-moves .empty")
    load(quiet, FRENCH, 4)
    second = quiet.driver.current_window_handle
    for handle, moves in ((first, 6), (second, 4), (first, 6)):
        quiet.driver.switch_to.window(handle)
        quiet.driver.refresh()
        quiet.wait(lambda moves=moves: len(quiet.moves("analyse")) == moves, f"{moves} moves")


def test_a_duplicated_tab_has_a_copy(quiet, server):
    load(quiet, ITALIAN, 6)
    first = quiet.driver.current_window_handle
    open_tab(quiet, server.address, duplicate=True)
    quiet.wait(lambda: len(quiet.moves("analyse")) == 6, "the copy")
    load(quiet, FRENCH, 4)
    quiet.driver.switch_to.window(first)
    quiet.driver.refresh()
    quiet.wait(lambda: len(quiet.moves("analyse")) == 6, "the first tab's own game")


def test_a_closed_tab_comes_back(quiet, server):
    other = quiet.driver.current_window_handle
    open_tab(quiet, f"{server.address}#analyse")
    load(quiet, ITALIAN, 6)
    quiet.driver.close()
    quiet.driver.switch_to.window(other)
    open_tab(quiet, server.address)
    quiet.wait(lambda: len(quiet.moves("analyse")) == 6, "the game of the closed tab")
    assert quiet.script("return document.getElementById('view-analyse').hidden") is False


def test_the_game_played_last_does_not_replace_an_analysis(quiet):
    load(quiet, ITALIAN, 6)
    quiet.go("play")
    quiet.new_game()
    quiet.move_by_clicks("d2", "d4")
    quiet.wait_for_moves(2)
    quiet.driver.refresh()
    quiet.wait_for_moves(2)
    quiet.go("analyse")
    quiet.wait(lambda: len(quiet.moves("analyse")) == 6, "the analysis")


def test_analysis_survives_a_restart_of_the_server(chromium):
    first = Server()
    chromium.visit(first.address, DESK)
    chromium.go("analyse")
    load(chromium, ITALIAN, 6)
    first.stop()
    chromium.find("#banner")
    chromium.move_by_clicks("a2", "a3")  # the board needs no server
    second = Server(first.port)
    try:
        chromium.wait(lambda: chromium.script("return document.getElementById('banner').hidden"), "the connection")
        assert chromium.current() == "a3"
        chromium.find("#lines .score")
        chromium.driver.refresh()
        chromium.wait(lambda: chromium.current() == "a3", "the analysis")
        assert [text for text in chromium.complaints() if "ERR_CONNECTION_REFUSED" not in text] == []
    finally:
        chromium.driver.get("about:blank")
        second.stop()


BLOCKED = """for (const name of ["localStorage", "sessionStorage", "indexedDB"]) Object.defineProperty(window, name, {
    get() { throw new DOMException("blocked", "SecurityError"); }});"""


@pytest.fixture
def blocked(chromium: Page, server: Server) -> Iterator[Page]:
    """The page in a browser that refuses it all storage."""
    chromium.visit(server.address, DESK)
    add, remove = (f"Page.{verb}ScriptToEvaluateOnNewDocument" for verb in ("add", "remove"))
    script = chromium.driver.execute_cdp_cmd(add, {"source": BLOCKED})
    chromium.driver.refresh()
    yield chromium
    chromium.driver.execute_cdp_cmd(remove, script)
    assert chromium.complaints() == []


def test_the_page_works_without_storage_and_says_so_once(blocked):
    blocked.wait(lambda: "blocks storage" in blocked.text("#toast"), "the notice")
    blocked.new_game()
    blocked.move_by_clicks("d2", "d4")
    blocked.wait_for_moves(2)
    blocked.script("document.getElementById('toast').textContent = ''")
    blocked.go("analyse")
    load(blocked, ITALIAN, 6)
    blocked.drop("games.pgn", f'[White "A"]\n\n{ITALIAN}\n\n[White "B"]\n\n{FRENCH}')
    blocked.wait(lambda: blocked.text("#games-count") == "2 games", "the games")
    blocked.go("play")
    assert len(blocked.moves()) == 2
    assert "storage" not in blocked.text("#toast") and "keep" not in blocked.text("#toast")


def test_two_tabs_play_two_games(quiet, server):
    quiet.go("play")
    quiet.new_game()
    quiet.move_by_clicks("d2", "d4")
    quiet.wait_for_moves(2)
    first = quiet.driver.current_window_handle
    open_tab(quiet, f"{server.address}#play")
    quiet.new_game(side="black")
    quiet.wait_for_moves(1)
    second = quiet.driver.current_window_handle
    quiet.driver.switch_to.window(first)
    quiet.move_by_clicks("c2", "c4")
    assert [quiet.wait_for_moves(4)[ply] for ply in (0, 2)] == ["d4", "c4"]
    quiet.driver.switch_to.window(second)
    quiet.driver.refresh()
    quiet.wait_for_moves(1)
    assert len(quiet.moves()) == 1
    assert quiet.text("#player-bottom .who").startswith("You")
    quiet.move_by_clicks("a7", "a6")
    assert quiet.wait_for_moves(3)[1] == "a6"


def test_a_game_with_clocks_goes_on_after_a_restart_of_the_server(chromium):
    first = Server()
    chromium.visit(first.address, DESK)
    chromium.choose("#new-clock", "10+5")
    chromium.new_game()
    chromium.move_by_clicks("e2", "e4")
    chromium.wait_for_moves(2)
    first.stop()
    chromium.find("#banner")
    assert chromium.script("return document.getElementById('play-resign').disabled")
    before = chromium.text("#player-bottom .clock")
    second = Server(first.port)
    try:
        chromium.wait(lambda: chromium.script("return document.getElementById('banner').hidden"), "the connection")
        chromium.move_by_clicks("d2", "d4")
        moves = chromium.wait_for_moves(4)
        assert [moves[ply] for ply in (0, 2)] == ["e4", "d4"]
        assert before.startswith("10:0") and chromium.text("#player-bottom .clock").startswith(("10:0", "9:5"))
        assert [text for text in chromium.complaints() if "ERR_CONNECTION_REFUSED" not in text] == []
    finally:
        chromium.driver.get("about:blank")
        second.stop()


def test_a_move_made_while_the_server_is_down_is_not_lost_from_the_board(chromium):
    """The engine was to move when the server stopped: it moves after the restart."""
    first = Server()
    chromium.visit(first.address, DESK)
    chromium.new_game(level=13)
    chromium.move_by_clicks("e2", "e4")
    chromium.wait(chromium.moves, "the move")
    first.process.kill()
    first.stop()
    chromium.find("#banner")
    second = Server(first.port)
    try:
        assert chromium.wait_for_moves(2)[0] == "e4"
    finally:
        chromium.driver.get("about:blank")
        second.stop()
    chromium.complaints()


def test_loading_another_game_can_be_undone(quiet):
    load(quiet, ITALIAN, 6)
    load(quiet, FRENCH, 4)
    quiet.click_hidden("#analyse-new")
    quiet.find("#analyse-moves .empty")
    for moves in (4, 6):
        quiet.keys("ctrl", "z")
        quiet.wait(lambda moves=moves: len(quiet.moves("analyse")) == moves, f"{moves} moves")


def test_a_damaged_state_does_not_keep_the_page_from_starting(quiet):
    load(quiet, ITALIAN, 6)
    quiet.script("""for (const key of Object.keys(localStorage)) if (key.endsWith(".study")) {
        localStorage.setItem(key, '{"pgn": 5, "steps": "x"}');
      }""")
    quiet.driver.refresh()
    quiet.find("#analyse-moves .empty")
    quiet.move_by_clicks("e2", "e4")
    assert quiet.current() == "e4"
