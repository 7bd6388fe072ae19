"""The page in a real browser: played, analysed with and watched as a person does it."""

from __future__ import annotations

import io
import random
import re
import statistics

import chess
import chess.pgn
import pytest

from tests.ui.browsing import Keys, Page, Server
from tests.ui.web.conftest import DESK, PHONE

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"  # 1. Ra7 Kg8 2. Rb8#, and Black has no choice
MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"
LONE_PAWN = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
SCHOLAR = """[White "Pupil"]
[Black "Friend"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0
"""
STRONGEST = 99  # the slider stops where the levels end
KINDS = 5  # of search, at least
MOST_MILLISECONDS = 150
LONGEST_GAME = 300  # moves of a side


def verdict(page: Page) -> str:
    page.find("#verdict")
    return page.text("#verdict-text")


def test_a_game_is_won_by_clicks(page):
    page.new_game(LADDER)
    page.move_by_clicks("a2", "a7")
    assert page.wait_for_moves(2) == ["Ra7", "Kg8"]
    page.move_by_clicks("b1", "b8")
    assert verdict(page) == "You won: checkmate."
    assert page.moves() == ["Ra7", "Kg8", "Rb8#"]


def test_a_game_is_won_with_the_keyboard_alone(page):
    page.new_game(LADDER)
    page.move_by_keys("a2", "a7")
    page.wait_for_moves(2)
    assert page.text("#voice") == "Adversary: king g8"
    page.move_by_keys("b1", "b8")
    assert verdict(page) == "You won: checkmate."


def test_a_pawn_becomes_what_is_chosen(page):
    page.new_game(LONE_PAWN)
    page.drag("a7", "a8")
    page.click("[data-promote=n]")
    assert page.wait_for_moves(1)[0] == "a8=N"


def test_a_promotion_can_be_called_off(page):
    page.new_game(LONE_PAWN)
    page.move_by_clicks("a7", "a8")
    page.find("[data-promote=q]")
    page.press(Keys.ESCAPE)
    page.wait(lambda: "movable" in page.square("a7").get_attribute("class"), "the pawn to be free again")
    assert page.moves() == []


def test_moves_are_typed_and_taken_back(page):
    page.new_game()
    field = page.find("#play-text")
    field.send_keys("castle" + Keys.ENTER)
    assert "not a legal move" in page.text("#play-info")
    field.clear()
    field.send_keys("nf3" + Keys.ENTER)
    assert page.wait_for_moves(2)[0] == "Nf3"
    page.click("#play-takeback")
    page.wait(lambda: page.moves() == [], "an empty list")
    page.move_by_clicks("e2", "e4")
    assert page.wait_for_moves(2)[0] == "e4"


def test_the_first_move_on_the_board_begins_a_game(page):
    page.move_by_clicks("g1", "f3")
    page.find("#play-panel")
    assert page.wait_for_moves(2)[0] == "Nf3"


def test_a_hint_is_given(page):
    page.new_game(LADDER)
    page.click("#play-hint")
    page.find(".arrow.hint")
    assert re.fullmatch(r"Hint: \S+\. [A-Z].*\.", page.text("#play-info"))


def test_giving_up_takes_two_clicks(page):
    page.new_game(side="black")
    page.wait_for_moves(1)
    page.click("#play-resign")
    assert page.text("#play-resign") == "Really resign?"
    page.click("#play-resign")
    assert verdict(page) == "Adversary won: you resigned."


def test_a_game_is_saved_as_pgn_with_its_clocks(page):
    page.choose("#new-clock", "10+5")
    page.new_game()
    page.move_by_clicks("d2", "d4")
    moves = page.wait_for_moves(2)
    for _ in range(2):
        page.click("#play-resign")
    verdict(page)
    record = chess.pgn.read_game(io.StringIO(page.downloaded("#play-save")))
    assert record is not None and not record.errors
    assert [node.san() for node in record.mainline()] == moves
    assert all(595 < node.clock() <= 605 for node in record.mainline())
    assert record.end().comment.endswith("White resigned")
    tags = {"White": "You", "WhiteType": "human", "BlackType": "program", "TimeControl": "600+5", "Result": "0-1"}
    assert tags.items() <= dict(record.headers).items()


