"""A move in sixteen bits: `from | to << 6 | kind << 12`.

Castling is king takes rook: `to` is the rook's square, in standard chess as in Chess960. NULL_MOVE is 0, which no
piece can play. Kinds 4 to 7 are promotions to the piece type `kind - 2`: knight, bishop, rook, queen.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import QUEEN
from engine.kernel import inline

NULL_MOVE = np.int64(0)

NORMAL, EN_PASSANT, CASTLING = np.int64(0), np.int64(1), np.int64(2)
PROMOTION = np.int64(4)  # the first of four kinds
QUEEN_PROMOTION = np.int64(QUEEN + 2)


@inline
def from_square(move):
    """Where the piece moves from."""
    return move & 63


@inline
def to_square(move):
    """Where the piece moves to; the rook's square when castling."""
    return move >> 6 & 63


@inline
def move_type(move):
    """NORMAL, EN_PASSANT, CASTLING, or PROMOTION and the three above it."""
    return move >> 12


@inline
def promoted_type(kind):
    """The type of piece that a promotion of this kind makes."""
    return kind - 2


@inline
def is_move_type(kind):
    """Whether there is such a kind of move; a garbled move may hold any other number."""
    return kind <= CASTLING or (kind >= PROMOTION and kind <= QUEEN_PROMOTION)


@inline
def encode_move(start, target, kind):
    """The move of that kind from `start` to `target`."""
    return start | target << 6 | kind << 12
