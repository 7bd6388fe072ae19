"""Draws by rule: repetition, fifty moves, insufficient material."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BISHOP, EMPTY, KNIGHT, LIGHT_SQUARES, PAWN, QUEEN, ROOK, more_than_one
from engine.core.position import HISTORY, HISTORY_MASK, PAST_KEY
from engine.kernel import inline, kernel

FIFTY_MOVES = np.int64(100)  # in plies

_MAX_REVERSIBLE = np.int64(HISTORY - 2)
_NEAREST = np.int64(4)  # plies: each side has to move away and come back


@inline
def is_fifty_moves(pos):
    """Whether the fifty-move rule applies; the caller checks for mate first, which takes precedence."""
    return pos.rule50 >= FIFTY_MOVES


@inline
def reversible_plies(pos):
    """The number of plies back to the oldest position that can still be repeated."""
    return min(np.int64(pos.rule50), np.int64(pos.ply) - np.int64(pos.last_null), _MAX_REVERSIBLE)


@kernel
def plies_since_repetition(pos, nearest):
    """Plies since the position last occurred, at least `nearest` (an even number) plies ago; 0 if it did not.

    Equal positions have the same side to move, castling rights and possible en passant captures.
    """
    for back in range(nearest, reversible_plies(pos) + 1, 2):
        if pos.undo_stack[(np.int64(pos.ply) - back) & HISTORY_MASK, PAST_KEY] == pos.key:
            return back
    return np.int64(0)


@kernel
def repetition_count(pos):
    """The number of earlier occurrences of the position."""
    count = np.int64(0)
    back = plies_since_repetition(pos, _NEAREST)
    while back != 0:
        count += 1
        back = plies_since_repetition(pos, back + _NEAREST)
    return count


@kernel
def is_repetition(pos, plies_searched):
    """Whether the position is a draw by repetition for a search that began `plies_searched` plies ago.

    One earlier occurrence inside the search is enough, because a line that repeats once can repeat again. If the
    earlier occurrence is in the game, two are needed, as in the rules.
    """
    back = plies_since_repetition(pos, _NEAREST)
    if back == 0:
        return False
    return back <= plies_searched or plies_since_repetition(pos, back + _NEAREST) != 0


@inline
def is_insufficient_material(pos):
    """Whether no sequence of moves leads to mate: bare kings, one minor piece, or bishops on squares of one colour."""
    if pos.types[PAWN] | pos.types[ROOK] | pos.types[QUEEN] != EMPTY:
        return False
    bishops = pos.types[BISHOP]
    if not more_than_one(pos.types[KNIGHT] | bishops):
        return True
    on_one_color = bishops & LIGHT_SQUARES == EMPTY or bishops & ~LIGHT_SQUARES == EMPTY
    return pos.types[KNIGHT] == EMPTY and on_one_color