def test_a_game_survives_a_reload(page):
    page.new_game()
    page.move_by_clicks("d2", "d4")
    before = page.wait_for_moves(2)
    page.driver.refresh()
    assert page.wait_for_moves(2) == before
    page.move_by_clicks("a2", "a3")
    assert page.wait_for_moves(4)[2] == "a3"


def test_a_game_survives_a_restart_of_the_server(chromium):
    first, page = Server(), chromium
    page.visit(first.address, DESK)
    page.new_game()
    page.move_by_clicks("d2", "d4")
    before = page.wait_for_moves(2)
    first.stop()
    page.find("#banner")
    second = Server(first.port)
    try:
        page.wait(lambda: page.script("return document.getElementById('banner').hidden"), "the connection")
        page.move_by_clicks("a2", "a3")
        assert page.wait_for_moves(4)[:3] == [*before, "a3"]
        # While the server is away the browser itself notes each attempt; the page has nothing to do with it.
        assert [text for text in page.complaints() if "ERR_CONNECTION_REFUSED" not in text] == []
    finally:
        page.driver.get("about:blank")
        second.stop()


def test_analysis_starts_and_stops(page):
    page.go("analyse")
    page.find("#lines .score")
    page.find(".arrow.best")
    page.wait(lambda: "depth" in page.text("#engine-effort"), "a depth")
    page.click("#engine-on")
    page.wait(lambda: page.text("#lines") == "The engine is off.", "the engine to rest")
    assert page.script("return document.querySelectorAll('#analyse-board .arrow').length") == 0
    page.move_by_clicks("e2", "e4")
    assert page.wait_for_moves(1, "analyse") == ["e4"]
    assert page.text("#lines") == "The engine is off."


def test_a_dropped_game_is_annotated(page):
    page.drop("scholar.pgn", SCHOLAR)
    page.find("#view-analyse")
    assert len(page.wait_for_moves(7, "analyse")) == 7
    assert page.text("#analyse-headline") == "Pupil – Friend"
    page.click("#analyse-annotate")
    page.click("#annotate-dialog label:has([value='10000'])")
    page.click("#annotate-dialog .primary")
    page.find("#graph svg")
    assert "Nf6??" in page.moves("analyse")
    page.click(".graph .dot.blunder")
    page.wait(lambda: page.text("#analyse-moves [aria-current]").startswith("Nf6"), "the mistake to be shown")
    assert "Qxf7#" in page.value("#note")
    lines = "return [...document.querySelectorAll('#analyse-moves .line')].map((line) => line.textContent)"
    assert any(line.startswith("3...") for line in page.script(lines))
    page.driver.refresh()
    page.find("#graph svg")
    assert "Nf6??" in page.wait_for_moves(7, "analyse")


def test_searches_think_side_by_side_and_a_tree_is_drawn(page):
    page.go("watch")
    page.choose("#watch-time", "1000")
    page.click("#watch-start")
    states = "return [...document.querySelectorAll('.mode .state')].map((state) => state.textContent)"
    page.wait(lambda: set(page.script(states)) == {"finished"}, "all searches to finish")
    assert len(page.script(states)) >= KINDS
    assert page.script("return document.querySelectorAll('.mode .visits .meter').length") > 0
    empty = page.script("return [...document.querySelectorAll('.mode')].filter((card) => "
                        "!card.querySelector('.visits > *, .iterations > *')).map((card) => card.dataset.mode)")
    assert empty == []
    lines = page.script("return [...document.querySelectorAll('.mode .line')].map((line) => line.textContent)")
    assert all(line.startswith("1.") for line in lines)
    abouts = page.script("return [...document.querySelectorAll('.mode .about')].map((about) => about.textContent)")
    assert all(about.count(".") == 1 and about.endswith(".") for about in abouts)  # one sentence each
    page.click("#tree-draw")
    page.find("#tree svg")
    assert page.script("return document.querySelectorAll('#tree .node.cut').length") > 0
    for drawn in (".max > polygon", ".min > polygon", ".leaf > rect", ".link.skipped", ".stroke", ".link.best"):
        page.find(f"#tree {drawn}")


