"""The static evaluation by the features, in centipawns.

It is the sum of feature counts times weights, once for the middle game and once for the endgame. The two sums are
tapered by the phase; before that, the endgame sum is scaled down if the advantage is hard to convert.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import BISHOP, BLACK, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE, popcount
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import entry, inline, kernel
from eval.bitboards import flip_attacks, flip_pieces, side_pieces
from eval.cache import is_score_of, pack_score, score_slot, unpack_score
from eval.endgames import NEARLY_DRAWN, add_mop_up, can_force_mate, is_bare, scale_factor
from eval.features import TEMPO
from eval.king import add_king_attack
from eval.passed import add_passed
from eval.pawns import cached_structure, structure_score
from eval.pieces import piece_score
from eval.psqt import psq_of, sum_squares
from eval.threats import add_space, add_threats
from eval.trace import (
    ONCE,
    TRACE_TYPE,
    WHOLE_PHASE,
    WHOLE_SCALE,
    TraceRecord,
    add_feature,
    trace_side,
    trace_taper,
)
from eval.weights import WEIGHTS_TYPE, WeightsRecord, eg_of, mg_of

# Every score is between minus this and this.
LARGEST_SCORE = np.int64(9_999)

_NO_SCORE = np.int64(0)
_ENDGAME = np.int64(0)  # a phase


@kernel
def evaluate(pos, weights, psq, cache):
    """Centipawns from the side to move's view, at most LARGEST_SCORE either way.

    `psq` must equal `psq_of(pos, weights)`; `cache`, which is written, must hold no scores of other weights.
    """
    slot = score_slot(pos.key)
    known = cache.scores[slot]
    if is_score_of(known, pos.key):
        return unpack_score(known)
    structure, white_passed, black_passed = cached_structure(pos, weights, cache)
    score = _score(pos, weights, psq + structure, white_passed, black_passed, None)
    cache.scores[slot] = pack_score(pos.key, score)
    return score


@inline
def cache_null_move_eval(pos, weights, cache, score):
    """Cache the score of `pos`, which a null move reached from a position of `score`: only the side to move differs.

    The cached score may be a centipawn or two off, and more if the score is scaled down.
    """
    if pos.colors[pos.side] & ~(pos.types[PAWN] | pos.types[KING]) == EMPTY:
        return  # with only king and pawns, the side to move may win a race
    tempo = weights.packed[TEMPO]
    both_tempi = 2 * _taper(mg_of(tempo), eg_of(tempo), _phase(pos), WHOLE_SCALE)
    null_score = min(max(both_tempi - score, -LARGEST_SCORE), LARGEST_SCORE)
    cache.scores[score_slot(pos.key)] = pack_score(pos.key, null_score)


@inline
def psqt_score(pos, weights, psq):
    """Centipawns from the side to move's view by `psq`, the material and piece-square values, and tempo alone."""
    total = weights.packed[TEMPO] + (-psq if pos.side else psq)
    return _taper(mg_of(total), eg_of(total), _phase(pos), WHOLE_SCALE)


@kernel
def evaluate_from_scratch(pos, weights):
    """Centipawns from the side to move's view, computed without cache or incremental values."""
    structure, white_passed, black_passed = structure_score(pos, weights, None)
    return _score(pos, weights, psq_of(pos, weights) + structure, white_passed, black_passed, None)


@entry(POSITION_TYPE, WEIGHTS_TYPE)
def evaluate_entry(pos: PositionRecord, weights: WeightsRecord) -> int:
    """`evaluate_from_scratch`, for Python."""
    return evaluate_from_scratch(pos, weights)


@kernel
def trace_into(pos, weights, trace):
    """Centipawns from the side to move's view, computed from scratch; overwrites `trace` with the feature counts."""
    trace.counts[:] = 0
    psq = sum_squares(pos, weights, trace)
    structure, white_passed, black_passed = structure_score(pos, weights, trace)
    return _score(pos, weights, psq + structure, white_passed, black_passed, trace)


@entry(POSITION_TYPE, WEIGHTS_TYPE, TRACE_TYPE)
def trace_position(pos: PositionRecord, weights: WeightsRecord, trace: TraceRecord) -> int:
    """`trace_into`, for Python."""
    return trace_into(pos, weights, trace)


