"""Openings on the board: learned from a game, a file or the book, asked, recorded, and only for the local user."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from engine.coach.progress_file import ProgressFile
from engine.coach.schedule import Outcome
from tests.ui.browsing import Page, Server
from tests.ui.visitor import ORIGIN, SOCKET, Visitor, client

SPANISH = "1. e4 e5 2. Nf3 Nc6 (2... Nf6 3. Nxe5) 3. Bb5 {the Spanish} a6 4. Ba4 *\n"


def ask(visitor: Visitor, request: str, **fields) -> dict[str, Any]:
    visitor.send(request, **fields)
    return visitor.receive("asked", "replied")


def test_a_repertoire_is_learned_asked_and_recorded(local_visitor):
    asked = ask(local_visitor, "learn", side="white", title="  my   game ", pgn=SPANISH)
    assert asked["repertoires"] == [{"name": "my game", "side": "white", "positions": 5, "due": 0, "new": 5}]
    assert (asked["question"]["moves"], asked["question"]["start"]) == ([], chess.STARTING_FEN)
    right = ask(local_visitor, "reply", uci="e2e4")
    assert (right["standing"], right["san"], right["question"]["moves"]) == ("right", "e4", ["e2e4", "e7e5"])
    assert (right["question"]["line"], right["question"]["opening"]) == ("1.e4 e5", "King's Pawn Game")
    book = ask(local_visitor, "reply", uci="b1c3")
    assert (book["standing"], book["answers"], book["question"]) == ("in the book", [], None)
    wrong = ask(local_visitor, "reply", uci="d1h5")
    assert (wrong["standing"], wrong["answers"]) == ("wrong", [])
    assert wrong["words"].startswith("the book plays Nf3 ")
    shown = ask(local_visitor, "reply")
    assert (shown["shown"], shown["san"], shown["answers"]) == (True, "Nf3", ["Nf3"])
    assert len(shown["question"]["moves"]) == 4
    outcomes = [answer.outcome for answer in ProgressFile().answers()]
    assert outcomes[0] in (Outcome.AT_ONCE, Outcome.SOLVED)
    assert outcomes[1:] == [Outcome.FAILED]
    (kept,) = ProgressFile().repertoires()
    assert (kept.name, kept.side) == ("my game", "white")
    assert len(ask(local_visitor, "recall")["question"]["moves"]) in (4, 6)  # one that is new


def test_hints_come_in_two_steps_and_count(local_visitor):
    ask(local_visitor, "learn", side="white", title="x", pgn=SPANISH)
    hints = [local_visitor.request("prompt", "prompted") for _ in range(2)]
    assert [(hint["hint"], hint["hinted"]) for hint in hints] == [
        ("the pawn on e2 moves", ["e2"]), ("the move is e4", ["e2", "e4"])]
    ask(local_visitor, "reply", uci="e2e4")
    assert [answer.outcome for answer in ProgressFile().answers()] == [Outcome.WITH_HINTS]
    assert local_visitor.request("prompt", "prompted")["hinted"] == ["g1"]  # of the next move


def test_a_branch_of_the_book_is_learned(local_visitor):
    asked = ask(local_visitor, "learn", side="black", title="French", start=None, moves=["e2e4", "e7e6"])
    assert asked["question"]["moves"] == ["e2e4"]
    reply = ask(local_visitor, "reply", uci="e7e6")
    assert reply["standing"] == "right"
    assert reply["question"]["moves"][:2] == ["e2e4", "e7e6"]
    board = chess.Board()
    for uci in reply["question"]["moves"]:
        assert chess.Move.from_uci(uci) in board.legal_moves
        board.push_uci(uci)
    assert not board.turn


@pytest.mark.parametrize(("name", "fields", "message"), [
    ("learn", {"side": "green", "title": "x", "pgn": SPANISH}, "side must be one of"),
    ("learn", {"side": "white", "title": "x", "pgn": ""}, "contains no games"),
    ("learn", {"side": "white", "title": "x", "pgn": "1. e4 e5 2. Ke3 *"}, "Ke3"),
    ("learn", {"side": "white", "title": "x", "pgn": 5}, "pgn must be a string"),
    ("learn", {"side": "white", "title": "x", "start": "8/8/8/8/8/8/8/K1k5 w - - 0 1"}, "the book does not have"),
    ("reply", {"uci": "e2e4"}, "no position"), ("prompt", {}, "no position"), ("recall", {}, "no repertoires yet")])
def test_bad_requests_get_one_line(local_visitor, name, fields, message):
    local_visitor.send(name, **fields)
    with pytest.raises(AssertionError, match=message):
        local_visitor.receive("asked", "replied")
    assert not ProgressFile().repertoires()


def test_a_server_that_others_can_reach_keeps_nothing():
    with client() as browser, browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        for name in ("learn", "recall", "reply", "prompt"):
            visitor = Visitor(socket)
            visitor.send(name, side="white", title="x", pgn=SPANISH)
            with pytest.raises(AssertionError, match="keeps no repertoires"):
                visitor.receive("asked", "replied")


def test_a_game_becomes_a_repertoire_with_one_click(page: Page, server: Server):
    page.go("analyse")
    page.drop("spanish.pgn", SPANISH)
    page.wait_for_moves(7, "analyse")
    page.click("#tab-explorer")
    page.click("#learn button[value=white]")
    page.wait(lambda: page.text("#practice .question").startswith("The beginning: what does"), "the question")
    page.move_by_clicks("e2", "e4")
    page.wait(lambda: page.text("#practice .question").startswith("1.e4 e5 (King's Pawn Game)"), "the next position")
    page.move_by_clicks("d1", "h5")
    page.wait(lambda: "Qh5 is not in your repertoire: the book plays Nf3" in page.text("#practice .wrong"), "the book")
    page.wait(lambda: "Qh5" in page.text("#practice .wrong .faint"), "the engine's words")
    page.press("h")
    page.wait(lambda: "the knight on g1 moves" in page.text("#practice .notes"), "the first hint")
    page.click("#practice .actions button:first-child")
    page.wait(lambda: "the move is Nf3" in page.text("#practice .notes"), "the second hint")
    assert page.text("#practice .actions button:first-child") == "Show the move"
    assert page.script("return document.querySelectorAll('#analyse-board .arrows .ring').length") == 2
    page.drag("g1", "f3")
    page.wait(lambda: "Nf3 is right" in page.text("#practice .right"), "the move to be accepted")
    assert page.text("#practice-count") == "1 of 2 right"
    page.click("#practice .primary")
    page.wait(lambda: page.text("#practice .question").startswith("1.e4 e5 2.Nf3 N"), "the next position")
    page.click("#practice .actions button:nth-child(2)")
    page.wait(lambda: "is the move of your repertoire" in page.text("#practice .notes"), "the move")
    progress = ProgressFile(server.data / "adversary" / "progress.sqlite3")
    assert [answer.outcome for answer in progress.answers()][-2:] == [Outcome.FAILED, Outcome.FAILED]
    page.click("#practice .quiet")
    page.find("#analyse-moves")
    assert len(page.moves("analyse")) == 7  # the game is as it was
    page.click("#learn-recall")
    page.wait(lambda: "what does your repertoire play for White" in page.text("#practice .question"), "the kept one")
