"""The report over the games of a file in the page: who one is is asked once, and a proof shows its position."""

from __future__ import annotations

import pytest

from tests.ui.browsing import Page
from tests.ui.visitor import ORIGIN, SOCKET, Visitor, client

# A fork that is missed in two games, three times.
GAME = """[White "Doe, Jane"]
[Black "Roe, R"]
[Result "1-0"]
[FEN "r3k3/5ppp/8/3N4/8/8/5PPP/4K3 w - - 0 1"]

1. Nf4 $4 {[%eval -4.0]} (1. Nc7+ Kd7 2. Nxa8) 1... Rc8 {[%eval -4.0]} REST 1-0

"""
AGAIN = ("2. Nd5 {[%eval -4.0]} Ra8 $4 {[%eval 4.0]} 3. Nf4 $4 {[%eval -4.0]} (3. Nc7+ Kd7 4. Nxa8) "
         "3... Ra7 {[%eval -4.0]}")
GAMES = (GAME.replace("REST", "") + GAME.replace("REST", AGAIN) +
         '[White "Roe, R"]\n[Black "Poe, E"]\n\n1. e4 e5 *\n')


def test_the_players_are_named_and_a_report_made(local_visitor):
    local_visitor.send("report", pgn=GAMES)
    answer = local_visitor.receive("reported")
    assert answer["report"] is None and answer["problem"] == ""
    assert [(player["name"], player["games"]) for player in answer["players"]] == [
        ("Roe, R", 3), ("Doe, Jane", 2), ("Poe, E", 1)]
    local_visitor.send("report", pgn=GAMES, player="jane doe")
    report = local_visitor.receive("reported")["report"]
    assert (report["games"], report["judged"], report["wins"], report["names"]) == (2, 2, 2, ["Doe, Jane"])
    (advice,) = report["advice"]
    assert advice["sentence"].startswith("Practise forks: you missed them 3 times in 2 of 2 games")
    assert {(proof["game"], proof["ply"]) for proof in advice["proofs"]} == {(1, 0), (2, 0), (2, 4)}
    local_visitor.send("report", pgn=GAMES, player="Smith")
    assert "no player 'Smith'" in local_visitor.receive("reported")["problem"]


@pytest.mark.parametrize(("fields", "message"), [
    ({"pgn": ""}, "no game that can be read"), ({}, "pgn must be a string"),
    ({"pgn": "1. e4 *", "player": 5}, "player must be a string")])
def test_bad_requests_get_one_line(local_visitor, fields, message):
    local_visitor.send("report", **fields)
    with pytest.raises(AssertionError, match=message):
        local_visitor.receive("reported")


def test_a_server_that_others_can_reach_makes_none():
    with client() as browser, browser.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        visitor = Visitor(socket)
        visitor.send("report", pgn=GAMES)
        with pytest.raises(AssertionError, match="makes no reports"):
            visitor.receive("reported")


def test_one_says_once_who_one_is_and_a_proof_shows_its_position(page: Page):
    page.go("analyse")
    page.drop("games.pgn", GAMES)
    page.wait(lambda: page.text("#games-count") == "3 games", "the games")
    page.click("#tab-games")
    page.click("#games-report")
    page.wait(lambda: "Which one is you?" in page.text("#report-dialog"), "the question")
    page.choose("#report-player", "Doe, Jane")
    page.wait(lambda: "Practise forks" in page.text("#report-dialog .advice"), "the advice")
    assert "all games2200" in page.text("#report-dialog .report-table")
    page.click("#report-dialog .actions button")
    page.click("#games-report")
    page.wait(lambda: "Doe, Jane: 2 games" in page.text("#report-dialog h2"), "the same player")
    page.click("#report-dialog .advice li button")
    page.wait(lambda: page.current().startswith("Nf4"), "the position")
