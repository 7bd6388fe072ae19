"""Codes: the DTM of a position as the generator stores it.

0 is a draw, 1 means that the side to move is mated, and every other code is one more than the plies to mate: even codes
are wins for the side to move, odd codes losses. To compare moves, codes are converted to values: higher is better.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline

DRAWN = np.int64(0)
MATED = np.int64(1)
ILLEGAL = np.int64(65_535)
NARROW_ILLEGAL = np.int64(255)  # ILLEGAL in cells of one byte

# The WDL of the side to move, as containers store it in two bits.
OUTCOME_DRAW, OUTCOME_WIN, OUTCOME_LOSS = np.int64(0), np.int64(1), np.int64(2)
UNKNOWN = np.int64(-1)  # an outcome or code whose table does not exist or is not loaded

NO_MOVE = np.int64(-1_000_000)  # the value if there is no move
_WIN = np.int64(100_000)  # the value of an immediate win; every ply to mate subtracts one


@inline
def is_won(code):
    return code > 0 and code & 1 == 0


@inline
def move_value(code):
    """The value of a move to a position with this code for the other side; higher is better."""
    if code == DRAWN:
        return np.int64(0)
    return code - _WIN if is_won(code) else _WIN - code


@inline
def value_of_code(code):
    """The inverse of `code_of_value`."""
    if code == DRAWN:
        return np.int64(0)
    return _WIN - code + 1 if is_won(code) else code - 1 - _WIN


@inline
def code_of_value(value):
    """The code of a position whose best move has this value."""
    if value == 0:
        return DRAWN
    return (_WIN - value if value > 0 else _WIN + value) + 1


def rank_of_move(code: int) -> int:
    """`move_value` in plain Python, because calling a kernel from Python is slow."""
    if code == 0:
        return 0
    return int(_WIN) - code if code % 2 else code - int(_WIN)
