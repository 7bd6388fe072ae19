"""Quiet moves between the cells of one table, forwards and backwards.

A double push that allows en passant leads to no cell, because cells do not record that right; conversions.py handles
it.
"""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN, clear_lsb, lsb
from engine.kernel import inline, kernel
from tablebase.generator.work_table import cell_of, cell_with_kings, color_of, mirrored_cell
from tablebase.indexing import MAX_OTHERS, NO_CELL, ON_DIAGONAL, PAIR_INDICES

FORWARDS, BACKWARDS = np.int64(0), np.int64(1)
PIECES, PAWNS = np.int64(1), np.int64(2)  # values of `movers`; kings count as pieces
ALL_MOVERS = np.int64(3)


@inline
def allows_en_passant(table, placement, target, color):
    """Whether a pawn of the other side is next to `target`, where a double push of `color` ends."""
    for index in range(table.others):
        if (table.pieces[index] == (color ^ 1) * 8 + PAWN and placement.squares[index] >> 3 == target >> 3
                and abs(placement.squares[index] - target) == 1):
            return True
    return False


@inline
def pawn_pushes(table, placement, index, direction):
    """The squares that pawn `index` reaches (or comes from) by pushes without promotion or en passant."""
    color, square, occupied = color_of(table, index), placement.squares[index], placement.occupied
    ahead = np.int64(8) if color == 0 else np.int64(-8)
    rank = square >> 3 if color == 0 else 7 - (square >> 3)
    if direction == BACKWARDS:
        if rank < 2 or occupied >> (square - ahead) & BIT != EMPTY:
            return EMPTY
        pushes = BIT << (square - ahead)
        if (rank == 3 and occupied >> (square - 2 * ahead) & BIT == EMPTY
                and not allows_en_passant(table, placement, square, color)):
            pushes |= BIT << (square - 2 * ahead)
        return pushes
    if rank == 6 or occupied >> (square + ahead) & BIT != EMPTY:
        return EMPTY
    pushes = BIT << (square + ahead)
    if (rank == 1 and occupied >> (square + 2 * ahead) & BIT == EMPTY
            and not allows_en_passant(table, placement, square + 2 * ahead, color)):
        pushes |= BIT << (square + 2 * ahead)
    return pushes


@kernel
def list_quiet_king_moves(table, placement, side, direction):
    """Write the cells that quiet king moves of `side` lead to (or come from) to `next_cells`; return their number."""
    count = np.int64(0)
    targets = KING_ATTACKS[placement.white_king if side == 0 else placement.black_king] & ~placement.occupied
    while targets != EMPTY:
        target = lsb(targets)
        targets = clear_lsb(targets)
        white, black = (target, placement.black_king) if side == 0 else (placement.white_king, target)
        cell = cell_with_kings(table, placement, white, black)
        if cell == NO_CELL:
            continue
        placement.next_cells[count] = cell
        count += 1
        if direction == BACKWARDS and not table.has_pawns and ON_DIAGONAL[PAIR_INDICES[white * 64 + black]]:
            # Only one of the two mirror images of this move starts at a cell of the table, but both end at one.
            placement.next_cells[count] = mirrored_cell(table, placement, white, black)
            count += 1
    return count


@kernel
def list_quiet_moves(table, placement, side, direction, movers):
    """Write the cells that quiet moves of `side` lead to (or come from) to `next_cells`; return their number."""
    count = list_quiet_king_moves(table, placement, side, direction) if movers & PIECES else np.int64(0)
    for index in range(table.others):
        is_pawn = table.pieces[index] & 7 == PAWN
        if color_of(table, index) != side or movers & (PAWNS if is_pawn else PIECES) == 0:
            continue
        square = placement.squares[index]
        if is_pawn:
            targets = pawn_pushes(table, placement, index, direction)
        else:
            targets = piece_attacks(table.pieces[index] & 7, square, placement.occupied) & ~placement.occupied
        has_equal = ((index > 0 and table.own.alike[index - 1] != 0)
                     or (index < MAX_OTHERS - 1 and table.own.alike[index] != 0))
        stride = table.own.stride[index]
        while targets != EMPTY:
            target = lsb(targets)
            targets = clear_lsb(targets)
            if has_equal:
                placement.squares[index] = target
                placement.next_cells[count] = cell_of(table, placement)
            else:
                placement.next_cells[count] = placement.cell + (target - square) * stride
            count += 1
        placement.squares[index] = square
    return count
