"""The opening explorer in a real browser, and what the server says about openings."""

from __future__ import annotations

import chess
import chess.pgn
import pytest

from engine.analysis.lookup import book_moves
from engine.ui.web.analysis import explore
from tests.ui.browsing import Page, Server
from tests.ui.web.conftest import DESK

GAMES = "\n\n".join(f'[White "A"]\n[Black "B"]\n[Result "{result}"]\n\n{moves} {result}' for moves, result in (
    ("1. e4 e5 2. Nf3", "1-0"), ("1. e4 e5 2. Nf3", "0-1"), ("1. e4 c5", "1/2-1/2"), ("1. Nf3 e5 2. e4", "1-0"),
    ("1. d4 d5", "1-0"), ('1. e4 {[Event "no"]} (1. d4 d5 2. c4) 1... e5 2. Bc4', "1-0")))
ENDING = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"
ROWS = """return [...document.querySelectorAll('#book tr')].map((row) => [row.querySelector('button').textContent,
    row.querySelector('.wdl')?.getAttribute('aria-label') ?? row.querySelector('.name')?.textContent ?? '',
    row.querySelector('.number').textContent])"""


def test_the_book_is_explored_with_names():
    board = chess.Board()
    found = explore(board)
    assert [move["uci"] for move in found["book"]] == [move.uci() for move, _ in book_moves(board)]
    names = {move["san"]: move["opening"]["name"] for move in found["book"] if move["opening"]}
    assert names["e4"] == "King's Pawn Game" and names["d4"] == "Queen's Pawn Game"
    assert explore(chess.Board.from_chess960_pos(0))["book"] == []


@pytest.fixture
def explorer(page: Page) -> Page:
    page.go("analyse")
    page.click("#engine-on")
    return page


def test_book_moves_are_clicked_without_the_engine(explorer):
    explorer.wait(lambda: ["e4", "King's Pawn Game"] in [row[:2] for row in explorer.script(ROWS)], "the book")
    shares = [float(row[2].strip("% <")) for row in explorer.script(ROWS)]
    assert shares == sorted(shares, reverse=True)
    explorer.click("#book tr:first-child button")
    explorer.wait(lambda: explorer.current() == "e4", "the move")
    explorer.wait(lambda: "c5" in [row[0] for row in explorer.script(ROWS)], "the answers")


def test_results_of_the_loaded_games(explorer):
    explorer.drop("games.pgn", GAMES)
    explorer.wait(lambda: explorer.text("#games-count") == "6 games", "the games")
    explorer.click("#tab-explorer")
    explorer.click("label:has([name=explorer][value=file])")
    explorer.wait(lambda: len(explorer.script(ROWS)) == 3, "three first moves")
    assert explorer.script(ROWS) == [["e4", "White won 2, drawn 1, Black won 1", "4"],
                                     ["Nf3", "White won 1, drawn 0, Black won 0", "1"],
                                     ["d4", "White won 1, drawn 0, Black won 0", "1"]]
    for move in ("e4", "e5"):
        explorer.script("[...document.querySelectorAll('#book button')].find((button) => button.textContent === "
                        "arguments[0]).click()", move)
        explorer.wait(lambda move=move: explorer.current() == move, move)
    assert explorer.script(ROWS) == [["Nf3", "White won 1, drawn 0, Black won 1", "2"],
                                     ["Bc4", "White won 1, drawn 0, Black won 0", "1"]]
    explorer.script("[...document.querySelectorAll('#book button')][0].click()")
    explorer.wait(lambda: "No game" in explorer.text("#book"), "the end of what was played")


def test_transpositions_are_one_position(explorer):
    two = '[Result "0-1"]\n\n1. Nf3 e5 2. e4 d6 0-1', '[Result "1-0"]\n\n1. e4 e5 2. Nf3 d6 1-0'
    explorer.drop("games.pgn", "\n\n".join((GAMES, *two)))
    explorer.wait(lambda: explorer.text("#games-count") == "8 games", "the games")
    explorer.click("#tab-explorer")
    explorer.click("label:has([name=explorer][value=file])")
    explorer.script("document.activeElement.blur()")
    explorer.drop("fen.txt", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2")
    explorer.wait(lambda: explorer.script(ROWS) == [["d6", "White won 1, drawn 0, Black won 1", "2"]], "both orders")


def test_variations_and_games_from_a_position_are_explored(explorer):
    endings = [f'[Result "{result}"]\n[SetUp "1"]\n[FEN "{ENDING}"]\n\n{moves} {result}' for moves, result in (
        ("1. Kd6 Kd8 (1... Kf8 2. e6 (2. Kd7 Kg7) 2... Ke8) 2. e6", "1-0"),
        ("1. Kf5 (1. Kd6) (1. Kz9 Kd8) Kf7", "0-1"))]
    broken = '[Result "1-0"]\n[FEN "8/8/8/8 w - - 0 1"]\n\n1. e4 1-0'
    explorer.drop("games.pgn", "\n\n".join((GAMES, *endings, broken)))
    explorer.wait(lambda: explorer.text("#games-count") == "9 games", "the games")
    explorer.click("#tab-explorer")
    explorer.click("label:has([name=explorer][value=file])")
    explorer.drop("fen.txt", ENDING)
    explorer.wait(lambda: explorer.script(ROWS) == [["Kd6", "White won 1, drawn 0, Black won 0", "1"],
                                                    ["Kf5", "White won 0, drawn 0, Black won 1", "1"]], "both games")
    assert explorer.text("#book tr:first-child .name") == "also in a variation"
    explorer.click_hidden("#book tr:first-child button")
    explorer.wait(lambda: explorer.script(ROWS) == [["Kd8", "White won 1, drawn 0, Black won 0", "1"],
                                                    ["Kf8", "in a variation", ""]], "a move that was not played")
    explorer.click_hidden("#book tr:last-child button")
    explorer.wait(lambda: [row[:2] for row in explorer.script(ROWS)] == [["e6", "in a variation"],
                                                                         ["Kd7", "in a variation"]], "the nested ones")


def test_own_games_are_explored(chromium, tmp_path):
    folder = tmp_path / "adversary" / "games"
    folder.mkdir(parents=True)
    for number, text in enumerate(GAMES.split("\n\n[White")):
        (folder / f"2026-01-0{number + 1}.pgn").write_text(text if number == 0 else f"[White{text}", encoding="utf-8")
    server = Server(data=tmp_path)
    try:
        chromium.visit(server.address, DESK)
        chromium.go("analyse")
        chromium.click("#engine-on")  # whose lines would move the panel while it is clicked
        chromium.click("#explorer-own")
        first = ["e4", "White won 2, drawn 1, Black won 1", "4"]
        chromium.wait(lambda: chromium.script(ROWS)[:1] == [first], "the results")
        assert chromium.complaints() == []
    finally:
        chromium.driver.get("about:blank")
        server.stop()


def test_the_endgame_tables_speak_without_the_engine(explorer):
    explorer.drop("ending.fen", "8/8/8/8/8/4k3/8/4K2R w - - 0 1")
    words = "Endgame tables: White wins: mate in"
    explorer.wait(lambda: explorer.text("#table-verdict").startswith(words), "a verdict")
