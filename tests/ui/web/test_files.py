"""Files of games in a real browser: twenty thousand games, every encoding, and texts that are no games."""

from __future__ import annotations

import random
from dataclasses import dataclass

import chess
import pytest

from tests.ui.browsing import Page

GAMES, MEGABYTES = 20_000, 33
FRAMES = """window.gaps = [];
    let before = performance.now();
    const frame = (now) => { window.gaps.push(now - before); before = now; requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { before = now; requestAnimationFrame(frame); });"""
PREPARE_MANY = """
    const [texts, games] = arguments, parts = Array.from({length: games}, (_, number) => texts[number % texts.length]);
    window.dropped = new DataTransfer();
    window.dropped.items.add(new File(parts, "big.pgn"));"""
DROP_MANY = """
    window.began = performance.now();
    const note = () => {
      const count = document.getElementById("games-count").textContent;
      window.firstRow ??= document.querySelector(".game-row") ? performance.now() - window.began : undefined;
      window.wasReading ||= document.getElementById("reading").checkVisibility();
      window.allRead ??= count.endsWith("games") ? performance.now() - window.began : undefined;
      if (!window.allRead) requestAnimationFrame(note);
    };
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: window.dropped, bubbles: true, cancelable: true}));
    note();"""
DROP_BYTES = """
    const [name, bytes] = arguments, data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));"""


@dataclass(frozen=True)
class Limits:
    """What a person waits for, in seconds."""

    frame: float
    list: float
    reload: float


FREE, BUSY = Limits(frame=0.1, list=3.0, reload=2.0), Limits(frame=0.5, list=9.0, reload=6.0)  # two cores


def random_games() -> list[str]:
    """A hundred games, each long enough for 33 MB in all."""
    draw, texts = random.Random(2), list[str]()
    for number in range(100):
        board, words = chess.Board(), list[str]()
        while len(words) < 80 and not board.is_game_over():
            move = draw.choice(list(board.legal_moves))
            words.append(f"{board.san(move)} {{[%clk 0:0{len(words) % 10}:00]}}")
            board.push(move)
        moves = " ".join(words)
        moves += f" {{{'x' * (1_000_000 * MEGABYTES // GAMES - len(moves) - 90)}}}"
        texts.append(f'[White "Player {number}"]\n[Black "Other"]\n[Result "*"]\n[ECO "A00"]\n[Opening "Random"]\n\n'
                     f"{moves} *\n\n")
    return texts


@pytest.mark.parametrize("limits", [BUSY, pytest.param(FREE, marks=pytest.mark.slow)], ids=["busy", "free"])
def test_twenty_thousand_games_never_stop_the_page(page, capsys, limits):
    page.go("analyse")
    page.click("#engine-on")
    page.script(PREPARE_MANY, random_games(), GAMES)  # making a file of 33 MB is not the page's work
    page.script(FRAMES)
    page.script(DROP_MANY)
    page.wait(lambda: page.text("#games-count") == f"{GAMES} games", "all games")
    first, whole, was_reading = page.script("return [window.firstRow, window.allRead, window.wasReading]")
    gap = max(page.script("return window.gaps"))
    rows = page.script("return document.querySelectorAll('.game-row').length")
    page.find("#games-filter").send_keys("player 42")
    page.wait(lambda: page.text("#games-count") == f"{GAMES // 100} of {GAMES} games", "the filter")
    page.find("#games-file")  # the file is stored
    page.driver.refresh()
    page.wait(lambda: page.text("#games-count") == f"{GAMES} games", "the games after a reload")
    reload = page.script("return performance.now()") / 1000
    with capsys.disabled():
        print(f"\n{GAMES} games: listed after {first / 1000:.2f} s, read after {whole / 1000:.2f} s, at most "
              f"{gap:.0f} ms without a frame; reloaded in {reload:.2f} s")
    assert was_reading
    assert rows < 60
    assert round(gap) <= 1000 * limits.frame
    assert first / 1000 < limits.list
    assert reload < limits.reload


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-8-sig", "utf-16"])
def test_no_letter_is_lost(page, encoding):
    page.go("analyse")
    text = '[White "Müller, Jörg"]\n[Black "Señor Çelik"]\n\n1. e4 {Schön gespielt} e5 *\n'
    page.script(DROP_BYTES, "game.pgn", list(text.encode(encoding)))
    page.wait(lambda: page.text("#analyse-headline") == "Müller, Jörg – Señor Çelik", "the game")
    assert "Schön gespielt" in page.copied("#analyse-copy-pgn")


def test_a_list_in_latin_1_is_read_again_after_a_reload(page):
    page.go("analyse")
    games = "\n\n".join(f'[White "Große {number}"]\n[Black "B"]\n\n1. e4 *' for number in range(3))
    page.script(DROP_BYTES, "games.pgn", list(games.encode("iso-8859-1")))
    page.wait(lambda: page.text("#games-count") == "3 games", "the games")
    page.find("#games-file")  # the file is stored
    page.driver.refresh()
    page.wait(lambda: page.text("#games-count") == "3 games", "the games after a reload")
    assert page.text(".game-row .who") == "Große 0 – B"


def load_text(page: Page, text: str) -> None:
    page.find("#load-text").clear()
    page.find("#load-text").send_keys(text)
    page.click("#load-dialog .primary")


@pytest.mark.parametrize("text", ["hello, is this chess?", "8/8/8/8/8/8/8/8 w - - 0 1", "1. Ke5 Qxz9"])
def test_the_dialog_stays_open_until_something_is_loaded(page, text):
    page.go("analyse")
    page.click("#analyse-load")
    load_text(page, text)
    problem = page.find("#load-problem").text
    assert problem.endswith(".") and "\n" not in problem
    assert page.value("#load-text") == text
    assert page.find("#load-dialog").get_attribute("open")
    load_text(page, "1. e4 e5 2. Nf3 *")
    page.wait(lambda: not page.script("return document.getElementById('load-dialog').open"), "the dialog to close")
    assert page.moves("analyse") == ["e4", "e5", "Nf3"]


def test_a_comment_without_an_end_and_lines_that_pgn_ignores(page):
    page.go("analyse")
    page.drop("odd.pgn", '% {[White "No"]\n[White "A"]\n\n1. e4 ; {not a comment\ne5 {\n[White "inside"]\n} *\n\n'
                         '[White "B"]\n\n1. d4 {open [White "C"]\n[White "D"]\n')
    page.wait(lambda: page.text("#games-count") == "2 games", "the games")
    assert page.moves("analyse") == ["e4", "e5"]
