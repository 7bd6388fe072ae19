"""Repetition, fifty moves and insufficient material against python-chess."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.game import Game
from tests.kernels import make_null_entry
from tests.positions import CORNERS, legal_texts, reference_board


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CORNERS), st.lists(st.tuples(st.booleans(), st.integers(0, 10_000)), max_size=60))
def test_repetition(fen, choices):
    """Games in which pieces often move back."""
    game, board = Game(fen), reference_board(fen)
    for goes_back, choice in choices:
        moves = legal_texts(board)
        if not moves:
            break
        text = moves[choice % len(moves)]
        if goes_back and len(board.move_stack) >= 2:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
            text = back.uci() if back in board.legal_moves and not board.is_capture(back) else text
        game.push_uci(text)
        board.push_uci(text)
        for times in (2, 3, 4):
            assert (game.repetitions() >= times) == board.is_repetition(times), (board.fen(), times)
        assert game.is_fifty_moves() == (board.halfmove_clock >= 100)


def test_fifty_moves():
    game = Game("4k3/8/8/8/8/8/4R3/4K3 b - - 98 80", moves=["e8d8"])
    assert not game.is_fifty_moves()
    game.push_uci("e1d1")
    assert game.is_fifty_moves()
    assert not Game("3k4/8/8/8/8/8/3pR3/4K3 w - - 99 80", moves=["e2d2"]).is_fifty_moves()


def test_threefold_of_the_starting_position():
    game = Game()
    assert game.repetitions() == 1
    for expected in (2, 3):
        for text in ("b1c3", "b8c6", "c3b1", "c6b8"):
            game.push_uci(text)
        assert game.repetitions() == expected


def test_lost_castling_rights_make_another_position():
    game = Game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", moves=["a1b1", "a8b8", "b1a1", "b8a8"])
    assert game.repetitions() == 1


def test_repetition_detection_stops_at_a_null_move():
    game = Game()
    for text in ("g1f3", "g8f6", "f3g1"):
        game.push_uci(text)
    make_null_entry(game.position)
    make_null_entry(game.position)
    game.push_uci("f6g8")
    assert game.repetitions() == 1


@pytest.mark.parametrize("white", ["", "N", "B", "NN", "BB", "BN", "P", "R", "Q", "b"])
@pytest.mark.parametrize("black", ["", "n", "b", "bb", "p"])
@pytest.mark.parametrize("squares", [(10, 12, 50, 52), (10, 13, 50, 53), (11, 12, 51, 52)])
def test_insufficient_material(white, black, squares):
    board = chess.Board(None)
    board.set_piece_at(chess.A1, chess.Piece.from_symbol("K"))
    board.set_piece_at(chess.H8, chess.Piece.from_symbol("k"))
    for square, letter in zip(squares[:2], white, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    for square, letter in zip(squares[2:], black, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    if not board.is_valid():
        board.turn = not board.turn
    assert Game(board.fen()).is_insufficient_material() == board.is_insufficient_material()
