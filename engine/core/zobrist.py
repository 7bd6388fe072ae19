"""Zobrist keys: the key of a position is the xor of one random number for each of its features.

    key = pawn key ^ white's non-pawn key ^ black's non-pawn key ^ castling ^ en passant ^ side to move

The numbers come from splitmix64 with a fixed seed, so that keys are equal on every machine and in every run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_SEED = 0xADE5_A12F_0C0D_E2E4


def _splitmix64(seed: int, count: int) -> npt.NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + np.uint64(0x9E37_79B9_7F4A_7C15) * np.arange(1, count + 1, dtype=np.uint64)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
        return state ^ (state >> np.uint64(31))


_NUMBERS = _splitmix64(_SEED, 16 * 64 + 16 + 64 + 1)

PIECE_KEYS = _NUMBERS[:1024].copy()  # [piece * 64 + square]
CASTLING_KEYS = _NUMBERS[1024:1040].copy()  # [castling rights]
EN_PASSANT_KEYS = np.append(_NUMBERS[1040:1104], np.uint64(0))  # [square]; 0 for NO_SQUARE
SIDE_KEY = _NUMBERS[1104]  # xored in if Black is to move

CASTLING_KEYS[0] = 0  # so that the key without rights needs no term
