"""Draws by rule: repetition, fifty moves, insufficient material."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BISHOP, EMPTY, KNIGHT, LIGHT_SQUARES, PAWN, QUEEN, ROOK, more_than_one
from engine.core.position import HISTORY, HISTORY_MASK, PAST_KEY
from engine.kernel import inline, kernel

FIFTY_MOVES = np.int64(100)  # in plies

_LONGEST_LOOK_BACK = np.int64(HISTORY - 2)
_NEAREST = np.int64(4)  # each side has to move away and come back


@inline
def is_fifty_moves(pos):
    """Whether a player may claim a draw by the fifty-move rule; a mate on the last move takes precedence."""
    return pos.rule50 >= FIFTY_MOVES


@inline
def reversible_plies(pos):
    """How many plies back a position may lie that can still be repeated."""
    return min(np.int64(pos.rule50), np.int64(pos.ply) - np.int64(pos.last_null), _LONGEST_LOOK_BACK)


@kernel
def plies_since_repetition(pos, nearest):
    """How many plies ago the position last occurred, looking `nearest` (an even number) or more back; 0 if it did not.

    The same position has the same side to move, castling rights and possible en passant captures.
    """
    for back in range(nearest, reversible_plies(pos) + 1, 2):
        if pos.undo_stack[(np.int64(pos.ply) - back) & HISTORY_MASK, PAST_KEY] == pos.key:
            return back
    return np.int64(0)


@kernel
def repetition_count(pos):
    """How often the position has occurred before."""
    found = np.int64(0)
    back = plies_since_repetition(pos, _NEAREST)
    while back != 0:
        found += 1
        back = plies_since_repetition(pos, back + _NEAREST)
    return found


@kernel
def is_repetition(pos, plies_searched):
    """Whether the position is a draw by repetition for a search that began `plies_searched` plies ago.

    Within the searched line one earlier occurrence is enough: what could be repeated once can be repeated again. If
    the earlier occurrence was in the game itself, two are needed, as the rule says.
    """
    back = plies_since_repetition(pos, _NEAREST)
    if back == 0:
        return False
    return back <= plies_searched or plies_since_repetition(pos, back + _NEAREST) != 0


@inline
def is_insufficient_material(pos):
    """Whether neither side can ever mate: bare kings, a single minor piece, or bishops all on one colour of square."""
    if pos.types[PAWN] | pos.types[ROOK] | pos.types[QUEEN] != EMPTY:
        return False
    bishops = pos.types[BISHOP]
    if not more_than_one(pos.types[KNIGHT] | bishops):
        return True
    one_colour = bishops & LIGHT_SQUARES == EMPTY or bishops & ~LIGHT_SQUARES == EMPTY
    return pos.types[KNIGHT] == EMPTY and one_colour
