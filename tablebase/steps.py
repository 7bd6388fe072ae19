"""Quiet moves from cell to cell of one table, forwards and backwards.

A double step that lets the other side capture en passant leads to no cell, for cells know nothing of that right: it
is left out here, and looked at apart.
"""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN, lsb, without_lsb
from engine.kernel import inline, kernel
from tablebase.geometry import MOST_OTHERS, NO_CELL, ON_DIAGONAL, PAIR_NUMBERS
from tablebase.table import cell_of, color_of, twin_of

FORWARDS, BACKWARDS = np.int64(0), np.int64(1)
LONGEST_LIST = 256  # no side has so many quiet moves, twins included


@inline
def allows_en_passant(table, squares, target, color):
    """Whether a pawn of the other side stands beside `target`, where a double step has ended."""
    for man in range(table.others):
        if (table.pieces[man] == (color ^ 1) * 8 + PAWN and squares[man] >> 3 == target >> 3
                and abs(squares[man] - target) == 1):
            return True
    return False


@inline
def pawn_steps(table, squares, man, occupied, backwards):
    """Where a pawn goes (or comes from) by a step that neither captures, nor promotes, nor allows en passant."""
    color, square = color_of(table, man), squares[man]
    ahead = np.int64(8) if color == 0 else np.int64(-8)
    rank = square >> 3 if color == 0 else 7 - (square >> 3)
    if backwards:
        if rank < 2 or occupied >> (square - ahead) & BIT != EMPTY:
            return EMPTY
        steps = BIT << (square - ahead)
        if (rank == 3 and occupied >> (square - 2 * ahead) & BIT == EMPTY
                and not allows_en_passant(table, squares, square, color)):
            steps |= BIT << (square - 2 * ahead)
        return steps
    if rank == 6 or occupied >> (square + ahead) & BIT != EMPTY:
        return EMPTY
    steps = BIT << (square + ahead)
    if (rank == 1 and occupied >> (square + 2 * ahead) & BIT == EMPTY
            and not allows_en_passant(table, squares, square + 2 * ahead, color)):
        steps |= BIT << (square + 2 * ahead)
    return steps


@kernel
def list_king_steps(table, white_king, black_king, squares, occupied, side, backwards, out):
    """Write the cells that a quiet move of the king leads to (or comes from); returns how many."""
    count = np.int64(0)
    targets = KING_ATTACKS[white_king if side == 0 else black_king] & ~occupied
    while targets != EMPTY:
        target = lsb(targets)
        targets = without_lsb(targets)
        white, black = (target, black_king) if side == 0 else (white_king, target)
        cell = cell_of(table, white, black, squares)
        if cell == NO_CELL:
            continue
        out[count] = cell
        count += 1
        if backwards and not table.has_pawns and ON_DIAGONAL[PAIR_NUMBERS[white * 64 + black]]:
            # Only one of the two images of this move starts at a cell of the table, but both end at one.
            out[count] = twin_of(table, white, black, squares)
            count += 1
    return count


@kernel
def list_steps(table, white_king, black_king, cell, squares, occupied, side, backwards, out):
    """Write the cells that a quiet move of `side` leads to (or comes from) to `out`; returns how many."""
    count = list_king_steps(table, white_king, black_king, squares, occupied, side, backwards, out)
    for man in range(table.others):
        if color_of(table, man) != side:
            continue
        square = squares[man]
        if table.pieces[man] & 7 == PAWN:
            targets = pawn_steps(table, squares, man, occupied, backwards)
        else:
            targets = piece_attacks(table.pieces[man] & 7, square, occupied) & ~occupied
        has_like = (man > 0 and table.own.alike[man - 1] != 0) or (man < MOST_OTHERS - 1 and table.own.alike[man] != 0)
        stride = table.own.stride[man]
        while targets != EMPTY:
            target = lsb(targets)
            targets = without_lsb(targets)
            if has_like:
                squares[man] = target
                out[count] = cell_of(table, white_king, black_king, squares)
            else:
                out[count] = cell + (target - square) * stride
            count += 1
        squares[man] = square
    return count
