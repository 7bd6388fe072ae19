"""Material and piece-square tables: the part of the score that moves change step by step."""

from __future__ import annotations

import numpy as np

from engine.core.bits import KING, NO_PIECE, PAWN
from engine.core.moves import CASTLING, EN_PASSANT, PROMOTION, from_square, move_kind, promoted_type, to_square
from engine.core.position import castled_squares
from engine.kernel import inline, kernel
from eval.features import MATERIAL, SQUARES_PAWN
from eval.trace import ONCE, add_feature, trace_side


@kernel
def sum_squares(pos, weights, trace):
    """Material and piece-square values of all pieces, packed, from white's view."""
    total = np.int64(0)
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece == NO_PIECE:
            continue
        kind, color = piece & 7, piece >> 3
        trace_side(trace, 1 - 2 * color)
        value = add_feature(np.int64(0), trace, weights,
                            SQUARES_PAWN + 64 * (kind - PAWN) + (square ^ 56 * color), ONCE)
        if kind != KING:
            value = add_feature(value, trace, weights, MATERIAL + kind - PAWN, ONCE)
        total += value * (1 - 2 * color)
    return total


@inline
def psq_of(pos, weights):
    """The packed sum of material and piece-square values, from white's view, counted from scratch."""
    return sum_squares(pos, weights, None)


@inline
def psq_change(pos, weights, move):
    """What `make(pos, move)` adds to `psq_of`; to be asked before the move is made."""
    start, target, kind = from_square(move), to_square(move), move_kind(move)
    piece = np.int64(pos.board[start])
    if kind == CASTLING:
        king_to, rook_to = castled_squares(start, target)
        rook = np.int64(pos.board[target])
        return _step(weights, piece, start, king_to) + _step(weights, rook, target, rook_to)
    if kind == EN_PASSANT:
        return _step(weights, piece, start, target) - weights.squares[(piece ^ 8) * 64 + (target ^ 8)]
    change = _step(weights, piece, start, target)
    if kind >= PROMOTION:
        promoted = piece - PAWN + promoted_type(kind)
        change += weights.squares[promoted * 64 + target] - weights.squares[piece * 64 + target]
    # NO_PIECE has a row of zeros.
    return change - weights.squares[np.int64(pos.board[target]) * 64 + target]


@inline
def _step(weights, piece, start, target):
    return weights.squares[piece * 64 + target] - weights.squares[piece * 64 + start]
