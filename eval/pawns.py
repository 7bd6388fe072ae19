"""The pawn structure: features that depend on the pawns alone, so that they can be cached."""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, clear_lsb, lsb, popcount
from engine.kernel import inline, kernel
from eval.features import (
    BACKWARD,
    BACKWARD_OPEN,
    CANDIDATE,
    DOUBLED,
    ISOLATED,
    ISOLATED_OPEN,
    PASSED,
    PASSED_CONNECTED,
    PHALANX,
    RAMMED,
    SUPPORTED,
)
from eval.sets import FILE_A, RANK_2, adjacent_files, fill_down, fill_up
from eval.trace import ONCE, add_feature

_ABOVE_RANK_1 = np.uint64(0xFFFF_FFFF_FFFF_FF00)


@kernel
def pawn_score(own, enemy, weights, trace):
    """(score, passed pawns) of the pawns `own` against the pawns `enemy`; own pawns move up."""
    attacks, enemy_attacks = adjacent_files(own) << 8, adjacent_files(enemy) >> 8
    unopposed = own & ~fill_down(enemy >> 8)
    foremost = own & ~fill_down(own >> 8)
    passed = unopposed & foremost & ~fill_down(enemy_attacks)
    files = fill_up(fill_down(own))
    isolated = own & ~adjacent_files(files)
    barred = (enemy | enemy_attacks) & ~fill_up(attacks)
    backward = own & barred >> 8 & ~isolated
    phalanx, supported = own & adjacent_files(own), own & attacks

    score = np.int64(0)
    score = add_feature(score, trace, weights, DOUBLED, popcount(own & fill_up(own << 8)))
    score = add_feature(score, trace, weights, ISOLATED, popcount(isolated))
    score = add_feature(score, trace, weights, ISOLATED_OPEN, popcount(isolated & unopposed))
    score = add_feature(score, trace, weights, BACKWARD, popcount(backward))
    score = add_feature(score, trace, weights, BACKWARD_OPEN, popcount(backward & unopposed))
    score = _add_by_rank(score, trace, weights, RAMMED, own & enemy >> 8)
    score = _add_by_rank(score, trace, weights, PHALANX, phalanx)
    score = _add_by_rank(score, trace, weights, SUPPORTED, supported)
    score = _add_by_rank(score, trace, weights, PASSED, passed)
    score = _add_by_rank(score, trace, weights, PASSED_CONNECTED, passed & (phalanx | supported))
    score = _add_candidates(score, trace, weights, own, enemy, unopposed & foremost & ~passed)
    return score, passed


@inline
def _add_by_rank(score, trace, weights, feature, pawns):
    """Count `pawns` by their rank, from the second to the seventh."""
    for row in range(6):
        score = add_feature(score, trace, weights, feature + row, popcount(pawns & RANK_2 << 8 * row))
    return score


@inline
def _add_candidates(score, trace, weights, own, enemy, hopeful):
    """Count the pawns among `hopeful` with at least as many helpers as guards ahead on the neighbouring files."""
    while hopeful != EMPTY:
        square = lsb(hopeful)
        hopeful = clear_lsb(hopeful)
        lanes = adjacent_files(FILE_A << (square & 7))
        ahead = _ABOVE_RANK_1 << (square & 56)
        if popcount(own & lanes & ~ahead) >= popcount(enemy & lanes & ahead):
            score = add_feature(score, trace, weights, CANDIDATE + (square >> 3) - 1, ONCE)
    return score
