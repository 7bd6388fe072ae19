"""Finishing a position whose pieces have just been put on the board."""

from __future__ import annotations

import numpy as np

from engine.core.attacks import is_attacked
from engine.core.bits import EMPTY, NO_PIECE, NO_SQUARE, PAWN
from engine.core.position import (
    POSITION_TYPE,
    PositionRecord,
    king_square,
    legal_en_passant_square,
    occupied_squares,
)
from engine.core.zobrist import CASTLING_KEYS, EN_PASSANT_KEYS, PIECE_KEYS, SIDE_KEY
from engine.kernel import entry, kernel


@kernel
def compute_keys(pos):
    """Work out all keys of `pos` from scratch."""
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


@entry(POSITION_TYPE)
def finish_setup(pos: PositionRecord) -> bool:
    """Drop an en passant square that no pawn can use, and compute the keys.

    Returns whether the position is playable: False if the side not to move is in check.
    """
    us = np.int64(pos.side)
    if pos.ep != NO_SQUARE:
        pos.ep = legal_en_passant_square(pos, np.int64(pos.ep), us)
    compute_keys(pos)
    return not is_attacked(pos, king_square(pos, us ^ 1), occupied_squares(pos), us)
