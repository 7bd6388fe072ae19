"""Quiet moves from cell to cell of one endgame table, forwards and backwards.

A double push that allows en passant leads to no cell, since cells do not record that right: it is left out here and
handled separately.
"""

from __future__ import annotations

import numpy as np

from engine.core.attacks import KING_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN, clear_lsb, lsb
from engine.kernel import inline, kernel
from tablebase.generator.work_table import cell_of, cell_with_kings, color_of, twin_with_kings
from tablebase.indexing import MOST_OTHERS, NO_CELL, ON_DIAGONAL, PAIR_NUMBERS

FORWARDS, BACKWARDS = np.int64(0), np.int64(1)
PIECES, PAWNS = np.int64(1), np.int64(2)  # who moves; kings count as pieces
EVERYBODY = np.int64(3)


@inline
def allows_en_passant(draft, place, target, color):
    """Whether a pawn of the other side is beside `target`, where a double push has ended."""
    for man in range(draft.others):
        if (draft.pieces[man] == (color ^ 1) * 8 + PAWN and place.squares[man] >> 3 == target >> 3
                and abs(place.squares[man] - target) == 1):
            return True
    return False


@inline
def pawn_pushes(draft, place, man, way):
    """Where a pawn goes to (or comes from) by a push that neither promotes nor allows en passant."""
    color, square, occupied = color_of(draft, man), place.squares[man], place.occupied
    ahead = np.int64(8) if color == 0 else np.int64(-8)
    rank = square >> 3 if color == 0 else 7 - (square >> 3)
    if way == BACKWARDS:
        if rank < 2 or occupied >> (square - ahead) & BIT != EMPTY:
            return EMPTY
        steps = BIT << (square - ahead)
        if (rank == 3 and occupied >> (square - 2 * ahead) & BIT == EMPTY
                and not allows_en_passant(draft, place, square, color)):
            steps |= BIT << (square - 2 * ahead)
        return steps
    if rank == 6 or occupied >> (square + ahead) & BIT != EMPTY:
        return EMPTY
    steps = BIT << (square + ahead)
    if (rank == 1 and occupied >> (square + 2 * ahead) & BIT == EMPTY
            and not allows_en_passant(draft, place, square + 2 * ahead, color)):
        steps |= BIT << (square + 2 * ahead)
    return steps


@kernel
def list_quiet_king_moves(draft, place, side, way):
    """Write the cells that a quiet move of the king leads to (or comes from) to `steps`; returns how many."""
    count = np.int64(0)
    targets = KING_ATTACKS[place.white_king if side == 0 else place.black_king] & ~place.occupied
    while targets != EMPTY:
        target = lsb(targets)
        targets = clear_lsb(targets)
        white, black = (target, place.black_king) if side == 0 else (place.white_king, target)
        cell = cell_with_kings(draft, place, white, black)
        if cell == NO_CELL:
            continue
        place.steps[count] = cell
        count += 1
        if way == BACKWARDS and not draft.has_pawns and ON_DIAGONAL[PAIR_NUMBERS[white * 64 + black]]:
            # Only one of the two mirror images of this move starts at a cell of the draft, but both end at one.
            place.steps[count] = twin_with_kings(draft, place, white, black)
            count += 1
    return count


@kernel
def list_quiet_moves(draft, place, side, way, movers):
    """Write the cells that a quiet move of `side` leads to (or comes from) to `steps`; returns how many."""
    count = list_quiet_king_moves(draft, place, side, way) if movers & PIECES else np.int64(0)
    for man in range(draft.others):
        is_pawn = draft.pieces[man] & 7 == PAWN
        if color_of(draft, man) != side or movers & (PAWNS if is_pawn else PIECES) == 0:
            continue
        square = place.squares[man]
        if is_pawn:
            targets = pawn_pushes(draft, place, man, way)
        else:
            targets = piece_attacks(draft.pieces[man] & 7, square, place.occupied) & ~place.occupied
        has_like = (man > 0 and draft.own.alike[man - 1] != 0) or (man < MOST_OTHERS - 1 and draft.own.alike[man] != 0)
        stride = draft.own.stride[man]
        while targets != EMPTY:
            target = lsb(targets)
            targets = clear_lsb(targets)
            if has_like:
                place.squares[man] = target
                place.steps[count] = cell_of(draft, place)
            else:
                place.steps[count] = place.cell + (target - square) * stride
            count += 1
        place.squares[man] = square
    return count
