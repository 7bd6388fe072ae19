"""The worth of a piece, compared with the evaluations of positions with and without it."""

from __future__ import annotations

import chess
import pytest

from engine.core.bits import KING
from engine.core.fen import parse_fen
from engine.core.game import Game
from eval.evaluate import evaluate_entry
from eval.evaluator import Evaluator, built_in_evaluator, features_evaluator
from eval.network.file import Shape
from eval.network.memory import LoadedNetwork
from eval.piece_worth import PieceWorth, StaticEvaluator, piece_worths
from tests.eval.network import reference

# Both sides keep pawns whichever piece is removed: no bare kings, and nothing is scaled down.
FENS = (chess.STARTING_FEN, "r1bqk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R b KQkq - 0 7",
        "8/pp3pk1/3r2p1/8/3N4/6P1/PP3PK1/8 w - - 3 30", "rnbqkb1r/ppp2ppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 4")
RANDOM = reference.random_network(8, Shape(128, (8, 16), reference.QUARTERS))
BY_RANDOM = Evaluator(features_evaluator().weights, LoadedNetwork(RANDOM))


def without(board: chess.Board, square: int) -> chess.Board:
    rest = board.copy(stack=False)
    rest.remove_piece_at(square)
    rest.ep_square = None
    return rest


@pytest.mark.parametrize("fen", FENS)
def test_the_worth_is_the_networks_difference_without_the_piece(fen):
    board, rows = chess.Board(fen), piece_worths(parse_fen(fen), BY_RANDOM)
    assert {row.square for row in rows} == {*board.piece_map()} - {board.king(chess.WHITE), board.king(chess.BLACK)}
    whole = reference.score(board, RANDOM)
    for row in rows:
        difference = whole - reference.score(without(board, row.square), RANDOM)
        is_own = board.color_at(row.square) == board.turn
        assert row.worth == (difference if is_own else -difference), chess.square_name(row.square)


@pytest.mark.parametrize("fen", FENS)
def test_the_worth_is_the_features_difference_without_the_piece(fen):
    board, whole, seen = chess.Board(fen), evaluate_entry(parse_fen(fen), features_evaluator().weights), 0
    for row in piece_worths(parse_fen(fen), features_evaluator()):
        rest = without(board, row.square)
        assert row.worth == row.features_worth
        if rest.was_into_check():
            continue  # cannot be written as a FEN
        difference = whole - evaluate_entry(parse_fen(rest.fen()), features_evaluator().weights)
        assert row.worth == (difference if board.color_at(row.square) == board.turn else -difference)
        seen += 1
    assert seen >= 10


def test_every_piece_has_a_positive_worth():
    for row in piece_worths(Game().position, built_in_evaluator()):
        assert row.worth > 0 and row.features_worth > 0
    for evaluation in (built_in_evaluator(), features_evaluator()):
        rows = piece_worths(Game().position, evaluation)
        mean = {piece_type: _mean(rows, piece_type) for piece_type in (1, 2, 3, 4, 5)}
        assert mean[1] < mean[2] < mean[4] < mean[5] and mean[1] < mean[3] < mean[4]


def _mean(rows: list[PieceWorth], piece_type: int) -> float:
    worths = [row.worth for row in rows if row.piece & 7 == piece_type]
    return sum(worths) / len(worths)


def test_the_position_is_unchanged():
    position = parse_fen(FENS[1])
    before, evaluator = position.tobytes(), StaticEvaluator(BY_RANDOM)
    first = evaluator.score(position)
    piece_worths(position, BY_RANDOM)
    assert position.tobytes() == before
    assert evaluator.score(parse_fen(FENS[2])) == reference.score(chess.Board(FENS[2]), RANDOM)
    assert evaluator.score(position) == first == reference.score(chess.Board(FENS[1]), RANDOM)


def test_the_last_piece_may_be_removed():
    """What is left are bare kings, which the features evaluate."""
    (row,) = piece_worths(parse_fen("8/8/3k4/8/8/4K3/8/6R1 b - - 0 1"), BY_RANDOM)
    assert row.worth == row.features_worth > 300
    assert all(row.piece & 7 != KING for row in piece_worths(parse_fen(FENS[0]), BY_RANDOM))
