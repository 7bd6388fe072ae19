"""The principal variation, and what else a node keeps in its frame."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.state import frame_at
from engine.alphabeta.tt import entry_tt_pv
from engine.core.moves import NULL_MOVE
from engine.kernel import inline


@inline
def update_pv(state, ply, move):
    """The PV of this ply: `move`, then the PV of the next ply."""
    frame, child = frame_at(state, ply), frame_at(state, ply + 1)
    length = child.pv_length
    state.pv[ply, 0] = move
    for index in range(length):
        state.pv[ply, index + 1] = state.pv[ply + 1, index]
    frame.pv_length = length + 1


@inline
def init_frame(state, ply):
    """Clear the killers of the children, and inherit the count of double extensions from the parent."""
    frame, parent, child = frame_at(state, ply), frame_at(state, ply - 1), frame_at(state, ply + 1)
    child.killers[0] = child.killers[1] = NULL_MOVE
    frame.double_extensions = parent.double_extensions if ply > 0 else 0


@inline
def record_best_move(state, ply, move, score, is_pv):
    """Update the PV; at the root keep the score too, in case the search is aborted."""
    if is_pv:
        update_pv(state, ply, move)
    if ply == 0:
        state.root_score = score


@inline
def count_cutoff(state, move_count):
    """Count a beta cutoff, and whether the first move caused it: the measure of the move ordering."""
    state.beta_cutoffs += 1
    state.first_move_cutoffs += np.int64(move_count == 1)


@inline
def set_tt_pv(state, ply, is_pv, tt_entry, excluded):
    """Set `tt_pv`, 1 if the position is or was in a PV, and return it. A search with an excluded move keeps
    the value.
    """
    frame = frame_at(state, ply)
    if excluded == NULL_MOVE:
        frame.tt_pv = is_pv or entry_tt_pv(tt_entry)
    return np.int64(frame.tt_pv)


@inline
def tt_pv_to_store(state, ply, fails_low):
    """The `tt_pv` to store: if all replies fail low, the last move may well be played, so the parent's counts
    as well.
    """
    frame, parent = frame_at(state, ply), frame_at(state, ply - 1)
    tt_pv = np.int64(frame.tt_pv)
    return np.int64(parent.tt_pv) | tt_pv if fails_low and ply > 0 else tt_pv
