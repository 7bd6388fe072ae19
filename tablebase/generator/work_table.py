"""The table being generated: its record, its cells, and the position of a cell."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.core.attacks import PAWN_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN
from engine.kernel import inline, record_type
from engine.kernel.intrinsics import load_u8, load_u16, store_u8, store_u16
from engine.kernel.records import I8, U8, Fields, Numbers, dtype_of, new_record
from tablebase.codes import ILLEGAL, NARROW_ILLEGAL
from tablebase.indexing import MAX_OTHERS, PAIR_SQUARES, SYMMETRIES, ViewRecord, cell_in

NO_INDEX = np.int64(3)  # as the index of a captured or promoted piece: none
UNCHANGED = np.int64(0)  # as the piece type after promotion: no promotion
MAX_QUIET_MOVES = 256  # an upper bound, including mirror images

_NARROW = np.int64(8)
_ACROSS_DIAGONAL = np.int64(4 * 64)  # the offset of that symmetry in SYMMETRIES
_TYPES = 6  # piece types of a promotion, including UNCHANGED


class WorkTableRecord(Fields):
    """The table being generated, and the finished ones that its captures and promotions lead to."""

    own: ViewRecord  # DTM
    dtz: ViewRecord  # the same cells, with the codes of `tablebase.generator.dtz`
    pieces: Annotated[Numbers, "i8", MAX_OTHERS]
    radix: Annotated[Numbers, "i8", MAX_OTHERS]  # [piece]: the number of squares it can be on
    others: I8
    has_pawns: I8
    has_pawns_of_both: I8
    children: Annotated[Numbers, ViewRecord, (MAX_OTHERS + 1) * (MAX_OTHERS + 1) * _TYPES]  # [child_index(...)]


WORK_TABLE = dtype_of(WorkTableRecord)
WORK_TABLE_TYPE = record_type(WORK_TABLE)


class PlacementRecord(Fields):
    """A position of the ending, and the cells that its quiet moves lead to or come from."""

    cell: I8
    white_king: I8
    black_king: I8
    squares: Annotated[Numbers, "i8", MAX_OTHERS]
    occupied: U8
    next_cells: Annotated[Numbers, "i8", MAX_QUIET_MOVES]


class ScratchPairRecord(Fields):
    """Scratch space of a pass: the current position, and one reached by retracting a move."""

    here: PlacementRecord
    before: PlacementRecord


SCRATCH_PAIR = dtype_of(ScratchPairRecord)
SCRATCH_PAIR_TYPE = record_type(SCRATCH_PAIR)


def empty_scratch() -> ScratchPairRecord:
    """Return scratch space for one pass; passes that run concurrently need one each."""
    return new_record(ScratchPairRecord)


@inline
def child_index(captured, promoted, piece_type):
    """The index in `children` of the ending after a move: NO_INDEX if nothing is captured or promoted."""
    return (captured * (NO_INDEX + 1) + promoted) * _TYPES + piece_type


@inline
def load_code(view, side, cell):
    """The code of a cell with `side` to move, where the view has swapped the colours if necessary."""
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
def _king_of(table, pair, color):
    return np.int64(PAIR_SQUARES[table.has_pawns, pair, color])


@inline
def set_placement(table, placement, cell):
    """Set `placement` to the position of a cell, whose digits are the king pair and the squares of the pieces."""
    placement.cell, placement.occupied, rest = cell, EMPTY, cell
    for index in range(table.others - 1, -1, -1):
        quotient = rest // table.radix[index]
        square = rest - quotient * table.radix[index] + (8 if table.radix[index] == 48 else 0)
        placement.squares[index] = square
        placement.occupied |= BIT << square
        rest = quotient
    placement.white_king, placement.black_king = _king_of(table, rest, 0), _king_of(table, rest, 1)
    placement.occupied |= (BIT << placement.white_king) | (BIT << placement.black_king)


@inline
def color_of(table, index):
    return table.pieces[index] >> 3


@inline
def attacks_of(table, index, square, occupied):
    """The squares that piece `index` attacks from `square`."""
    piece = table.pieces[index]
    if piece & 7 == PAWN:
        return PAWN_ATTACKS[piece >> 3, square]
    return piece_attacks(piece & 7, square, occupied)


@inline
def is_attacked(table, placement, color, target):
    """Whether a piece of `color` other than the king attacks `target`."""
    for index in range(table.others):
        if (color_of(table, index) == color
                and attacks_of(table, index, placement.squares[index], placement.occupied) >> target & BIT != EMPTY):
            return True
    return False


@inline
def is_in_check(table, placement, side):
    return is_attacked(table, placement, side ^ 1, placement.white_king if side == 0 else placement.black_king)


@inline
def is_canonical(table, placement):
    """Whether all pieces are on different squares, and equal pieces are sorted by square."""
    occupied = (BIT << placement.white_king) | (BIT << placement.black_king)
    for index in range(table.others):
        if occupied >> placement.squares[index] & BIT != EMPTY:
            return False
        occupied |= BIT << placement.squares[index]
        if index > 0 and table.own.alike[index - 1] and placement.squares[index] < placement.squares[index - 1]:
            return False
    return True


@inline
def cell_with_kings(table, placement, white_king, black_king):
    """The cell of a placement with its kings moved to these squares."""
    return cell_in(table.own, white_king, black_king, placement.squares[0], placement.squares[1], placement.squares[2])


@inline
def cell_of(table, placement):
    return cell_with_kings(table, placement, placement.white_king, placement.black_king)


@inline
def _mirror(square):
    return np.int64(SYMMETRIES[_ACROSS_DIAGONAL | square])


@inline
def mirrored_cell(table, placement, white_king, black_king):
    """The cell of the mirror image, for kings on the diagonal; it has the same king pair."""
    return cell_in(table.own, _mirror(white_king), _mirror(black_king), _mirror(placement.squares[0]),
                   _mirror(placement.squares[1]), _mirror(placement.squares[2]))
