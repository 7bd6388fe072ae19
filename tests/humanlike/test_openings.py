"""What beginners like in openings: queens, f7, copies; and what they do not."""

from __future__ import annotations

import pytest

from engine.core.game import Game
from engine.humanlike.intuition import Intuition
from engine.humanlike.openings import beginners_ideas, is_opening


def priors(share: float, moves: str, fen: str | None = None) -> dict[str, float]:
    game = Game(moves=moves.split()) if fen is None else Game(fen, moves=moves.split())
    ideas = beginners_ideas(game, Intuition().weigh(game.position), share)
    assert sum(idea.prior for idea in ideas) == pytest.approx(1)
    assert [idea.prior for idea in ideas] == sorted((idea.prior for idea in ideas), reverse=True)
    return {game.uci(idea.move): idea.prior for idea in ideas}


@pytest.mark.parametrize(("moves", "liked", "master"), [
    ("e2e4 e7e5", "d1h5", "g1f3"),  # the queen
    ("e2e4 e7e5 g1f3 g8f6", "f3g5", "f3e5"),  # aims at f7, across the middle
    ("e2e4 d7d5 e4d5", "d8d5", "g8f6"),
    ("d2d4 d7d5 c1f4", "c8f5", "g8f6"),  # a copy
])
def test_beginners_like_what_masters_avoid(moves, liked, master):
    before, after = priors(0, moves), priors(1, moves)
    assert after[liked] / after[master] > 2 * before[liked] / before[master]


def test_kings_and_rooks_stay_and_rook_pawns_mostly():
    """They lose against an indifferent move, beyond what flatter priors do, which are square roots."""
    before, after = priors(0, "e2e4 e7e5 a2a4 g8f6"), priors(1, "e2e4 e7e5 a2a4 g8f6")
    for avoided in ("e1e2", "a1a3", "h2h4"):
        assert after[avoided] / after["b2b3"] < 0.5 * (before[avoided] / before["b2b3"]) ** 0.5
    assert after["e1e2"] < 1e-4


def test_in_check_there_is_no_time_for_likings():
    moves = "e2e4 e7e5 d1h5 b8c6 h5f7"
    assert list(priors(1, moves)) == ["e8f7"]
    checked = "e2e4 f7f5 d1h5"
    assert list(priors(0, checked)) == list(priors(1, checked))


def test_black_sees_the_board_from_the_other_side():
    """The same position with colours exchanged has the same priors."""
    white = priors(0.5, "", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    black = priors(0.5, "", "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/2N5/PPPP1PPP/R1BQKBNR b KQkq - 2 3")
    flipped = {f"{move[0]}{9 - int(move[1])}{move[2]}{9 - int(move[3])}": prior for move, prior in black.items()}
    assert white == pytest.approx(flipped, abs=1e-4)


@pytest.mark.parametrize(("fen", "expected"), [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", True),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 9", False),
    ("4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1", False),  # the number of the move says nothing in a study
])
def test_an_opening_has_few_moves_and_many_pieces(fen, expected):
    assert is_opening(Game(fen)) == expected