def test_watch_asks_and_counts(page):
    page.go("watch")
    page.choose("#quiz-topic", "uct")
    page.click("#quiz-choices button")
    page.wait(lambda: "The answer is" in page.text("#quiz-verdict"), "the verdict")
    assert page.text("#quiz-score") in {"0 of 1 right", "1 of 1 right"}
    page.click("#quiz-next")
    page.wait(lambda: page.text("#quiz-verdict") == "", "another question")
    assert page.script("return document.querySelectorAll('#quiz-choices button').length") == 3


def test_everything_fits_a_phone(phone):
    for view in ("play", "analyse", "watch"):
        phone.go(view)
        wide = phone.script("return document.documentElement.scrollWidth")
        assert wide <= PHONE[0], f"{view} is {wide} pixels wide"
        board = phone.script("return document.querySelector('.view:not([hidden]) .board').clientWidth")
        assert board > 0.9 * PHONE[0]
    phone.go("play")
    phone.new_game(LADDER)
    phone.move_by_clicks("a2", "a7")
    phone.wait_for_moves(2)
    phone.move_by_clicks("b1", "b8")
    assert verdict(phone) == "You won: checkmate."


def test_the_page_reads_well_aloud(page):
    nameless = page.script("""
        const named = (element) => element.getAttribute("aria-label") || element.textContent.trim()
          || element.labels?.length || element.title;
        return [...document.querySelectorAll("button, input, select, textarea, summary, [role=gridcell]")]
          .filter((element) => !named(element)).map((element) => element.outerHTML)""")
    assert nameless == []
    assert page.square("e1").get_attribute("aria-label") == "e1, white king"
    assert page.script("return document.querySelectorAll('main, nav, header').length") >= 3


def test_a_move_is_played_ahead(page):
    page.new_game(MIDDLEGAME, level=STRONGEST)
    page.move_by_clicks("a2", "a3")
    page.wait_for_moves(1)
    page.move_by_clicks("h2", "h3")
    page.find(".square.premove[data-square=h3]")
    assert page.wait_for_moves(3)[2] == "h3"


def test_variations_stand_beside_the_game(page):
    page.drop("scholar.pgn", SCHOLAR)
    page.wait_for_moves(7, "analyse")
    page.click("#analyse-moves button[aria-label='queen h5']")
    page.find("#analyse-text").send_keys("g6" + Keys.ENTER)
    page.wait(lambda: "g6" in page.text("#analyse-moves .aside .line"), "the variation")
    assert len(page.moves("analyse")) == 7
    assert page.text("#analyse-moves [aria-current]") == "g6"


@pytest.mark.slow
def test_answers_come_at_once(page, capsys):
    """From the moment a move is made until the answer stands in the list, at the weakest level."""
    page.new_game(MIDDLEGAME)
    times = []
    for san in ("a3", "b3", "h3", "g3", "Re1", "Bd3", "Bg5", "Be3", "cxd5", "Qc2"):
        times.append(page.answer_time(san))
        page.click("#play-takeback")
        page.wait(lambda: page.moves() == [], "an empty list")
    middle, worst = statistics.median(times), max(times)
    with capsys.disabled():
        print(f"\nmove to answer at the page: median {middle:.0f} ms, worst {worst:.0f} ms of {len(times)}")
    assert middle < MOST_MILLISECONDS


@pytest.mark.slow
def test_a_whole_game_by_clicks(page):
    draw = random.Random(5)
    page.new_game(level=2)
    board = chess.Board()
    for _ in range(LONGEST_GAME):
        if page.script("return !document.getElementById('verdict').hidden"):
            break
        captures = [move for move in board.legal_moves if board.is_capture(move)]
        move = draw.choice(captures or list(board.legal_moves))
        count = len(board.move_stack)
        page.move_by_clicks(chess.square_name(move.from_square), chess.square_name(move.to_square))
        if move.promotion:
            page.click(f"[data-promote={chess.piece_symbol(move.promotion)}]")
        page.wait(lambda count=count: len(page.moves()) >= count + 2
                  or page.script("return !document.getElementById('verdict').hidden"), "an answer")
        board = chess.Board()
        for san in page.moves():
            board.push_san(san)
    assert verdict(page)
    assert board.is_game_over(claim_draw=True)
