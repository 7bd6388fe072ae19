"""The policy's training samples: positions with their legal moves and the one that was played, 312 bytes each.

A sample is stored as the policy sees the board: from the side to move, and mirrored if its king is on files e to h.
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
    check_squares_and_shields,
    danger_of,
    from_to_row,
    piece_code,
    threats_of,
    trait_row,
    view_of,
)

MOST_MOVES = 64  # positions with more, one in thousands, are skipped
CHOICE = np.dtype([
    ("board", "<u8", 4),  # four bits per square, from a1: 0-5 own pawn to king, 6-11 the opponent's, 12 empty
    ("attacked", "<u8"),  # pieces that the other side attacks
    ("defended", "<u8"),  # pieces that their own side defends
    ("from_to", "<u2", MOST_MOVES),  # the rows of the legal moves; the played move comes first
    ("traits", "u1", MOST_MOVES),
    ("dangers", "u1", MOST_MOVES),  # the rest of that row, and the piece-to row, follow from from_to and traits
    ("count", "u1"),  # legal moves
    ("pieces", "u1"),
    ("unused", "u1", 6),
])
NO_PIECE_CODE = 12
CHOICES_TYPE = array_type(CHOICE)

Choices = npt.NDArray[Any]  # of CHOICE

_EMPTY_WORD = np.uint64(0xCCCC_CCCC_CCCC_CCCC)


@kernel
def write_choice(pos, moves, count, good, played, out, index):
    """Pack `pos` into `out[index]`: its first `count` legal `moves`, and which of them was `played`.

    `good[i]` is 1 if SEE finds that move i loses no material, else 0.
    """
    row, view = out[index], view_of(pos)
    for word in range(4):
        row.board[word] = _EMPTY_WORD
    row.attacked = EMPTY
    row.defended = EMPTY
    attacked, defended = threats_of(pos)
    left = occupied_squares(pos)
    row.pieces = popcount(left)
    while left != EMPTY:
        square = lsb(left)
        left = clear_lsb(left)
        view_square = square ^ view
        row.board[view_square >> 4] ^= np.uint64(piece_code(pos, square) ^ NO_PIECE_CODE) << 4 * (view_square & 15)
        row.attacked |= (attacked >> square & BIT) << view_square
        row.defended |= (defended >> square & BIT) << view_square
    row.count = count
    checks, targets = check_squares_and_shields(pos), attack_targets(pos)
    for number in range(count):
        entry = number + 1 if number < played else (0 if number == played else number)
        move, is_good = np.int64(moves[number]), np.int64(good[number])
        row.from_to[entry] = from_to_row(move, view)
        row.traits[entry] = trait_row(pos, move, checks, is_good)
        row.dangers[entry] = danger_of(pos, move, targets)
    for entry in range(count, MOST_MOVES):
        row.from_to[entry] = 0
        row.traits[entry] = 0
        row.dangers[entry] = 0
