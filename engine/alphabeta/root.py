"""The entry point of a search, the only one that contains the code of the node."""

from __future__ import annotations

import numpy as np

from engine.alphabeta.node import search
from engine.alphabeta.state import STATE_TYPE, StateRecord, frame_at
from engine.core.position import POSITION_TYPE, PositionRecord
from engine.kernel import entry, int64
from engine.search.scores import NO_SCORE


@entry(POSITION_TYPE, STATE_TYPE, int64, int64, int64, int64)
def search_from(pos: PositionRecord, state: StateRecord, depth: int, alpha: int, beta: int, ply: int) -> int:
    """Search `pos` to `depth` in the window from `alpha` to `beta`; returns the score, with mates counted from ply 0.

    `ply` 0 is the root, whose moves `init_root` has listed; any other ply is a node like all others. The line is in
    `state.pv[ply]`. If `state.stopped` is set the score means nothing, and the line is what the unfinished search had
    found, maybe nothing. Other kernels call it by its address, so that its code, which is large, exists only once.
    """
    parent = frame_at(state, ply - 1)
    state.root_depth = depth
    if ply > 0:
        # the previous search was of another position
        parent.positional_eval = parent.static_eval = NO_SCORE
    return search(pos, state, alpha, beta, depth, ply, np.int64(0))
