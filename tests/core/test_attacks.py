"""Attack functions and line tables against python-chess."""

from __future__ import annotations

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.attacks import BETWEEN, KING_ATTACKS, KNIGHT_ATTACKS, LINE, PAWN_ATTACKS
from engine.core.fen import parse_fen
from tests.kernels import all_attacked, all_attackers, attacks_by_value_entry, slider_attacks
from tests.positions import CORNERS

SQUARES = st.integers(0, 63)


@settings(max_examples=500, deadline=None)
@given(SQUARES, st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1))
def test_sliders(square, first, second):
    for occupied in (first, first & second):  # crowded and sparse
        occupied |= 1 << square  # noqa: PLW2901
        bishop, rook = slider_attacks(square, occupied)
        files, ranks = chess.BB_FILE_ATTACKS[square], chess.BB_RANK_ATTACKS[square]
        assert rook == (files[chess.BB_FILE_MASKS[square] & occupied] | ranks[chess.BB_RANK_MASKS[square] & occupied])
        assert bishop == chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def test_leapers():
    for square in range(64):
        assert KNIGHT_ATTACKS[square] == chess.BB_KNIGHT_ATTACKS[square]
        assert KING_ATTACKS[square] == chess.BB_KING_ATTACKS[square]
        assert PAWN_ATTACKS[0, square] == chess.BB_PAWN_ATTACKS[chess.WHITE][square]
        assert PAWN_ATTACKS[1, square] == chess.BB_PAWN_ATTACKS[chess.BLACK][square]


def test_lines():
    for start in range(64):
        for end in range(64):
            assert BETWEEN[start, end] == chess.between(start, end)
            assert LINE[start, end] == chess.ray(start, end)


def test_attackers():
    for fen in CORNERS:
        board, pos = chess.Board(fen), parse_fen(fen)
        for square in range(64):
            for color in (chess.WHITE, chess.BLACK):
                assert all_attackers(pos, square, 0 if color else 1) == int(board.attackers(color, square))


def test_attacked_squares():
    for fen in CORNERS:
        board, pos = chess.Board(fen), parse_fen(fen)
        for color in (chess.WHITE, chess.BLACK):
            attacked = chess.SquareSet(square for square in range(64) if board.is_attacked_by(color, square))
            assert all_attacked(pos, 0 if color else 1) == int(attacked)


def test_attacks_by_piece_value():
    letter_sets = ("P", "PNB", "PNBR", "PNBRQK")
    for fen in CORNERS:
        board, pos = chess.Board(fen), parse_fen(fen)
        for color in (chess.WHITE, chess.BLACK):
            attackers = [{board.piece_at(by).symbol().upper() for by in board.attackers(color, square)}
                         for square in range(64)]
            expected = tuple(sum(1 << square for square in range(64) if attackers[square] & set(letters))
                             for letters in letter_sets)
            assert attacks_by_value_entry(pos, 0 if color else 1) == expected, fen
