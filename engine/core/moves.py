"""A move in sixteen bits: `from | to << 6 | flags << 12`, where the flags are the move type.

Castling is encoded as king takes rook: `to` is the rook's square, in standard chess and in Chess960. NULL_MOVE is 0,
which is no legal move. Move types 4 to 7 are promotions to the piece type `flags - 2`: knight, bishop, rook, queen.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import QUEEN
from engine.kernel import inline

NULL_MOVE = np.int64(0)

NORMAL, EN_PASSANT, CASTLING = np.int64(0), np.int64(1), np.int64(2)
PROMOTION = np.int64(4)  # to a knight; bishop, rook and queen follow
QUEEN_PROMOTION = np.int64(QUEEN + 2)


@inline
def from_square(move):
    """The square that the piece leaves."""
    return move & 63


@inline
def to_square(move):
    """The square that the piece moves to; the rook's square for castling."""
    return move >> 6 & 63


@inline
def move_type(move):
    """NORMAL, EN_PASSANT, CASTLING, or PROMOTION to QUEEN_PROMOTION."""
    return move >> 12


@inline
def promoted_type(flags):
    """The piece type that a promotion with these flags promotes to."""
    return flags - 2


@inline
def is_move_type(flags):
    """Whether `flags` is a valid move type; the flags of a corrupt move may be any number."""
    return flags <= CASTLING or (flags >= PROMOTION and flags <= QUEEN_PROMOTION)


@inline
def encode_move(start, target, flags):
    """The move from `start` to `target` with the move type `flags`."""
    return start | target << 6 | flags << 12
