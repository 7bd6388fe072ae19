"""Famous games annotated with the default effort: what must be marked, what must not, and what it costs."""

from __future__ import annotations

import io
from functools import cache

import chess.pgn
import pytest

import engine
from engine.analysis.annotation import annotate
from engine.analysis.review import SearchEffort
from engine.analysis.review_driver import review_game
from tests.analysis import classics

UNMARKED = {
    "opera": ("11...Nbd7", "12...Rd8"),
    "immortal": ("2.f4", "4...b5"),
    "topalov": ("19.Bh3", "22.Nd5"),
    "tartakower": ("51...Rxa4",),
    "century": (),
    "deep blue": (),
    "skill 2": (),
}
MOST_NODES_PER_PLY = 175_000  # on average
MOST_IN_ONE_GAME = 1.1  # times the average: where many marks are in doubt, more moves are searched again


@cache
def annotated(name: str) -> tuple[engine.Annotation, int]:
    """The annotation of a game, and the nodes it took."""
    game = classics.read(name)
    with engine.Engine(hash=16) as adversary:
        review = review_game(adversary, game.board(), list(game.mainline_moves()), SearchEffort())
    return annotate(game, review), review.nodes


def notes_of(name: str) -> dict[str, engine.MoveNote]:
    """The notes of a game by numbered move."""
    found, _ = annotated(name)
    return {f"{note.ply // 2 + 1}{'...' if note.ply % 2 else '.'}{note.san}": note for note in found.notes}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "move"), [(name, move) for name, moves in UNMARKED.items() for move in moves])
def test_what_is_no_mistake_is_not_marked(name, move):
    assert not notes_of(name)[move].mark.startswith("?")


@pytest.mark.slow
def test_what_is_a_mistake_is_marked():
    immortal = notes_of("immortal")
    assert immortal["18.Bd6"].mark in ("?", "??") and immortal["18...Bxg1"].mark in ("?", "??")
    mated = notes_of("opera")["15...Nxd7"]
    assert mated.mark == "?!" and mated.reason == (
        "allows mate in 2 (Black was lost anyway): 16.Qb8+ Nxb8 17.Rd8#")
    for move in ("35.Kg1", "36.Kf1"):
        assert notes_of("century")[move].mark in ("", "?!")


@pytest.mark.slow
def test_sacrifices_are_praised_and_recaptures_are_not():
    assert notes_of("opera")["16.Qb8+"].mark == notes_of("immortal")["22.Qf6+"].mark == "!!"
    assert notes_of("opera")["16.Qb8+"].reason == "sacrifices the queen and mates in 2: 16.Qb8+ Nxb8 17.Rd8#"
    assert notes_of("deep blue")["8.Nxe6"].mark in ("!", "!!")
    for name, move in (("tartakower", "11...Qxe7"), ("deep blue", "9...fxe6"), ("topalov", "26...Kxa5")):
        assert not notes_of(name)[move].mark, move


@pytest.mark.slow
def test_accuracy_tells_who_played_well():
    players = {f"{name}, {side}": accuracy.accuracy for name in UNMARKED for side, accuracy in (
        ("White", annotated(name)[0].white), ("Black", annotated(name)[0].black))}
    for player, accuracy in sorted(players.items(), key=lambda item: -item[1]):
        print(f"{accuracy:5.1f}  {player}")
    # not "topalov": 24.Rxd4 was no better than 24...cxd4, whose refutation is beyond the default effort
    for name in ("opera", "deep blue", "tartakower"):
        assert players[f"{name}, White"] > players[f"{name}, Black"], "the winner"
    assert players["century, Black"] > players["century, White"]
    for player in ("immortal, Black", "skill 2, White"):
        assert players["topalov, White"] > players[player] + 8


@pytest.mark.slow
def test_a_review_keeps_its_budget():
    nodes = {name: annotated(name)[1] for name in UNMARKED}
    plies = {name: len(annotated(name)[0].notes) for name in UNMARKED}
    for name in UNMARKED:
        print(f"{name}: {nodes[name] / 1e6:.1f} million nodes for {plies[name]} plies")
    assert sum(nodes.values()) <= MOST_NODES_PER_PLY * sum(plies.values())
    assert all(nodes[name] <= MOST_IN_ONE_GAME * MOST_NODES_PER_PLY * plies[name] for name in UNMARKED)


def test_a_sacrifice_that_can_be_declined_does_not_claim_mate():
    """Legal's mate: Black loses a pawn by declining, and is mated only if the queen is taken."""
    game = chess.pgn.read_game(io.StringIO("1.e4 e5 2.Nf3 d6 3.Bc4 Bg4 4.Nc3 g6 5.Nxe5 Bxd1 6.Bxf7+ Ke7 7.Nd5# 1-0"))
    with engine.Engine(hash=16) as adversary:
        review = review_game(adversary, game.board(), list(game.mainline_moves()), SearchEffort(nodes=10_000))
    assert annotate(game, review).notes[8].reason == (
        "sacrifices the queen, with mate in 3 if it is taken: 5.Nxe5 Bxd1 6.Bxf7+ Ke7 7.Nd5#")
