"""Zobrist keys: the key of a position is the xor of one random number for each of its features.

    key = pawn key ^ white's non-pawn key ^ black's non-pawn key ^ castling ^ en passant ^ side to move

The numbers come from splitmix64 with a fixed seed, so that keys are equal on every machine and in every run.
"""

from __future__ import annotations

import numpy as np

from engine.core.splitmix import GOLDEN, mix_words

_SEED = np.uint64(0xADE5_A12F_0C0D_E2E4)

with np.errstate(over="ignore"):
    _NUMBERS = mix_words(_SEED + GOLDEN * np.arange(16 * 64 + 16 + 64 + 1, dtype=np.uint64))

PIECE_KEYS = _NUMBERS[:1024].copy()  # [piece * 64 + square]
CASTLING_KEYS = _NUMBERS[1024:1040].copy()  # [castling rights]
EN_PASSANT_KEYS = np.append(_NUMBERS[1040:1104], np.uint64(0))  # [square]; 0 for NO_SQUARE
SIDE_KEY = _NUMBERS[1104]  # xored in if Black is to move

CASTLING_KEYS[0] = 0  # so that the key without rights needs no term