@kernel
def _score(pos, weights, base, white_passed, black_passed, trace):
    """The score from the side to move's view; `base` is material, squares and structure from White's view."""
    white, black = side_pieces(pos, WHITE), flip_pieces(side_pieces(pos, BLACK))
    white_seen, black_seen = flip_pieces(white), flip_pieces(black)  # from the other side
    white_to_move = ONCE - np.int64(pos.side)
    total = base + _both_sides(pos, white, black, white_seen, black_seen, white_passed, black_passed, weights, trace)
    if white_to_move:
        trace_side(trace, WHITE)
        total = add_feature(total, trace, weights, TEMPO, ONCE)
    else:
        trace_side(trace, BLACK)
        total -= add_feature(_NO_SCORE, trace, weights, TEMPO, ONCE)
    phase, scale = _phase(pos), WHOLE_SCALE
    if is_bare(black) and can_force_mate(white):
        trace_side(trace, WHITE)
        total = add_mop_up(total, trace, weights, white, black_seen)
        phase = _ENDGAME
    elif is_bare(white) and can_force_mate(black):
        trace_side(trace, BLACK)
        total -= add_mop_up(_NO_SCORE, trace, weights, black, white_seen)
        phase = _ENDGAME
    elif eg_of(total) > 0:
        scale = scale_factor(white, black_seen)
    elif eg_of(total) < 0:
        scale = scale_factor(black, white_seen)
    if scale <= NEARLY_DRAWN:
        phase = _ENDGAME  # otherwise the middle game's part, which is not scaled, would remain
    trace_taper(trace, phase, scale)
    score = _taper(mg_of(total), eg_of(total), phase, scale)
    return score if white_to_move else -score


@inline
def _both_sides(pos, white, black, white_seen, black_seen, white_passed, black_passed, weights, trace):
    """The score of White's pieces minus Black's. Both sides' attacks are computed before their interactions."""
    white_to_move, castling = ONCE - np.int64(pos.side), np.int64(pos.castling)
    trace_side(trace, WHITE)
    white_score, white_attacks, white_units = piece_score(white, black_seen, _count_two(castling), weights, trace)
    trace_side(trace, BLACK)
    black_score, black_attacks, black_units = piece_score(black, white_seen, _count_two(castling >> 2), weights, trace)
    trace_side(trace, WHITE)
    white_score += _interaction_score(white, white_attacks, black_seen, flip_attacks(black_attacks), white_units,
                                      white_passed, white_to_move, weights, trace)
    trace_side(trace, BLACK)
    black_score += _interaction_score(black, black_attacks, white_seen, flip_attacks(white_attacks), black_units,
                                      black_passed, ONCE - white_to_move, weights, trace)
    return white_score - black_score


@inline
def _count_two(bits):
    """The number of bits set among the two lowest."""
    return (bits & 1) + (bits >> 1 & 1)


@kernel
def _interaction_score(own, attacks, enemy, enemy_attacks, units, passed, to_move, weights, trace):
    """The features of one side that depend on what both sides attack; all from that side's view."""
    score = add_king_attack(_NO_SCORE, trace, weights, own, attacks, enemy, enemy_attacks, units)
    score = add_threats(score, trace, weights, own, attacks, enemy, enemy_attacks)
    score = add_space(score, trace, weights, own, enemy_attacks)
    return add_passed(score, trace, weights, own, attacks, enemy, enemy_attacks, passed, to_move)


@inline
def _phase(pos):
    """WHOLE_PHASE with all pieces on the board, 0 with none."""
    minors = popcount(pos.types[KNIGHT] | pos.types[BISHOP])
    return min(minors + 2 * popcount(pos.types[ROOK]) + 4 * popcount(pos.types[QUEEN]), WHOLE_PHASE)


@inline
def _taper(mg, eg, phase, scale):
    """Blend both values by phase and scale, rounded towards 0 so that both sides are treated alike."""
    blended = mg * phase * WHOLE_SCALE + eg * scale * (WHOLE_PHASE - phase)
    score = abs(blended) // (WHOLE_PHASE * WHOLE_SCALE)
    score = min(score, LARGEST_SCORE)
    return score if blended > 0 else -score
