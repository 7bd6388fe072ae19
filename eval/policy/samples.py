"""What the policy learns from: positions with their legal moves and the one that was played, 312 bytes each.

A sample is seen as the policy sees the board: from the side to move, and mirrored if its king is on files e to h.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.core.bits import BIT, EMPTY, clear_lsb, lsb, popcount
from engine.core.position import occupied_squares
from engine.kernel import array_type, kernel
from eval.policy.encoding import (
    attack_targets,
    check_squares,
    danger_of,
    from_to_row,
    piece_code,
    threats_of,
    trait_row,
    view_of,
)

MOST_MOVES = 64  # positions with more are left out: one in thousands
CHOICE = np.dtype([
    ("board", "<u8", 4),  # four bits per square, from a1: 0-5 own pawn to king, 6-11 the opponent's, 12 empty
    ("attacked", "<u8"),  # men that the other side attacks
    ("defended", "<u8"),  # men that their own side defends
    ("paths", "<u2", MOST_MOVES),  # the rows of the legal moves; what was played comes first
    ("traits", "u1", MOST_MOVES),
    ("dangers", "u1", MOST_MOVES),  # their kinds: the rest of the row, and the place, follow from path and traits
    ("count", "u1"),  # legal moves
    ("men", "u1"),
    ("unused", "u1", 6),
])
NOBODY = 12
CHOICES_TYPE = array_type(CHOICE)

Choices = npt.NDArray[Any]  # of CHOICE

_EMPTY_WORD = np.uint64(0xCCCC_CCCC_CCCC_CCCC)


@kernel
def write_choice(pos, moves, count, good, played, out, index):
    """Pack `pos` into `out[index]`: its first `count` legal `moves`, and which of them was `played`.

    `good[i]` is 1 if move i loses no material by exchanges, else 0.
    """
    row, view = out[index], view_of(pos)
    for word in range(4):
        row.board[word] = _EMPTY_WORD
    row.attacked = EMPTY
    row.defended = EMPTY
    attacked, defended = threats_of(pos)
    left = occupied_squares(pos)
    row.men = popcount(left)
    while left != EMPTY:
        square = lsb(left)
        left = clear_lsb(left)
        place = square ^ view
        row.board[place >> 4] ^= np.uint64(piece_code(pos, square) ^ NOBODY) << 4 * (place & 15)
        row.attacked |= (attacked >> square & BIT) << place
        row.defended |= (defended >> square & BIT) << place
    row.count = count
    checks, prey = check_squares(pos), attack_targets(pos)
    for number in range(count):
        place = number + 1 if number < played else (0 if number == played else number)
        move, is_good = np.int64(moves[number]), np.int64(good[number])
        row.paths[place] = from_to_row(move, view)
        row.traits[place] = trait_row(pos, move, checks, is_good)
        row.dangers[place] = danger_of(pos, move, prey)
    for place in range(count, MOST_MOVES):
        row.paths[place] = 0
        row.traits[place] = 0
        row.dangers[place] = 0
