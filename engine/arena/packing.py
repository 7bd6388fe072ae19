"""Packing and unpacking the first position of a training game, in kernels."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BIT, EMPTY, ROOK, clear_lsb, lsb
from engine.core.position import castled_squares, castling_index, king_square, occupied_squares
from engine.core.setup import compute_keys
from engine.kernel import array_type, inline, kernel

# Four bits per man, in the order of the occupied squares from a1: 0-5 white pawn to king, 6-11 black, 12 and 13 a white
# and a black rook that may still castle.
GAME_ROW = np.dtype([("occupied", "<u8"), ("men", "u1", 16), ("side", "u1"), ("ep", "u1"), ("rule50", "u1"),
                     ("result", "i1"), ("plies", "<u2")])
GAME_ROWS_TYPE = array_type(GAME_ROW)
CASTLING_ROOKS = 12

_ALL_RIGHTS = np.int64(0b1111)
_MOST_MEN = np.int64(32)
_LARGEST_RULE50 = np.int64(255)


@kernel
def pack_into(pos, rows, index):
    """Write `pos` to `rows[index]`, as the first position of a game whose result and length are still open."""
    row = rows[index]
    for place in range(_MOST_MEN // 2):
        row.men[place] = 0
    row.occupied = occupied_squares(pos)
    row.side = pos.side
    row.ep = pos.ep
    row.rule50 = min(np.int64(pos.rule50), _LARGEST_RULE50)
    number = np.int64(0)
    left = occupied_squares(pos)
    while left != EMPTY and number < _MOST_MEN:
        square = lsb(left)
        left = clear_lsb(left)
        row.men[number >> 1] |= _code_of(pos, square) << 4 * (number & 1)
        number += 1


@inline
def _code_of(pos, square):
    """The four bits of the man on `square`."""
    piece = np.int64(pos.board[square])
    color, kind = piece >> 3, piece & 7
    if kind == ROOK:
        for index in range(2 * color, 2 * color + 2):
            if pos.castling >> index & 1 and np.int64(pos.castling_rooks[index]) == square:
                return CASTLING_ROOKS + color
    return 6 * color + kind - 1


@kernel
def unpack_into(pos, rows, index):
    """Set up `pos` from `rows[index]`, with castling written as in Chess960."""
    row = rows[index]
    _clear(pos)
    pos.side = row.side
    pos.ep = row.ep
    pos.rule50 = row.rule50
    castling_rooks = EMPTY
    number = np.int64(0)
    left = row.occupied
    while left != EMPTY:
        square = lsb(left)
        left = clear_lsb(left)
        code = np.int64(row.men[number >> 1]) >> 4 * (number & 1) & 15
        number += 1
        if code >= CASTLING_ROOKS:
            castling_rooks |= BIT << square
            color, kind = code - CASTLING_ROOKS, np.int64(ROOK)
        else:
            color = np.int64(1) if code >= 6 else np.int64(0)
            kind = code - 6 * color + 1
        pos.board[square] = color * 8 + kind
        pos.types[kind] |= BIT << square
        pos.colors[color] |= BIT << square
    while castling_rooks != EMPTY:
        _add_castling_right(pos, lsb(castling_rooks))
        castling_rooks = clear_lsb(castling_rooks)
    compute_keys(pos)


@inline
def _clear(pos):
    for index in range(8):
        pos.types[index] = EMPTY
    pos.colors[0] = EMPTY
    pos.colors[1] = EMPTY
    for square in range(64):
        pos.board[square] = 0
        pos.castling_kept[square] = _ALL_RIGHTS
    pos.castling = 0
    pos.captured = 0
    pos.ply = 0
    pos.last_null = 0
    pos.first_fullmove = 1
    pos.chess960 = 1


@inline
def _squares_from_to(first, last):
    """All squares from one to the other on a rank, both ends included."""
    low, high = min(first, last), max(first, last)
    return (BIT << high) - (BIT << low) | BIT << high


@inline
def _add_castling_right(pos, rook):
    color = np.int64(pos.board[rook]) >> 3
    king = king_square(pos, color)
    index = castling_index(color, king, rook)
    king_to, rook_to = castled_squares(king, rook)
    king_way = _squares_from_to(king, king_to)
    both = BIT << king | BIT << rook
    pos.castling |= 1 << index
    pos.castling_rooks[index] = rook
    pos.castling_empty[index] = (king_way | _squares_from_to(rook, rook_to)) & ~both
    pos.castling_safe[index] = (king_way & ~(BIT << king)) | BIT << king_to
    pos.castling_kept[rook] &= _ALL_RIGHTS ^ (1 << index)
    pos.castling_kept[king] &= _ALL_RIGHTS ^ (1 << index)
