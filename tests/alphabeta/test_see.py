"""Static exchange evaluation against published values and against exhaustive capture search."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alphabeta.see import SEE_VALUES
from engine.core.game import Game
from engine.core.uci_moves import parse_uci
from tests.alphabeta.kernels import flag_moves, wins_exchange
from tests.positions import CORNERS, DATA, play_both, reference_board

# One line lets a pawn recapture without promoting, though its neighbours count the promotion; one names two knights.
ODD_ONES = {"8/8/8/1k6/6b1/4N3/2p3K1/3n4 w - -"}
UNAMBIGUOUS = {"8/8/1k6/8/8/2N1N3/2p1p1K1/3n4 w - -": "Ncxd1"}

VALUES = {piece_type: int(SEE_VALUES[piece_type]) for piece_type in range(1, 7)}


def exchange_value(board: chess.Board, move: chess.Move) -> int:
    """What `move` wins if each side captures on its target with its cheapest piece, or stops."""
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    gain = VALUES[taken] if taken else 0
    if move.promotion:
        gain += VALUES[move.promotion] - VALUES[chess.PAWN]
    occupied = board.occupied & ~chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
    if board.is_en_passant(move):
        occupied &= ~chess.BB_SQUARES[move.to_square ^ 8]
    moved = move.promotion or board.piece_type_at(move.from_square) or chess.PAWN
    return gain - max(0, best_capture(board, move.to_square, occupied, not board.turn, moved))


def best_capture(board: chess.Board, square: int, occupied: int, side: bool, victim: int) -> int:
    """The best that `side` gets by taking `victim` on `square`, pins left aside as the exchange does."""
    takers = sorted((board.piece_type_at(taker) or chess.PAWN, taker)
                    for taker in attackers(board, square, occupied, side))
    if not takers:
        return 0
    piece_type, taker = takers[0]
    left = occupied & ~chess.BB_SQUARES[taker]
    if piece_type == chess.KING and attackers(board, square, left, not side):
        return 0
    promotion = VALUES[chess.QUEEN] - VALUES[chess.PAWN]
    if piece_type == chess.PAWN and chess.square_rank(square) in (0, 7):
        return VALUES[victim] + promotion - max(0, best_capture(board, square, left, not side, chess.QUEEN))
    return VALUES[victim] - max(0, best_capture(board, square, left, not side, piece_type))


def attackers(board: chess.Board, square: int, occupied: int, side: bool) -> list[int]:
    mask = board.attackers_mask(side, square, occupied) & occupied
    return list(chess.scan_forward(mask))


def check_all_moves(game: Game, board: chess.Board) -> None:
    for move in board.legal_moves:
        if board.is_castling(move):
            continue
        code, value = parse_uci(game.position, board.uci(move)), exchange_value(board, move)
        assert wins_exchange(game.position, code, value), (board.fen(), move, value)
        assert not wins_exchange(game.position, code, value + 1), (board.fen(), move, value)


@pytest.mark.parametrize("fen", CORNERS)
def test_corners(fen):
    check_all_moves(Game(fen), reference_board(fen))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CORNERS), st.lists(st.integers(0, 10_000), max_size=40))
def test_random_games(fen, choices):
    game, board = Game(fen), reference_board(fen)
    for choice in choices:
        if play_both(game, board, choice) is None:
            return
    check_all_moves(game, board)


def test_the_published_suite():
    """The suite counts a pawn 100, minors 300, a rook 500, a queen 900 or more; its sign and size are compared."""
    path = DATA / "tactics" / "see.txt"
    if not path.exists():
        pytest.skip("no test data here")
    for line in filter(str.strip, path.read_text().splitlines()):
        fen, san, value, *_ = (part.strip() for part in line.split(";"))
        if fen in ODD_ONES:
            continue
        board = reference_board(fen + " 0 1" if len(fen.split()) == 4 else fen)
        move = board.parse_san(UNAMBIGUOUS.get(fen, san))
        game = Game(board.fen())
        code = parse_uci(game.position, board.uci(move))
        assert wins_exchange(game.position, code, int(value)), line
        assert not wins_exchange(game.position, code, int(value) + 1), line


def test_flags_of_all_moves_are_their_exchanges():
    """Also where a move opens a line to the square that it goes to, and where a pawn is taken en passant."""
    for fen in (*CORNERS, "4r1k1/8/8/8/4R3/8/8/6K1 w - - 0 1", "6k1/b7/8/2pP4/8/8/5R2/6K1 w - c6 0 1"):
        game = Game(fen)
        moves = np.array([int(move) for move in game.legal_moves()], np.uint16)
        good = np.zeros(len(moves), np.uint8)
        flag_moves(game.position, moves, good)
        assert good.tolist() == [int(wins_exchange(game.position, int(move), 0)) for move in moves], fen
