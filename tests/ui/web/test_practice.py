"""Practising one's mistakes in a real browser, and the server's judgement of the moves that are tried."""

from __future__ import annotations

import chess
import pytest

from engine.analysis.engine import Engine
from engine.ui.web.practice import practice_verdict
from tests.ui.browsing import Keys, Page

GAME = """[White "Ada"]
[Black "Bela"]
[WhiteAccuracy "80"]
[BlackAccuracy "20"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 $4 {allows mate} (3... g6 4. Qf3 Nf6) 4. Nf3 $4 {misses mate} (4. Qxf7#) 4... Nxh5 1-0
"""
BEFORE_MATE = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"


@pytest.mark.parametrize(("san", "good"), [("g6", True), ("Qe7", True), ("Nf6", False), ("a6", False)])
def test_moves_are_judged_as_annotation_would(san, good):
    board = chess.Board(BEFORE_MATE)
    with Engine(hash=16) as engine:
        verdict = practice_verdict(engine, board, board.parse_san(san))
    assert verdict["good"] is good
    assert ("mate" in verdict["reason"]) is not good
    assert verdict["refutation"].startswith("4.Qxf7#") is not good


@pytest.fixture
def practice(page: Page) -> Page:
    page.go("analyse")
    page.click("#engine-on")
    page.drop("game.pgn", GAME)
    page.wait_for_moves(8, "analyse")
    page.click("#analyse-practise")
    page.find("#practice .question")
    return page


def test_mistakes_are_asked_one_after_the_other(practice):
    assert practice.text("#practice .question") == "Black played 3... Nf6??. Find a better move."
    assert practice.square("a1").location["x"] > practice.square("h1").location["x"]  # Black is below
    assert not practice.script("return document.getElementById('analyse-moves').checkVisibility()")
    assert not practice.find("#analyse-steps [data-step=next]").is_enabled()
    for _ in range(2):
        practice.click("#analyse-steps [data-step=flip]")
    practice.move_by_clicks("g8", "f6")
    practice.wait(lambda: "it allows mate in 1" in practice.text("#practice .wrong"), "the reason")
    assert "g6" not in practice.text("#practice")  # not yet
    practice.move_by_clicks("a7", "a6")
    wrong = "return [...document.querySelectorAll('#practice .wrong')].map((note) => note.textContent)"
    practice.wait(lambda: any("a6" in note and "Qxf7#" in note for note in practice.script(wrong)), "the refutation")
    practice.move_by_clicks("d8", "e7")
    practice.wait(lambda: "Qe7: That is as good" in practice.text("#practice .right"), "the move to be accepted")
    assert practice.text("#practice-count") == "0 found"  # not at the first try
    practice.click("#practice .primary")
    assert practice.text("#practice .question").startswith("White played 4. Nf3??")
    practice.drag("h5", "f7")
    practice.find("#practice .right")
    assert practice.text("#practice-count") == "1 found"
    practice.click("#practice .primary")
    assert practice.text("#practice .question") == "You found 1 of 2 better moves at the first try."
    practice.click("#practice .quiet")
    practice.find("#analyse-moves")
    assert len(practice.moves("analyse")) == 8


def test_the_move_is_shown_and_typed_and_the_side_chosen(practice):
    practice.choose("#practice select", "white")
    assert practice.text("#practice .question").startswith("White played")
    practice.find("#analyse-text").send_keys("Qf3" + Keys.ENTER)
    practice.find("#practice .wrong")
    practice.click("#practice .actions button:first-child")
    practice.wait(lambda: "Qxf7# was better" in practice.text("#practice .notes"), "the solution")


def test_practice_goes_on_after_a_reload_and_a_visit_elsewhere(practice):
    practice.find("#analyse-text").send_keys("g6" + Keys.ENTER)
    practice.find("#practice .right")
    practice.click("#practice .primary")
    practice.find("#analyse-text").send_keys("Qf3" + Keys.ENTER)
    practice.find("#practice .wrong")
    practice.driver.refresh()
    practice.wait(lambda: practice.text("#practice .question").startswith("White played 4. Nf3??"), "the question")
    assert practice.text("#practice-count") == "1 found"
    practice.go("watch")
    practice.go("analyse")
    practice.wait(lambda: practice.text("#practice .question").startswith("White played 4. Nf3??"), "the question")
    practice.move_by_clicks("h5", "f7")
    practice.find("#practice .right")
    assert practice.text("#practice-count") == "1 found"  # the first try was before the reload
    practice.click("#practice .primary")
    practice.click("#practice .quiet")
    practice.find("#analyse-moves")
    practice.driver.refresh()
    practice.wait_for_moves(8, "analyse")
    practice.wait(lambda: practice.text("#version"), "the connection")
    assert not practice.script("return document.getElementById('practice').checkVisibility()")


def test_practice_fills_a_laptop(laptop):
    laptop.drop("game.pgn", GAME)
    laptop.wait_for_moves(8, "analyse")
    laptop.click("#analyse-practise")
    laptop.find("#practice .question")
    left, right = laptop.script("const board = document.querySelector('#analyse-board').getBoundingClientRect();"
                                "const panel = document.querySelector('#view-analyse .middle').getBoundingClientRect();"
                                "return [board.left, innerWidth - panel.right]")
    assert 0 <= left < 100 and 0 <= right < 100


def test_a_game_without_annotation_is_not_practised(page):
    page.drop("game.pgn", "1. e4 e5 *")
    page.wait_for_moves(2, "analyse")
    page.click("#analyse-practise")
    page.wait(lambda: "Annotate the game first" in page.text("#toast"), "a message")
