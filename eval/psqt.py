"""Material and piece-square tables: the part of the score that is updated incrementally.

The best squares of a piece depend on the kings. So every table is written for an own king on the kingside and mirrored
while that king is on the queenside, and there are two tables for each piece: one for an enemy king on the same wing,
one for an enemy king on the other.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import BLACK, KING, NO_PIECE, PAWN, WHITE
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_type, promoted_type, to_square
from engine.core.position import castled_squares, king_square
from engine.kernel import inline, kernel
from eval.features import MATERIAL, SQUARES_PAWN
from eval.trace import ONCE, add_feature, trace_side

# `weights.squares` holds the values of all pieces on all squares four times, once for each pair of wings.
PIECE_SQUARES = 16 * 64
_PIECE_SQUARES = np.int64(PIECE_SQUARES)


@inline
def wing(square):
    """1 for the kingside, 0 for the queenside."""
    return square >> 2 & 1


@inline
def square_feature(piece_type, color, square, white_wing, black_wing):
    """The index of the weight of a piece on a square, with the kings on these wings."""
    mirror = 7 * (1 - (black_wing if color else white_wing))
    return SQUARES_PAWN + 128 * (piece_type - PAWN) + 64 * (white_wing ^ black_wing) + (square ^ 56 * color ^ mirror)


@inline
def _wings(pos):
    """The offset in `weights.squares` of the values for the wings of both kings."""
    return _PIECE_SQUARES * (2 * wing(king_square(pos, WHITE)) + wing(king_square(pos, BLACK)))


@kernel
def sum_squares(pos, weights, trace):
    """Material and piece-square values of all pieces, packed, from White's view."""
    white_wing, black_wing = wing(king_square(pos, WHITE)), wing(king_square(pos, BLACK))
    total = np.int64(0)
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece == NO_PIECE:
            continue
        piece_type, color = piece & 7, piece >> 3
        trace_side(trace, color)
        feature = square_feature(piece_type, color, square, white_wing, black_wing)
        value = add_feature(np.int64(0), trace, weights, feature, ONCE)
        if piece_type != KING:
            value = add_feature(value, trace, weights, MATERIAL + piece_type - PAWN, ONCE)
        total += value * (1 - 2 * color)
    return total


@inline
def psq_of(pos, weights):
    """The packed sum of material and piece-square values, from White's view, computed from scratch."""
    return sum_squares(pos, weights, None)


@inline
def psq_after(pos, weights, psq, move):
    """The value of `psq_of`, now `psq`, after `move`; must be called before the move is made."""
    start, target, type_of_move = from_square(move), to_square(move), move_type(move)
    piece = np.int64(pos.board[start])
    wings = _wings(pos)
    if type_of_move == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        rook = np.int64(pos.board[target])
        if wing(start) != wing(king_to):
            psq, wings = _change_wing(pos, weights, wings, piece)
        return psq + _step(weights, wings, piece, start, king_to) + _step(weights, wings, rook, target, rook_to)
    if type_of_move == EN_PASSANT:
        return psq + _step(weights, wings, piece, start, target) - _value(weights, wings, piece ^ 8, target ^ 8)
    if piece & 7 == KING and wing(start) != wing(target):
        psq, wings = _change_wing(pos, weights, wings, piece)
    psq += _step(weights, wings, piece, start, target)
    if type_of_move >= PROMOTION:
        promoted = piece - PAWN + promoted_type(type_of_move)
        psq += _value(weights, wings, promoted, target) - _value(weights, wings, piece, target)
    # NO_PIECE has a row of zeros.
    return psq - _value(weights, wings, np.int64(pos.board[target]), target)


@kernel
def _change_wing(pos, weights, wings, king):
    """(psq, wings) with the tables for `king` on the other wing, all pieces unmoved."""
    wings ^= _PIECE_SQUARES * (1 if king >> 3 else 2)
    total = np.int64(0)
    for square in range(64):
        total += _value(weights, wings, np.int64(pos.board[square]), square)
    return total, wings


@inline
def _value(weights, wings, piece, square):
    return weights.squares[wings + piece * 64 + square]


@inline
def _step(weights, wings, piece, start, target):
    return _value(weights, wings, piece, target) - _value(weights, wings, piece, start)
