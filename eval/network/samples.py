"""The network's training samples: quiet positions with a score and a result, each packed into forty bytes.

A sample is stored from the side to move's view: with Black to move the board is flipped vertically. That is the first
perspective of the network; the second one and all feature indices follow from it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import EMPTY, clear_lsb, lsb, popcount
from engine.core.position import king_square, occupied_squares
from engine.core.splitmix import GOLDEN, mix
from engine.kernel import array_type, entry, inline, int64, kernel, uint64

SAMPLE = np.dtype([
    ("board", "<u8", 4),  # four bits per square, from a1: 0-5 own pawn to king, 6-11 the opponent's, 12 empty
    ("score", "<i2"),  # of a search, in centipawns; this and all that follows from the side to move's view
    ("static", "<i2"),  # the features' evaluation
    ("result", "i1"),  # 1 won, 0 drawn, -1 lost
    ("pieces", "u1"),
    ("own_king", "u1"),  # its square
    ("other_king", "u1"),  # its square, from the same view
])
BOARD_BYTES = 32
NO_PIECE_CODE = 12
SAMPLES_TYPE = array_type(SAMPLE)
SAMPLE_SIZE = np.int64(SAMPLE.itemsize)

Samples = npt.NDArray[Any]  # of SAMPLE

_EMPTY_WORD = np.uint64(0xCCCC_CCCC_CCCC_CCCC)
_FEW_PIECES = 9
_PARTS = 16  # positions are divided by their hash, so that duplicates are in the same part
_PART_MASK = np.uint64(_PARTS - 1)
_ALWAYS = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@kernel
def pack_sample(pos, row, score, static, result):
    """Pack `pos` into `row`; all three numbers are from the side to move's view."""
    for word in range(4):
        row.board[word] = _EMPTY_WORD
    us = np.int64(pos.side)
    turn = 56 * us
    left = occupied_squares(pos)
    while left != EMPTY:
        square = lsb(left)
        left = clear_lsb(left)
        piece = np.int64(pos.board[square])
        code = 6 * (piece >> 3 ^ us) + (piece & 7) - 1
        view_square = square ^ turn
        row.board[view_square >> 4] ^= np.uint64(code ^ NO_PIECE_CODE) << 4 * (view_square & 15)
    row.score = score
    row.static = static
    row.result = result
    row.pieces = popcount(occupied_squares(pos))
    row.own_king = king_square(pos, us) ^ turn
    row.other_king = king_square(pos, us ^ 1) ^ turn


@inline
def _hash_of(row):
    """A hash of the board; never 0."""
    word = row.board[0] + GOLDEN
    for index in range(1, 4):
        word = mix(word) + row.board[index]
    return mix(word) | np.uint64(1)


@entry(SAMPLES_TYPE, array_type("u1"), array_type("u8"), array_type("u8"), uint64, int64)
def choose_part(samples: Samples, keep: Samples, seen: Samples, chances: Samples, seed: int, part: int) -> None:
    """Set `keep` for the selected samples of a part: the first of each set of duplicates, with some probability.

    `chances` are these probabilities by piece count, in units of 2^-64; `seen` is all zeros, its length a power of 2
    that exceeds the size of the part.
    """
    mask = np.uint64(len(seen) - 1)
    for index in range(len(samples)):
        key = _hash_of(samples[index])
        if key >> 1 & _PART_MASK != np.uint64(part) or mix(key + seed) > chances[samples[index].pieces]:
            continue
        slot = key >> 8 & mask
        while seen[slot] != EMPTY and seen[slot] != key:
            slot = slot + np.uint64(1) & mask
        if seen[slot] == EMPTY:
            seen[slot] = key
            keep[index] = 1


def select_samples(samples: Samples, few_pieces_share: float, seed: int, threads: int) -> Samples:
    """Drop duplicate positions and surplus endings.

    Positions with nine pieces or fewer are thinned at random until they are at most `few_pieces_share` of all.
    """
    few = int((samples["pieces"] <= _FEW_PIECES).sum())
    target = few_pieces_share / max(1 - few_pieces_share, 1e-9) * (len(samples) - few)
    chances = np.full(33, _ALWAYS)
    if target < few:
        chances[: _FEW_PIECES + 1] = int(target / few * float(1 << 63)) * 2
    keep = np.zeros(len(samples), np.uint8)
    room = 1 << max(3 * len(samples) // _PARTS, 64).bit_length()

    def run(part: int) -> None:
        choose_part(samples, keep, np.zeros(room, np.uint64), chances, seed & 0xFFFF_FFFF, part)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(_PARTS)))
    return samples[keep.view(np.bool_)]


def expected_result(scores: npt.NDArray[Any], scale: float) -> npt.NDArray[np.float64]:
    """The expected results, from 0 to 1, for scores in centipawns; `scale` is the score for a logit of 1."""
    results: npt.NDArray[np.float64] = 1 / (1 + np.exp(-scores.astype(np.float64) / scale))
    return results


def fit_scale(scores: npt.NDArray[Any], results: npt.NDArray[np.float64]) -> float:
    """The scale with which scores predict `results` best, by golden-section search."""

    def loss(log: float) -> float:
        return float(np.mean((expected_result(scores, float(np.exp(log))) - results) ** 2))

    low, high, ratio = float(np.log(20)), float(np.log(2000)), (5**0.5 - 1) / 2
    for _ in range(30):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if loss(left) < loss(right) else (left, high)
    return float(np.exp((low + high) / 2))
