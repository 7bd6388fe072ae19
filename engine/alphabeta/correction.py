"""Correction histories: the average difference between search score and static evaluation, by pawn structure, by the
pieces of either side and by the last moves. It is added to the static evaluation of similar positions.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.history import apply_gravity
from engine.alphabeta.params import ONE_BITS
from engine.alphabeta.state import CORRECTION_MASK, frame_at
from engine.alphabeta.tt import is_more_informative
from engine.core.material import material_of
from engine.core.moves import NULL_MOVE
from engine.core.position import is_noisy
from engine.kernel import inline, kernel
from engine.search.scores import NO_SCORE, clamp_evaluation, is_decisive

_CORRECTION_BITS = np.int64(10)
_PAIR_MULTIPLIER = np.uint64(0x4F1)  # odd, so that no bit of the earlier move is lost
_SCALE_BITS = np.int64(14)  # a full entry with the weight ONE corrects by 64 centipawns


@inline
def _correction_index(key):
    return np.int64(key & CORRECTION_MASK)


@inline
def _pair_index(state, ply):
    """Index of the correction by the last two moves, hashed: a table of all pairs would not fit into the cache."""
    before, last = np.uint64(frame_at(state, ply - 2).piece_to), np.uint64(frame_at(state, ply - 1).piece_to)
    return np.int64((before * _PAIR_MULTIPLIER ^ last) & CORRECTION_MASK)


@inline
def _scale_eval(pos, params, raw):
    """`raw` scaled by material, and towards 0 as the fifty-move rule draws closer."""
    if params.use_material_scaling:
        raw = raw * (params.material_base + params.material_factor * material_of(pos)) >> ONE_BITS
    if params.use_rule50_scaling:
        raw -= raw * np.int64(pos.rule50) // params.rule50_divisor
    return raw


@kernel
def correct_eval(pos, state, ply, raw):
    """The static evaluation: `raw`, scaled, plus the correction histories."""
    us, params = np.int64(pos.side), state.params
    raw = _scale_eval(pos, params, raw)
    if not params.use_correction:
        return clamp_evaluation(raw)
    total = params.correction_pawn * np.int64(state.pawn_correction[us, _correction_index(pos.pawn_key)])
    for color in range(2):
        entry = np.int64(state.non_pawn_correction[us, color, _correction_index(pos.non_pawn_keys[color])])
        total += params.correction_non_pawn * entry
    recent = np.int64(state.continuation_correction[_pair_index(state, ply)])
    total += params.correction_continuation * recent
    return clamp_evaluation(raw + (total >> _SCALE_BITS))


@inline
def _add_correction(table, index, bonus):
    table[index] = apply_gravity(table[index], bonus, _CORRECTION_BITS)


@kernel
def update_correction_history(pos, state, ply, depth, error):
    """Update the correction histories: a search to `depth` returned a score `error` above the static evaluation."""
    parent, us = frame_at(state, ply - 1), np.int64(pos.side)
    largest = state.params.correction_bonus_max
    bonus = min(max(error * depth * state.params.correction_rate >> ONE_BITS, -largest), largest)
    _add_correction(state.pawn_correction[us], _correction_index(pos.pawn_key), bonus)
    for color in range(2):
        _add_correction(state.non_pawn_correction[us, color], _correction_index(pos.non_pawn_keys[color]), bonus)
    if parent.piece_to != 0:
        _add_correction(state.continuation_correction, _pair_index(state, ply), bonus)


@inline
def maybe_update_correction(pos, state, ply, depth, static_eval, best, best_move, bound):
    """Learn a correction if the search refutes the static evaluation and the best move is not a capture."""
    if (state.params.use_correction and static_eval != NO_SCORE and not is_decisive(best)
            and (best_move == NULL_MOVE or not is_noisy(pos, best_move))
            and is_more_informative(bound, best, static_eval)):
        update_correction_history(pos, state, ply, depth, best - static_eval)
