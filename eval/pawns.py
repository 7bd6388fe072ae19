"""The pawn structure: features that depend on pawns and kings alone, so that they can be cached."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BLACK, EMPTY, KING, PAWN, WHITE, byteswap, clear_lsb, lsb, popcount
from engine.core.position import king_square
from engine.core.zobrist import PIECE_KEYS
from engine.kernel import inline, kernel
from eval.bitboards import FILE_A, RANK_2, adjacent_files, fill_down, fill_up
from eval.cache import STRUCTURE_BLACK_PASSED, STRUCTURE_KEY, STRUCTURE_SCORE, STRUCTURE_WHITE_PASSED, structure_slot
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
from eval.king import add_shelter
from eval.passed import add_king_distances
from eval.trace import ONCE, add_feature, trace_side

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


@kernel
def structure_score(pos, weights, trace):
    """(score from White's view, White's passed pawns, Black's): each side's pawns from that side's view."""
    white, black = pos.types[PAWN] & pos.colors[WHITE], byteswap(pos.types[PAWN] & pos.colors[BLACK])
    white_king, black_king = king_square(pos, WHITE), king_square(pos, BLACK) ^ 56
    trace_side(trace, WHITE)
    white_score, white_passed = _side_score(white, byteswap(black), white_king, black_king ^ 56, weights, trace)
    trace_side(trace, BLACK)
    black_score, black_passed = _side_score(black, byteswap(white), black_king, white_king ^ 56, weights, trace)
    return white_score - black_score, white_passed, black_passed


@kernel
def _side_score(own, enemy, own_king, enemy_king, weights, trace):
    score, passed = pawn_score(own, enemy, weights, trace)
    score = add_shelter(score, trace, weights, own_king, own, enemy)
    return add_king_distances(score, trace, weights, own_king, enemy_king, passed), passed


@inline
def cached_structure(pos, weights, cache):
    """`structure_score`, cached."""
    key = _structure_key(pos)
    known = cache.structures[structure_slot(key)]
    if known[STRUCTURE_KEY] == key:
        return np.int64(known[STRUCTURE_SCORE]), known[STRUCTURE_WHITE_PASSED], known[STRUCTURE_BLACK_PASSED]
    score, white_passed, black_passed = structure_score(pos, weights, None)
    known[STRUCTURE_KEY] = key
    known[STRUCTURE_SCORE] = np.uint64(score)
    known[STRUCTURE_WHITE_PASSED] = white_passed
    known[STRUCTURE_BLACK_PASSED] = black_passed
    return score, white_passed, black_passed


@inline
def _structure_key(pos):
    """The pawn key combined with the keys of both kings."""
    white, black = king_square(pos, WHITE), king_square(pos, BLACK)
    return pos.pawn_key ^ PIECE_KEYS[KING * 64 + white] ^ PIECE_KEYS[(KING + 8) * 64 + black]
