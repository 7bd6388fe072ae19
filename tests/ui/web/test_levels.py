"""Levels in a real browser: what they are said to do, suggestions of another one, resigning and draw offers."""

from __future__ import annotations

import chess

from engine.ui.level import describe_level, suggestion_text
from tests.ui.browsing import Keys, Page

LEVELS = list(range(400, 2801, 200))  # in the order of the slider
HOPELESS = "4k3/7p/8/8/8/8/8/QR2K3 w - - 0 1"
WALLED = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"  # neither king can pass the pawns
LONG_ENOUGH = 60  # plies before a draw is offered


def give_up(page: Page) -> None:
    for _ in range(2):
        page.click("#play-resign")
    page.find("#verdict")


def new_polite_game(page: Page, level: int, fen: str) -> None:
    """A game at a level that may resign and offer draws."""
    page.wait(lambda: page.text("#version"), "the connection")
    page.click(".more summary")
    page.click("label:has(#new-manners)")
    page.new_game(fen, LEVELS.index(level))


def enter_move(page: Page, san: str) -> None:
    """Types a move and waits for the answer, or for the end of the game."""
    count = len(page.moves())
    page.find("#play-text").send_keys(san + Keys.ENTER)
    page.wait(lambda: len(page.moves()) >= count + 2
              or page.script("return !document.getElementById('verdict').hidden"), f"an answer to {san}")


def walk(page: Page, sans: list[str]) -> None:
    """Types moves, one after each answer, until the game is over or a draw is offered."""
    for san in sans:
        if page.script("return !document.getElementById('verdict').hidden") or "draw" in page.text("#play-info"):
            return
        enter_move(page, san)


def test_a_level_is_described_by_what_it_does(page):
    page.wait(lambda: page.text("#version"), "the connection")
    for level in (600, 1400, 2400):
        page.script("const slider = document.getElementById('new-level'); slider.value = arguments[0];"
                    "slider.dispatchEvent(new Event('input', {bubbles: true}))", LEVELS.index(level))
        page.wait(lambda level=level: describe_level(level).lower() in page.text("#new-game").lower(),
                  f"the words for {level}")


def test_three_losses_in_a_row_suggest_the_level_below(page):
    page.new_game(level=LEVELS.index(1200))
    for number in range(3):
        assert not page.script("return document.getElementById('play-suggested').checkVisibility()")
        give_up(page)
        if number < 2:
            page.click("#play-again")
            page.wait(lambda: page.script("return document.getElementById('verdict').hidden"), "the next game")
    words = suggestion_text(1200, 1000)
    assert page.text("#verdict-advice") == f"{words[0].upper()}{words[1:]}."
    assert page.text("#play-suggested") == "Play level 1000"
    page.click("#play-suggested")
    page.wait(lambda: page.script("return document.getElementById('verdict').hidden"), "the game at the other level")
    assert "1000" in page.text("#view-play")


def test_a_polite_engine_resigns_what_is_hopeless(page):
    new_polite_game(page, 1600, HOPELESS)
    walk(page, ["Kd1", "Kc1", "Kd1", "Kc1"])
    page.find("#verdict")
    assert page.text("#verdict-text") == "You won: Adversary resigned."
    assert len(page.moves()) == 5


def test_a_polite_engine_offers_a_draw_that_can_be_accepted(page):
    """When the page is loaded again, its game has gone on for long: neither side can make progress."""
    new_polite_game(page, 2400, WALLED)
    page.script("""
        const key = Object.keys(localStorage).find((name) => name.endsWith(".game")), store = Storage.prototype.setItem;
        localStorage.setItem(key, JSON.stringify({...JSON.parse(localStorage.getItem(key)), moves: arguments[0]}));
        Storage.prototype.setItem = function (name, text) { if (name !== key) store.call(this, name, text); };""",
                walled_game())
    page.driver.refresh()
    page.wait_for_moves(LONG_ENOUGH)
    # Squares on which the king has stood once: wherever the other king goes, no position comes for the third time.
    walk(page, ["Kc1", "Kd2", "Ke3", "Kf2", "Kg3", "Kf3", "Ke2", "Kd3"])
    page.wait(lambda: page.text("#play-info") == "Adversary offers a draw.", "the offer")
    page.click("#play-draw")
    page.find("#verdict")
    assert page.text("#verdict-text") == "A draw: by agreement."


def walled_game() -> list[dict[str, str]]:
    """The moves of a game, as the page keeps them, in which both kings have walked about behind their pawns."""
    board, moves = chess.Board(WALLED), list[dict[str, str]]()
    tour = "e1 f1 g1 h1 h2 g2 f2 e2 d2 c2 b2 a2 a3 b3 c3 d3 e3 f3 g3 h3 h2 h1 g1 f1 e1 d1 c1 b1 a1 a2 b2".split()
    mirrored = [square[0] + str(9 - int(square[1])) for square in tour]
    for step in range(len(tour) - 1):
        for path in (tour, mirrored):
            move = chess.Move.from_uci(path[step] + path[step + 1])
            san = board.san(move)
            board.push(move)
            moves.append({"san": san, "uci": move.uci(), "fen": board.fen()})
    assert board.is_valid() and not board.is_repetition(3)
    return moves
