"""Files with many games in a real browser: listed, filtered, stepped through, changed, annotated, saved."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

from tests.ui.browsing import Keys, Page, Server
from tests.ui.web.conftest import DESK

SIX = "\n\n".join(f"""[Event "Match {number}"]
[White "{white}"]
[Black "{black}"]
[Date "2026.0{number}.01"]
[Result "{result}"]

{moves} {result}""" for number, (white, black, result, moves) in enumerate((
    ("Ada", "Bela", "1-0", "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#"),
    ("Cleo", "Ada", "0-1", "1. f3 e5 2. g4 Qh4#"),
    ("Bela", "Cleo", "1/2-1/2", "1. d4 d5 2. c4 e6 3. Nc3 Nf6"),
    ("Dora", "Ada", "*", "1. c4 c5"),
    ("Ada", "Ada <b>", "1-0", "1. Nf3 d5 2. g3"),
    ("Emil", "Cleo", "1-0", "1. e4 c5 2. Nf3 d6"),
), start=1))


@pytest.fixture
def six(page: Page) -> Page:
    """Six games, with the engine off."""
    page.go("analyse")
    page.click("#engine-on")
    page.drop("six.pgn", SIX)
    page.wait(lambda: page.text("#games-count") == "6 games", "six games")
    page.script("document.activeElement.blur()")
    return page


def rows(page: Page) -> list[str]:
    """The players of the listed games."""
    return page.script("return [...document.querySelectorAll('.game-row .who')].map((row) => row.textContent)")


def headers_of(text: str) -> list[dict[str, str]]:
    file, found = io.StringIO(text), []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        found.append({**game.headers, "moves": " ".join(move.uci() for move in game.mainline_moves())})
    return found


def test_six_games_are_listed_and_the_first_is_shown(six):
    assert rows(six) == ["Ada – Bela", "Cleo – Ada", "Bela – Cleo", "Dora – Ada", "Ada – Ada <b>", "Emil – Cleo"]
    assert six.text("#analyse-headline") == "Ada – Bela"
    assert six.text("#game-number") == "1 of 6"
    six.wait(lambda: "Queen's Gambit Declined" in six.text(".game-row[data-number='2'] .opening-name"), "an opening")
    assert six.text(".game-row[data-number='2'] .result") == "½–½"


def test_games_are_filtered_and_stepped_through(six):
    six.find("#games-filter").send_keys("cleo")
    six.wait(lambda: six.text("#games-count") == "3 of 6 games", "the filter")
    six.find("#games-filter").send_keys(Keys.TAB)
    six.click(".game-row[data-number='1']")
    assert six.moves("analyse") == ["f3", "e5", "g4", "Qh4#"]
    six.script("document.activeElement.blur()")
    six.press("n")
    six.wait(lambda: six.text("#game-number") == "3 of 6", "the next game that is listed")
    six.press("n")
    six.wait(lambda: six.text("#game-number") == "6 of 6", "the last game")
    assert not six.find("#game-next").is_enabled()
    six.press("p")
    six.wait(lambda: six.text("#analyse-headline") == "Bela – Cleo", "the game before")


def test_the_arrow_keys_walk_along_the_list(six):
    six.click(".game-row[data-number='0']")
    six.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    six.wait(lambda: six.text("#game-number") == "3 of 6", "the third game")


def test_changes_stay_in_their_game_and_are_saved(six):
    six.press("n")
    six.wait(lambda: six.text("#game-number") == "2 of 6", "the second game")
    six.press(Keys.ARROW_RIGHT)
    six.find("#analyse-text").send_keys("d5" + Keys.ENTER)
    six.click("[data-mark='!?']")
    six.script("document.activeElement.blur()")
    six.press("n")
    six.wait(lambda: six.text("#game-number") == "3 of 6", "the third game")
    six.find("#games-file")  # the file is stored
    six.driver.refresh()
    six.wait(lambda: six.text("#game-number") == "3 of 6", "the file after a reload")
    six.press("p")
    six.wait(lambda: "d5!?" in six.text("#analyse-moves .line"), "the variation")
    text = six.downloaded("#games-save")
    found, before = headers_of(text), headers_of(SIX)
    assert [(game["White"], game["Result"], game["moves"]) for game in found] == [
        (game["White"], game["Result"], game["moves"]) for game in before]
    assert "(1... d5 $5)" in text


def test_all_games_are_annotated(six):
    six.find("#games-filter").send_keys("cleo")
    six.wait(lambda: six.text("#games-count") == "3 of 6 games", "the filter")
    six.click(".game-row[data-number='1']")
    six.click("#analyse-annotate")
    six.click("#annotate-dialog label:has([value=all])")
    six.click("#annotate-dialog label:has([value='10000'])")
    six.click("#annotate-dialog .primary")
    six.wait(lambda: "of 3" in six.text("#progress-words"), "the progress")
    six.wait(lambda: six.text("#toast").startswith("3 games are annotated"), "the end")
    assert "g4??" in six.moves("analyse") and "accuracy" in six.text("#players")
    six.click(".game-row[data-number='5']")
    six.find("#graph svg")
    assert "accuracy" not in six.text("#players"), "all of it is theory: nothing was at stake"


def test_two_files_stay_open(six):
    six.drop("others.pgn", SIX.replace("Ada", "Zoe"))
    six.wait(lambda: rows(six)[0] == "Zoe – Bela", "the other file")
    options = "return [...document.querySelectorAll('#games-file option')].map((option) => option.textContent)"
    six.wait(lambda: six.script(options) == ["others.pgn", "six.pgn"], "both files")
    old = six.script("return document.querySelectorAll('#games-file option')[1].value")
    six.choose("#games-file", old)
    six.wait(lambda: rows(six)[0] == "Ada – Bela", "the first file")


def test_games_played_here_are_a_list(chromium, tmp_path):
    folder = tmp_path / "adversary" / "games"
    folder.mkdir(parents=True)
    (folder / "2026-01-01_10-00-00.pgn").write_text(SIX.split("\n\n[")[0], encoding="utf-8")
    server = Server(data=tmp_path)
    try:
        chromium.visit(server.address, DESK)
        chromium.new_game()
        chromium.move_by_clicks("d2", "d4")
        chromium.wait_for_moves(2)
        chromium.click("#play-resign")
        chromium.click("#play-resign")
        chromium.wait(lambda: len(list(folder.glob("*.pgn"))) == 2, "the game to be saved")
        chromium.go("analyse")
        chromium.click("#tab-games")
        chromium.click("#games-own")
        chromium.wait(lambda: chromium.text("#games-count") == "2 games", "the games")
        assert rows(chromium)[1] == "Ada – Bela"
        assert rows(chromium)[0].startswith("You – Adversary")
        chromium.click("[data-step=next]")
        chromium.click("[data-mark='!']")
        chromium.click("#games-own")
        chromium.wait(lambda: chromium.current() == "" and "d4!" in chromium.text("#analyse-moves"), "the changed game")
        assert chromium.script("return document.querySelectorAll('#games-file option').length") == 1
        assert chromium.complaints() == []
    finally:
        chromium.driver.get("about:blank")
        server.stop()


def test_undo_after_another_file_was_opened_changes_no_other_game(six):
    six.press(Keys.ARROW_RIGHT)
    six.press(Keys.DELETE)
    six.find("#analyse-moves .empty")
    others = SIX.replace("Ada", "Zoe")
    six.drop("others.pgn", others)
    six.wait(lambda: rows(six)[0] == "Zoe – Bela", "the other file")
    six.script("document.activeElement.blur()")
    six.keys("ctrl", "z")
    six.wait(lambda: six.text("#analyse-headline") == "Ada – Bela", "the game of the first file")
    assert six.moves("analyse")[:2] == ["e4", "e5"]
    assert [game["moves"] for game in headers_of(six.downloaded("#games-save"))] == [
        game["moves"] for game in headers_of(others)]
