"""Squares, colours, pieces and bitboards.

A square is 0 (a1) to 63 (h8). A bitboard is a uint64 whose bit s is square s. A piece is `colour * 8 + type`; an empty
square is 0.

The constants are NumPy integers on purpose: Numba types a plain Python int passed to a kernel as a literal and would
compile a copy of the callee for each value, and a uint64 mixed with an int becomes an int64.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline
from engine.kernel.intrinsics import byteswap as byteswap
from engine.kernel.intrinsics import lsb as lsb
from engine.kernel.intrinsics import popcount as popcount

WHITE, BLACK = np.int64(0), np.int64(1)

NO_PIECE = np.int64(0)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = (np.int64(piece_type) for piece_type in range(1, 7))
PIECE_LETTERS = " PNBRQK  pnbrqk "  # [piece]

NO_SQUARE = np.int64(64)

EMPTY = np.uint64(0)
BIT = np.uint64(1)  # `BIT << square` is the bitboard of one square
ALL_SQUARES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NOT_FILE_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_FILE_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)
RANK_1, RANK_3, RANK_6, RANK_8 = (np.uint64(0xFF << 8 * rank) for rank in (0, 2, 5, 7))
LIGHT_SQUARES = np.uint64(0x55AA_55AA_55AA_55AA)


@inline
def clear_lsb(squares):
    """Return `squares` without its lowest square."""
    return squares & (squares - BIT)


@inline
def contains(squares, square):
    """Whether `square` is in the bitboard `squares`."""
    return squares >> square & BIT != EMPTY


@inline
def more_than_one(squares):
    """Whether the bitboard has more than one square."""
    return squares & (squares - BIT) != EMPTY


def square_name(square: int) -> str:
    """The name of a square: 0 is "a1", 63 is "h8"."""
    return "abcdefgh"[square & 7] + str((square >> 3) + 1)


def parse_square(text: str) -> int | None:
    """The square of a name from "a1" to "h8"; None for any other text."""
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        return None
    return "abcdefgh".index(text[0]) + 8 * (int(text[1]) - 1)
