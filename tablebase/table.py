"""The table that is being made: its record, its cells, and the position that a cell stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.attacks import PAWN_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN
from engine.kernel import inline, record_dtype, record_type
from engine.kernel.intrinsics import load_u8, load_u16, store_u8, store_u16
from tablebase.codes import ILLEGAL, NARROW_ILLEGAL
from tablebase.geometry import MOST_OTHERS, PAIR_SQUARES, SYMMETRIES, VIEW, cell_in

NOBODY = np.int64(3)  # as the number of a captured or a promoted man
UNCHANGED = np.int64(0)  # as the type that a man is promoted to

_NARROW = np.int64(8)
_ACROSS_DIAGONAL = np.int64(4 * 64)  # where that symmetry begins
_TYPES = 6  # of men, with UNCHANGED

# The table that is being made, and the finished ones that its captures and promotions lead to.
TABLE = record_dtype([
    ("own", VIEW),
    ("pieces", "i8", MOST_OTHERS),
    ("radix", "i8", MOST_OTHERS),  # [place]: how many squares the man can stand on
    ("others", "i8"),
    ("pair_cells", "i8"),  # cells of one pair of kings
    ("has_pawns", "i8"),
    ("has_pawns_of_both", "i8"),
    ("children", VIEW, (MOST_OTHERS + 1) * (MOST_OTHERS + 1) * _TYPES),  # [child_number(...)]
])
TABLE_TYPE = record_type(TABLE)
TableRecord = Any



@inline
def child_number(captured, promoted, kind):
    """Which child a move leads to: NOBODY for none captured or promoted, and the promoted man's new type."""
    return (captured * (NOBODY + 1) + promoted) * _TYPES + kind


@inline
def load_code(view, side, cell):
    """The code of a cell; `side` is to move, as the table sees it."""
    if view.width == _NARROW:
        code = load_u8(view.address[side] + cell)
        return ILLEGAL if code == NARROW_ILLEGAL else code
    return load_u16(view.address[side] + 2 * cell)


@inline
def store_code(view, side, cell, code):
    if view.width == _NARROW:
        store_u8(view.address[side] + cell, min(code, NARROW_ILLEGAL))
    else:
        store_u16(view.address[side] + 2 * cell, code)


@inline
def king_of(table, pair, color):
    return np.int64(PAIR_SQUARES[table.has_pawns, pair, color])


@inline
def read_cell(table, rest, squares):
    """Put the men where a cell, counted within its pair of kings, has them."""
    for man in range(table.others - 1, -1, -1):
        quotient = rest // table.radix[man]
        squares[man] = rest - quotient * table.radix[man] + (8 if table.radix[man] == 48 else 0)
        rest = quotient


@inline
def occupied_squares(table, white_king, black_king, squares):
    occupied = (BIT << white_king) | (BIT << black_king)
    for man in range(table.others):
        occupied |= BIT << squares[man]
    return occupied


@inline
def color_of(table, man):
    return table.pieces[man] >> 3


@inline
def attacks_of(table, man, square, occupied):
    """Squares that a man attacks from `square`."""
    piece = table.pieces[man]
    if piece & 7 == PAWN:
        return PAWN_ATTACKS[piece >> 3, square]
    return piece_attacks(piece & 7, square, occupied)


@inline
def is_attacked(table, squares, occupied, color, target):
    """Whether a man of `color`, other than the king, attacks the square."""
    for man in range(table.others):
        if color_of(table, man) == color and attacks_of(table, man, squares[man], occupied) >> target & BIT != EMPTY:
            return True
    return False


@inline
def is_placed_well(table, white_king, black_king, squares):
    """Whether all men stand on different squares, and men of one kind in their order."""
    occupied = (BIT << white_king) | (BIT << black_king)
    for man in range(table.others):
        if occupied >> squares[man] & BIT != EMPTY:
            return False
        occupied |= BIT << squares[man]
        if man > 0 and table.own.alike[man - 1] and squares[man] < squares[man - 1]:
            return False
    return True


@inline
def cell_of(table, white_king, black_king, squares):
    return cell_in(table.own, white_king, black_king, squares[0], squares[1], squares[2])


@inline
def _mirrored(square):
    return np.int64(SYMMETRIES[_ACROSS_DIAGONAL | square])


@inline
def twin_of(table, white_king, black_king, squares):
    """The cell of the mirror image, for kings on a diagonal. The view turns it to the same pair of kings."""
    return cell_in(table.own, _mirrored(white_king), _mirrored(black_king), _mirrored(squares[0]),
                   _mirrored(squares[1]), _mirrored(squares[2]))
