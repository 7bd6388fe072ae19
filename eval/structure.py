"""The part of the score that depends only on pawns and kings, and its cache.

Pawns and kings seldom move: in a search nearly every position finds its structure in the cache.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import BLACK, KING, PAWN, WHITE, byteswap
from engine.core.position import king_square
from engine.core.zobrist import PIECE_KEYS
from engine.kernel import inline, kernel
from eval.cache import STRUCTURE_BLACK_PASSED, STRUCTURE_KEY, STRUCTURE_SCORE, STRUCTURE_WHITE_PASSED, structure_slot
from eval.king import add_shelter
from eval.passed import add_king_distances
from eval.pawns import pawn_score
from eval.trace import trace_side


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
