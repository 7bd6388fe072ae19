"""Codes: the value of a position as endgame tables store it.

0 is a draw, 1 means that the side to move is mated, and every other code is one more than the plies to mate: even codes
are won for the side to move, odd codes lost. To compare moves, codes are turned into their worth: more is better.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline

DRAWN = np.int64(0)
MATED = np.int64(1)
ILLEGAL = np.int64(65_535)
NARROW_ILLEGAL = np.int64(255)  # the same in cells of one byte

# The outcome for the side to move, as containers store it in two bits; UNKNOWN also stands for an unknown code.
OUTCOME_DRAW, OUTCOME_WIN, OUTCOME_LOSS = np.int64(0), np.int64(1), np.int64(2)
UNKNOWN = np.int64(-1)  # no endgame table, or not loaded

NO_MOVE = np.int64(-1_000_000)  # the worth of having no move
_SURE = np.int64(100_000)  # the worth of an immediate win; every ply to mate takes one off


@inline
def is_won(code):
    return code > 0 and code & 1 == 0


@inline
def move_value(code):
    """The worth of a move that leaves the other side a position with this code; more is better."""
    if code == DRAWN:
        return np.int64(0)
    return code - _SURE if is_won(code) else _SURE - code


@inline
def value_of_code(code):
    """The inverse of `code_of_value`."""
    if code == DRAWN:
        return np.int64(0)
    return _SURE - code + 1 if is_won(code) else code - 1 - _SURE


@inline
def code_of_value(worth):
    """The code of a position whose best move has this worth."""
    if worth == 0:
        return DRAWN
    return (_SURE - worth if worth > 0 else _SURE + worth) + 1


def rank_of_move(code: int) -> int:
    """`move_value` in plain Python, since calling a kernel from Python is slow."""
    if code == 0:
        return 0
    return int(_SURE) - code if code % 2 else code - int(_SURE)
