"""What nodes of the search and of quiescence share: limits, draws, probing tables, the evaluation, the line."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.tt import (
    TT_MISS,
    entry_tt_pv,
)
from engine.core.moves import NULL_MOVE
from engine.kernel import inline


@inline
def update_pv(state, ply, move):
    """Prepend `move` to the line of the next ply."""
    length = state.pv_length[ply + 1]
    state.pv[ply, 0] = move
    for index in range(length):
        state.pv[ply, index + 1] = state.pv[ply + 1, index]
    state.pv_length[ply] = length + 1


# Bookkeeping.


@inline
def init_frame(state, ply):
    """Clear the killers of the children, and inherit the count of double extensions from the parent."""
    state.killers[ply + 1, 0] = state.killers[ply + 1, 1] = NULL_MOVE
    state.double_extensions[ply] = state.double_extensions[ply - 1] if ply > 0 else 0


@inline
def record_best_move(state, ply, move, score, is_pv):
    """Keep the best line so far; at the root its score too, in case the search is aborted."""
    if is_pv:
        update_pv(state, ply, move)
    if ply == 0:
        state.root_score = score


@inline
def count_cutoff(state, move_count):
    """Count a cut-off, and whether the first move caused it: the measure of the move ordering."""
    state.beta_cutoffs += 1
    state.first_move_cutoffs += np.int64(move_count == 1)


@inline
def set_tt_pv(state, ply, is_pv, data, excluded):
    """Note whether the position is or was in a principal variation, and return it as 1 or 0. A search that leaves out
    a move adds nothing new.
    """
    if excluded == NULL_MOVE:
        state.tt_pv[ply] = is_pv or (data != TT_MISS and entry_tt_pv(data))
    return np.int64(state.tt_pv[ply])


@inline
def tt_pv_to_store(state, ply, fails_low):
    """What the TT remembers about principal variations: if all replies fail low, the last move may well be played."""
    was_pv = np.int64(state.tt_pv[ply])
    return np.int64(state.tt_pv[ply - 1]) | was_pv if fails_low and ply > 0 else was_pv
