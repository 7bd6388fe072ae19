"""Derived fields of a position that has just been set up: castling masks, en passant square, keys."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import is_attacked
from engine.core.bits import BIT, EMPTY, NO_PIECE, NO_SQUARE, PAWN
from engine.core.position import (
    POSITION_TYPE,
    PositionRecord,
    castled_squares,
    king_square,
    legal_en_passant_square,
    occupied_squares,
)
from engine.core.zobrist import CASTLING_KEYS, EN_PASSANT_KEYS, PIECE_KEYS, SIDE_KEY
from engine.kernel import entry, inline, kernel

ALL_CASTLING_RIGHTS = np.int64(0b1111)


@kernel
def compute_keys(pos):
    """Compute all keys of `pos` from scratch."""
    pos.pawn_key = EMPTY
    pos.non_pawn_keys[0] = EMPTY
    pos.non_pawn_keys[1] = EMPTY
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece == NO_PIECE:
            continue
        if piece & 7 == PAWN:
            pos.pawn_key ^= PIECE_KEYS[piece * 64 + square]
        else:
            pos.non_pawn_keys[piece >> 3] ^= PIECE_KEYS[piece * 64 + square]
    key = pos.pawn_key ^ pos.non_pawn_keys[0] ^ pos.non_pawn_keys[1]
    key ^= CASTLING_KEYS[pos.castling] ^ EN_PASSANT_KEYS[pos.ep]
    pos.key = key ^ SIDE_KEY if pos.side else key


@inline
def _rank_span(first, last):
    """All squares of a rank from `first` to `last`, in either order and both included."""
    low, high = min(first, last), max(first, last)
    return (BIT << high) - (BIT << low) | BIT << high


@inline
def add_castling_right(pos, index, king, rook):
    """Grant castling right `index`, with the king on `king` and the rook on `rook`.

    Granting a right twice changes nothing. `pos.castling_kept` must already be set.
    """
    king_to, rook_to = castled_squares(king, rook)
    king_path = _rank_span(king, king_to)
    both = BIT << king | BIT << rook
    pos.castling |= 1 << index
    pos.castling_rooks[index] = rook
    pos.castling_empty[index] = (king_path | _rank_span(rook, rook_to)) & ~both
    pos.castling_safe[index] = (king_path & ~(BIT << king)) | BIT << king_to
    pos.castling_kept[rook] &= ALL_CASTLING_RIGHTS ^ (1 << index)
    pos.castling_kept[king] &= ALL_CASTLING_RIGHTS ^ (1 << index)


@entry(POSITION_TYPE)
def finish_setup(pos: PositionRecord) -> bool:
    """Set the castling masks, drop an en passant square without a legal capture, and compute the keys.

    Every castling right must come with the square of its rook. Return whether the position is legal: False if the side
    not to move is in check.
    """
    us = np.int64(pos.side)
    for index in range(4):
        if pos.castling >> index & 1:
            add_castling_right(pos, index, king_square(pos, index >> 1), np.int64(pos.castling_rooks[index]))
    if pos.ep != NO_SQUARE:
        pos.ep = legal_en_passant_square(pos, np.int64(pos.ep), us)
    compute_keys(pos)
    return not is_attacked(pos, king_square(pos, us ^ 1), occupied_squares(pos), us)
