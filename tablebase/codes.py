"""Codes: the value of a position as endgame tables write it.

0 is a draw, 1 a side that is mated, everything else one more than the plies to the mate: even codes are won for the
side to move, odd ones lost. To compare moves, codes are turned into what they are worth: more is better.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import inline

DRAWN = np.int64(0)
MATED = np.int64(1)
ILLEGAL = np.int64(65_535)
NARROW_ILLEGAL = np.int64(255)  # how cells of one byte write it

# An outcome for the side to move, as containers write it in two bits; and what stands for no answer, also of a code.
OUTCOME_DRAW, OUTCOME_WIN, OUTCOME_LOSS = np.int64(0), np.int64(1), np.int64(2)
UNKNOWN = np.int64(-1)  # no endgame table, or none that is loaded

NO_MOVE = np.int64(-1_000_000)  # the worth of having none
_SURE = np.int64(100_000)  # the worth of a win at once; every ply until the mate takes one off


@inline
def is_won(code):
    return code > 0 and code & 1 == 0


@inline
def worth_of_move(code):
    """What a move is worth that gives the other side a position of this code; more is better."""
    if code == DRAWN:
        return np.int64(0)
    return code - _SURE if is_won(code) else _SURE - code


@inline
def worth_of(code):
    """The inverse of `code_of`."""
    if code == DRAWN:
        return np.int64(0)
    return _SURE - code + 1 if is_won(code) else code - 1 - _SURE


@inline
def code_of(worth):
    """The code of a position whose best move is worth so much."""
    if worth == 0:
        return DRAWN
    return (_SURE - worth if worth > 0 else _SURE + worth) + 1


def rank_of_move(code: int) -> int:
    """`worth_of_move` in plain Python: called from there a kernel is slow."""
    if code == 0:
        return 0
    return int(_SURE) - code if code % 2 else code - int(_SURE)
