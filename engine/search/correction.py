"""Correction histories: how far the search found the static evaluation to be wrong in positions like this one.

"Like this one" has three meanings: the same pawns, the same other pieces of one colour, the same two last moves.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline, kernel
from engine.search.scores import clamp_evaluation
from engine.search.state import BEFORE_ROOT, CORRECTION_MASK

_LIMIT_BITS = np.int64(10)
_LIMIT = np.int64(1) << _LIMIT_BITS
_LARGEST_STEP = _LIMIT // 4
_SCALE_BITS = np.int64(14)  # a full entry with weight 1024 corrects by 64 centipawns


@inline
def _slot(key):
    return np.int64(key & CORRECTION_MASK)


@kernel
def corrected_eval(pos, state, ply, raw):
    """The static evaluation `raw`, corrected by what was learned."""
    if not state.params.use_correction:
        return clamp_evaluation(raw)
    us, params, top = np.int64(pos.side), state.params, BEFORE_ROOT + ply
    total = params.correction_pawn * np.int64(state.pawn_correction[us, _slot(pos.pawn_key)])
    for color in range(2):
        entry = np.int64(state.non_pawn_correction[us, color, _slot(pos.non_pawn_keys[color])])
        total += params.correction_non_pawn * entry
    recent = np.int64(state.continuation_correction[state.slots[top - 2], state.slots[top - 1]])
    total += params.correction_continuation * recent
    return clamp_evaluation(raw + (total >> _SCALE_BITS))


@inline
def _moved(entry, step):
    entry = np.int64(entry)
    return entry + step - (entry * abs(step) >> _LIMIT_BITS)


@kernel
def learn_correction(pos, state, ply, depth, error):
    """Remember that the search found a score `error` above the corrected static evaluation."""
    step = min(max(error * depth // 8, -_LARGEST_STEP), _LARGEST_STEP)
    us, top = np.int64(pos.side), BEFORE_ROOT + ply
    slot = _slot(pos.pawn_key)
    state.pawn_correction[us, slot] = _moved(state.pawn_correction[us, slot], step)
    for color in range(2):
        slot = _slot(pos.non_pawn_keys[color])
        state.non_pawn_correction[us, color, slot] = _moved(state.non_pawn_correction[us, color, slot], step)
    before, last = np.int64(state.slots[top - 2]), np.int64(state.slots[top - 1])
    if last != 0:
        state.continuation_correction[before, last] = _moved(state.continuation_correction[before, last], step)
