"""The endgame table being generated: its record, its cells, and the position that a cell stands for."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.core.attacks import PAWN_ATTACKS, piece_attacks
from engine.core.bits import BIT, EMPTY, PAWN
from engine.kernel import inline, record_type
from engine.kernel.intrinsics import load_u8, load_u16, store_u8, store_u16
from engine.kernel.records import I8, U8, Fields, Numbers, dtype_of, new_record
from tablebase.codes import ILLEGAL, NARROW_ILLEGAL
from tablebase.indexing import MOST_OTHERS, PAIR_SQUARES, SYMMETRIES, ViewRecord, cell_in

NOBODY = np.int64(3)  # as the number of a captured or a promoted man
UNCHANGED = np.int64(0)  # as the type that a man is promoted to
LONGEST_LIST = 256  # more quiet moves than any side has, including mirror images

_NARROW = np.int64(8)
_ACROSS_DIAGONAL = np.int64(4 * 64)  # where that symmetry begins
_TYPES = 6  # of men, with UNCHANGED


class WorkTableRecord(Fields):
    """The endgame table being generated, and the finished ones that its captures and promotions lead to."""

    own: ViewRecord
    resets: ViewRecord  # the same cells, with the codes of `tablebase.generator.dtz`
    pieces: Annotated[Numbers, "i8", MOST_OTHERS]
    radix: Annotated[Numbers, "i8", MOST_OTHERS]  # [man]: how many squares it can be on
    others: I8
    has_pawns: I8
    has_pawns_of_both: I8
    children: Annotated[Numbers, ViewRecord, (MOST_OTHERS + 1) * (MOST_OTHERS + 1) * _TYPES]  # [child_number(...)]


DRAFT = dtype_of(WorkTableRecord)
DRAFT_TYPE = record_type(DRAFT)


class PlacementRecord(Fields):
    """A position of the ending, and the cells that its quiet moves lead to or come from."""

    cell: I8
    white_king: I8
    black_king: I8
    squares: Annotated[Numbers, "i8", MOST_OTHERS]
    occupied: U8
    steps: Annotated[Numbers, "i8", LONGEST_LIST]


PLACEMENT = dtype_of(PlacementRecord)


class ScratchPairRecord(Fields):
    """What one pass works with: the current position, and one reached by taking a move back."""

    here: PlacementRecord
    before: PlacementRecord


BENCH = dtype_of(ScratchPairRecord)
BENCH_TYPE = record_type(BENCH)


def empty_bench() -> ScratchPairRecord:
    """Scratch space for one pass; passes that run at the same time need one each."""
    return new_record(ScratchPairRecord)


@inline
def child_number(captured, promoted, kind):
    """Which child a move leads to: NOBODY for none captured or promoted, and the promoted man's new type."""
    return (captured * (NOBODY + 1) + promoted) * _TYPES + kind


@inline
def load_code(view, side, cell):
    """The code of a cell with `side` to move, as the endgame table sees it."""
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
def _king_of(draft, pair, color):
    return np.int64(PAIR_SQUARES[draft.has_pawns, pair, color])


@inline
def place_cell(draft, place, cell):
    """Place kings and men as a cell has them: its index is the pair of kings, then the men's squares, as digits."""
    place.cell, place.occupied, rest = cell, EMPTY, cell
    for man in range(draft.others - 1, -1, -1):
        quotient = rest // draft.radix[man]
        square = rest - quotient * draft.radix[man] + (8 if draft.radix[man] == 48 else 0)
        place.squares[man] = square
        place.occupied |= BIT << square
        rest = quotient
    place.white_king, place.black_king = _king_of(draft, rest, 0), _king_of(draft, rest, 1)
    place.occupied |= (BIT << place.white_king) | (BIT << place.black_king)


@inline
def color_of(draft, man):
    return draft.pieces[man] >> 3


@inline
def attacks_of(draft, man, square, occupied):
    """Squares that a man attacks from `square`."""
    piece = draft.pieces[man]
    if piece & 7 == PAWN:
        return PAWN_ATTACKS[piece >> 3, square]
    return piece_attacks(piece & 7, square, occupied)


@inline
def is_attacked(draft, place, color, target):
    """Whether a man of `color`, other than the king, attacks the square."""
    for man in range(draft.others):
        if (color_of(draft, man) == color
                and attacks_of(draft, man, place.squares[man], place.occupied) >> target & BIT != EMPTY):
            return True
    return False


@inline
def is_in_check(draft, place, side):
    return is_attacked(draft, place, side ^ 1, place.white_king if side == 0 else place.black_king)


@inline
def is_placed_well(draft, place):
    """Whether all men are on different squares, and men of the same kind are in order."""
    occupied = (BIT << place.white_king) | (BIT << place.black_king)
    for man in range(draft.others):
        if occupied >> place.squares[man] & BIT != EMPTY:
            return False
        occupied |= BIT << place.squares[man]
        if man > 0 and draft.own.alike[man - 1] and place.squares[man] < place.squares[man - 1]:
            return False
    return True


@inline
def cell_with_kings(draft, place, white_king, black_king):
    """The cell of a placement with the kings elsewhere."""
    return cell_in(draft.own, white_king, black_king, place.squares[0], place.squares[1], place.squares[2])


@inline
def cell_of(draft, place):
    return cell_with_kings(draft, place, place.white_king, place.black_king)


@inline
def _mirrored(square):
    return np.int64(SYMMETRIES[_ACROSS_DIAGONAL | square])


@inline
def twin_with_kings(draft, place, white_king, black_king):
    """The cell of the mirror image, for kings on the diagonal. The view maps it to the same pair of kings."""
    return cell_in(draft.own, _mirrored(white_king), _mirrored(black_king), _mirrored(place.squares[0]),
                   _mirrored(place.squares[1]), _mirrored(place.squares[2]))
