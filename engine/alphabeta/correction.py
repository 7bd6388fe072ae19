"""Correction histories: by how much the static evaluation was wrong in positions like this one.

"Like this one" has several meanings: the same pawn structure, the same non-pawns of one colour, the same last two
moves.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.gravity import apply_gravity
from engine.alphabeta.state import CORRECTION_MASK, ROOT_OFFSET
from engine.core.bits import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount
from engine.kernel import inline, kernel
from engine.search.scores import clamp_evaluation

_LIMIT_BITS = np.int64(10)
_LIMIT = np.int64(1) << _LIMIT_BITS
_LARGEST_STEP = _LIMIT // 4
_PAIR_MULTIPLIER = np.uint64(0x4F1)  # odd, so that no bit of the earlier move is lost
_WHOLE = np.int64(1024)
_SCALE_BITS = np.int64(14)  # a full entry with weight 1024 corrects by 64 centipawns


@inline
def _correction_index(key):
    return np.int64(key & CORRECTION_MASK)


@inline
def _continuation_correction_index(state, ply):
    """Where the correction for the last two moves is kept: hashed, since a table of all pairs would miss the cache."""
    top = ROOT_OFFSET + ply
    before, last = np.uint64(state.piece_to[top - 2]), np.uint64(state.piece_to[top - 1])
    return np.int64((before * _PAIR_MULTIPLIER ^ last) & CORRECTION_MASK)


@inline
def _scale_eval(pos, params, raw):
    """The static evaluation `raw`, scaled by material, and less of it the closer a draw by the fifty-move rule is."""
    if params.use_material_scaling:
        men = (popcount(pos.types[PAWN]) + 3 * popcount(pos.types[KNIGHT] | pos.types[BISHOP])
               + 5 * popcount(pos.types[ROOK]) + 9 * popcount(pos.types[QUEEN]))
        raw = raw * (params.material_base + params.material_factor * men) // _WHOLE
    if params.use_rule50_scaling:
        raw -= raw * np.int64(pos.rule50) // params.rule50_divisor
    return raw


@kernel
def correct_eval(pos, state, ply, raw):
    """The static evaluation `raw`, scaled, and adjusted by the corrections learned so far."""
    us, params = np.int64(pos.side), state.params
    raw = _scale_eval(pos, params, raw)
    if not params.use_correction:
        return clamp_evaluation(raw)
    total = params.correction_pawn * np.int64(state.pawn_correction[us, _correction_index(pos.pawn_key)])
    for color in range(2):
        entry = np.int64(state.non_pawn_correction[us, color, _correction_index(pos.non_pawn_keys[color])])
        total += params.correction_non_pawn * entry
    recent = np.int64(state.continuation_correction[_continuation_correction_index(state, ply)])
    total += params.correction_continuation * recent
    return clamp_evaluation(raw + (total >> _SCALE_BITS))


@kernel
def update_correction_history(pos, state, ply, depth, error):
    """Learn that a search to `depth` found a score `error` above the corrected static evaluation."""
    step = min(max(error * depth // 8, -_LARGEST_STEP), _LARGEST_STEP)
    us = np.int64(pos.side)
    slot = _correction_index(pos.pawn_key)
    state.pawn_correction[us, slot] = apply_gravity(state.pawn_correction[us, slot], step, _LIMIT_BITS)
    for color in range(2):
        slot = _correction_index(pos.non_pawn_keys[color])
        entry = state.non_pawn_correction[us, color, slot]
        state.non_pawn_correction[us, color, slot] = apply_gravity(entry, step, _LIMIT_BITS)
    if state.piece_to[ROOT_OFFSET + ply - 1] != 0:
        slot = _continuation_correction_index(state, ply)
        state.continuation_correction[slot] = apply_gravity(state.continuation_correction[slot], step, _LIMIT_BITS)
