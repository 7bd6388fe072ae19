"""Draws by rule: repetition, fifty moves, insufficient material."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BISHOP, EMPTY, KNIGHT, LIGHT_SQUARES, PAWN, QUEEN, ROOK, has_several
from engine.core.position import HISTORY, HISTORY_MASK, PAST_KEY
from engine.kernel import inline, kernel

FIFTY_MOVES = np.int64(100)  # in plies

_LONGEST_LOOK_BACK = np.int64(HISTORY - 2)


@inline
def is_fifty_moves(pos):
    """Whether a player may claim a draw by the fifty-move rule; a mate on the last move comes first."""
    return pos.rule50 >= FIFTY_MOVES


@kernel
def earlier_occurrences(pos, enough):
    """How often the position occurred before (same side, castling and en-passant rights); stops at `enough`."""
    reach = min(np.int64(pos.rule50), np.int64(pos.ply) - np.int64(pos.last_null), _LONGEST_LOOK_BACK)
    found = np.int64(0)
    # The nearest that can be equal is four plies back: each side has to move away and to come back.
    for back in range(4, reach + 1, 2):
        if pos.past[(np.int64(pos.ply) - back) & HISTORY_MASK, PAST_KEY] == pos.key:
            found += 1
            if found == enough:
                break
    return found


@inline
def is_insufficient_material(pos):
    """Whether neither side can mate, whatever the other plays: bare kings, one minor, bishops of one colour."""
    if pos.types[PAWN] | pos.types[ROOK] | pos.types[QUEEN] != EMPTY:
        return False
    bishops = pos.types[BISHOP]
    if not has_several(pos.types[KNIGHT] | bishops):
        return True
    one_colour = bishops & LIGHT_SQUARES == EMPTY or bishops & ~LIGHT_SQUARES == EMPTY
    return pos.types[KNIGHT] == EMPTY and one_colour
