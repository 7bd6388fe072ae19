"""What it costs to expand a node with the policy, taken apart: moves, exchanges, priors."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.arena.choices import list_moves
from engine.core.movegen import ALL_MOVES, MOVE_LIST_TYPE, MoveListRecord, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord, make, unmake
from engine.kernel import Int, array_type, entry, inline, int64
from eval.policy.priors import policy_priors

_MOVES = array_type("u2")
LISTED, FLAGGED, WEIGHED = range(3)  # how far to go


@inline
def _expand(pos, listed, good, priors, address, extent):
    """Returns how many moves there are."""
    if extent == LISTED:
        checkers, pinned = checkers_and_pinned(pos)
        return generate(pos, listed, np.int64(0), ALL_MOVES, checkers, pinned)
    count = list_moves(pos, listed, good)
    if extent == WEIGHED:
        policy_priors(address, pos, listed.moves, count, good, priors)
    return count


@entry(POSITION_TYPE, _MOVES, int64, MOVE_LIST_TYPE, array_type("u1"), array_type("f4"), int64, int64)
def replay_with_expansions(pos: PositionRecord, moves: Any, rounds: int, listed: MoveListRecord, good: Any, priors: Any,
                           address: int, extent: int) -> Int:
    """Make the moves `rounds` times, expand after each, and take them back; returns how many legal moves there were.

    `listed`, `good` and `priors` are written; `address` is that of a policy.
    """
    total = np.int64(0)
    for _ in range(rounds):
        for ply in range(len(moves)):
            make(pos, np.int64(moves[ply]))
            total += _expand(pos, listed, good, priors, address, extent)
        for ply in range(len(moves) - 1, -1, -1):
            unmake(pos, np.int64(moves[ply]))
    return total
