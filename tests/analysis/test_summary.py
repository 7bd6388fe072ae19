"""The five sentences after a game, from annotations that are made up and one that is searched."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

import engine
from engine.analysis.accuracy import PlayerAccuracy
from engine.analysis.annotation import Annotation, MoveNote
from engine.analysis.claims import Claim
from engine.analysis.results import Score
from engine.analysis.summary import game_summary
from eval.wdl import Wdl

FORK = Claim("material", "black", chess.STARTING_FEN, ("e7e5",), motif="fork", pieces=("knight",))


def note(ply: int, san: str, centipawns: int, mark: str = "", claim: Claim | None = None, reason: str = "") -> MoveNote:
    return MoveNote(ply, san, Score(centipawns, None, Wdl(0, 0, 0)), mark, reason, (), 0.0, 0, ply % 2 == 0, claim)


def counted(**marks: int) -> PlayerAccuracy:
    player = PlayerAccuracy(games=1)
    for phase, number in marks.items():
        player.counts[phase]["?"] = number
    return player


def test_a_decided_game():
    notes = (note(0, "e4", 20), note(1, "e5", 30), note(2, "Ke2", -350, "??", FORK),
             note(3, "Nf6", -380, "!", None, "hard"), note(4, "d3", -400))
    lines = game_summary(Annotation(notes, counted(opening=1), counted()), chess.Board(), "Ada", "?")
    assert lines == [
        "The game was decided by 2.Ke2??, from +0.30 to -3.50: Black was winning from there to the end.",
        "The best move was 2...Nf6! of Black: hard.",
        "Ada made one mistake, in the opening: it lost or missed material.",
        "Black made no mistake that needs a mark.",
        "Ada should practise tactics, and look before each move at what it leaves unprotected."]


def test_a_game_that_was_never_decided():
    lines = game_summary(Annotation((note(0, "e4", 20), note(1, "e5", 10)), counted(), counted()), chess.Board())
    assert lines[0] == "The game was never decided: neither side was ever clearly better."
    assert lines[1] == "No move of the game was so hard to find that it deserves praise."
    assert lines[4] == "There is nothing that this game says to practise."


def test_an_advantage_that_was_not_kept():
    notes = (note(0, "e4", 250), note(1, "e5", 10))
    assert game_summary(Annotation(notes, counted(), counted()), chess.Board())[0] == (
        "On the board the game was still open at the end: White was closest to winning after 1.e4 (+2.50).")


def test_what_both_sides_should_practise_is_said_once():
    notes = (note(0, "e4", 20), note(1, "e5", 30), note(2, "Ke2", -350, "??", FORK), note(3, "Nf6", 20, "??", FORK))
    lines = game_summary(Annotation(notes, counted(opening=1), counted(opening=1)), chess.Board(), "Ada", "Ada")
    assert lines[4].startswith("White and Black should practise tactics, and look")
    several = Annotation((*notes, note(4, "d3", -400, "?", FORK)), counted(opening=1, middlegame=2), counted())
    assert game_summary(several, chess.Board())[2] == (
        "White made three mistakes, two of them in the middlegame: two lost or missed material.")


def test_a_game_without_moves_and_one_that_black_begins():
    assert game_summary(Annotation((), counted(), counted()), chess.Board()) == []
    board = chess.Board("4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 40")
    only = MoveNote(0, "e5", Score(-900, None, Wdl(0, 0, 0)), "", "", (), 0.0, 0, chess.BLACK)
    lines = game_summary(Annotation((only,), counted(), counted()), board)
    assert lines[0].startswith("The game was decided by 40...e5:")


@pytest.mark.parametrize("moves", ["f3 e5 g4 Qh4#", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"])
def test_the_mate_of_a_short_game_decides_it(moves):
    game = chess.pgn.read_game(io.StringIO(moves))
    assert game is not None
    with engine.Engine(hash=16) as adversary:
        annotation = adversary.annotate(game, nodes=5_000)
    lines = game_summary(annotation, game.board())
    assert len(lines) == 5 and lines[0].startswith("The game was decided by ") and "??" in lines[0]
