"""What comes to mind: priors of the legal moves, the ideas among them, and carelessness that lasts for a game."""

from __future__ import annotations

import chess
import pytest

from engine.core.game import Game
from engine.humanlike.intuition import HUMAN_POLICY_FILE, Idea, Intuition, list_ideas
from eval.policy.file import read_policy
from tests.positions import CORNERS

DEFENDED_PAWN = "rnbqkbnr/ppp1pppp/8/3p4/8/2N5/PPPPPPPP/R1BQKBNR w KQkq - 0 1"  # Nxd5 loses a knight for a pawn


@pytest.fixture(scope="module")
def intuition():
    return Intuition()


def by_text(intuition: Intuition, fen: str, carelessness: float = 0, seed: int = 0) -> dict[str, Idea]:
    game = Game(fen)
    return {game.uci(idea.move): idea for idea in intuition.weigh(game.position, carelessness, seed)}


@pytest.mark.parametrize("fen", CORNERS)
def test_all_legal_moves_have_a_prior_and_a_kind(intuition, fen):
    board, ideas = chess.Board(fen), by_text(intuition, fen)
    assert set(ideas) == {move.uci() for move in board.legal_moves}
    assert sum(idea.prior for idea in ideas.values()) == pytest.approx(1 if ideas else 0, abs=1e-4)
    assert [idea.prior for idea in ideas.values()] == sorted((idea.prior for idea in ideas.values()), reverse=True)
    for move in board.legal_moves:
        is_check = board.gives_check(move)
        is_odd = move.promotion not in (None, chess.QUEEN) and not (move.promotion == chess.KNIGHT and is_check)
        assert ideas[move.uci()].is_odd == is_odd
        is_forcing, takes = ideas[move.uci()].is_forcing, board.is_capture(move) or move.promotion is not None
        assert not is_forcing or ((is_check or takes) and not is_odd)
        if takes and not is_odd:
            board.push(move)
            is_safe = not board.is_attacked_by(board.turn, move.to_square)
            board.pop()
            assert is_forcing or not is_safe


@pytest.mark.parametrize("fen", CORNERS)
def test_ideas_hold_nearly_all_of_the_prior_and_everything_that_forces(intuition, fen):
    weighed = list(by_text(intuition, fen).values())
    ideas = list_ideas(weighed)
    assert {idea for idea in weighed if idea.is_forcing} <= set(ideas) <= set(weighed)
    assert not any(idea.is_odd for idea in ideas)
    quiet = [idea for idea in ideas if not idea.is_forcing]
    assert len(quiet) <= 12
    left_out = [idea for idea in weighed if idea not in ideas and not idea.is_odd]
    if len(quiet) < 12 and len(weighed) <= 12:
        assert sum(idea.prior for idea in left_out) <= 0.05 + 1e-4
    assert bool(ideas) == bool(weighed)


def test_what_comes_to_mind_first_is_what_people_play(intuition):
    openings = {chess.STARTING_FEN: {"e2e4", "d2d4", "g1f3", "c2c4"}}
    board = chess.Board()
    for text in ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"):
        board.push_uci(text)
    openings[board.fen()] = {"a7a6", "g8f6"}
    for fen, expected in openings.items():
        found = list(by_text(intuition, fen))
        assert found[0] in expected
    game = Game()
    texts = {game.uci(idea.move) for idea in list_ideas(intuition.weigh(game.position))}
    assert not texts & {"b1a3", "g1h3", "f2f3", "h2h4"}


def test_a_capture_that_loses_a_piece_comes_to_a_careless_mind(intuition):
    careful = by_text(intuition, DEFENDED_PAWN)["c3d5"].prior
    seeds = [seed * 0x9E3779B97F4A7C15 % 2**64 for seed in range(200)]
    careless = [by_text(intuition, DEFENDED_PAWN, 400, seed)["c3d5"].prior for seed in seeds]
    fooled = [prior for prior in careless if prior > 1.5 * careful]
    assert 0.04 < len(fooled) / len(careless) < 0.18  # a quarter as often as by a quiet move
    assert careless == [by_text(intuition, DEFENDED_PAWN, 400, seed)["c3d5"].prior for seed in seeds]


def test_the_policy_says_where_it_comes_from():
    policy = read_policy(HUMAN_POLICY_FILE)
    assert policy.provenance["command"].startswith("tune policy ") and policy.provenance["data"]
