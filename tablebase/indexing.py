"""The index of a position in a table: the king pair first, then the square of every other piece.

Symmetries reduce the number of king pairs: to 462 without pawns, where all eight symmetries of the board apply, and to
1806 with pawns, where only the files can be mirrored. If both kings are on the long diagonal, a position and its mirror
image have the same king pair. Tables hold both, so that a lookup needs no rule to choose between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from engine.core.bits import PAWN
from engine.kernel import inline, offset_of, record_type
from engine.kernel.records import I4, U1, U2, Fields, Numbers, dtype_of
from tablebase.material import MAX_PIECES, Ending, ending_of

MAX_OTHERS = MAX_PIECES - 2  # pieces besides the kings
NO_PAIR = np.int64(-1)  # kings on adjacent squares
NO_CELL = np.int64(-1)
_PAWN_SQUARES = 48
_FIRST_PAWN_SQUARE = 8
_FLIP_RANKS = 56  # xor with this mirrors a square vertically

Squares = npt.NDArray[np.int64]


def _symmetries() -> npt.NDArray[np.uint8]:
    """[symmetry, square]: mirrored by files (1), by ranks (2) and across the diagonal (4), in this order."""
    images = np.zeros((8, 64), np.uint8)
    for symmetry in range(8):
        for square in range(64):
            rank, file = divmod(square, 8)
            file = 7 - file if symmetry & 1 else file
            rank = 7 - rank if symmetry & 2 else rank
            images[symmetry, square] = 8 * file + rank if symmetry & 4 else 8 * rank + file
    return images


def _is_kept(white: Squares, black: Squares, has_pawns: bool) -> npt.NDArray[np.bool_]:
    """Whether tables hold these king pairs, rather than a symmetric image of them."""
    rank, file, other_rank, other_file = white >> 3, white & 7, black >> 3, black & 7
    is_apart = np.maximum(abs(rank - other_rank), abs(file - other_file)) > 1
    is_unique = has_pawns | (rank < file) | ((rank == file) & (other_rank <= other_file))
    return is_apart & (file < 4) & is_unique


_IMAGES = _symmetries()
SYMMETRIES = _IMAGES.ravel()  # [symmetry * 64 + square]
_WHITE_KINGS, _BLACK_KINGS = np.divmod(np.arange(64 * 64), 64)


def _index_pairs(has_pawns: bool) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.uint8]]:
    """[white king * 64 + black king]: the index of the king pair, and the symmetry that leads to it."""
    is_kept = _is_kept(_WHITE_KINGS, _BLACK_KINGS, has_pawns)
    numbers = np.where(is_kept, np.cumsum(is_kept) - 1, NO_PAIR)
    pairs, symmetries = np.full(64 * 64, NO_PAIR, np.int16), np.zeros(64 * 64, np.uint8)
    for symmetry in reversed(range(2 if has_pawns else 8)):  # the lowest one wins
        images = numbers[_IMAGES[symmetry, _WHITE_KINGS].astype(np.int64) * 64 + _IMAGES[symmetry, _BLACK_KINGS]]
        pairs[images != NO_PAIR] = images[images != NO_PAIR]
        symmetries[images != NO_PAIR] = symmetry
    return pairs, symmetries


_INDEXED = [_index_pairs(has_pawns) for has_pawns in (False, True)]
PAIR_INDICES = np.concatenate([pairs for pairs, _ in _INDEXED])  # [has pawns * 4096 + white king * 64 + black king]
PAIR_SYMMETRIES = np.concatenate([symmetries for _, symmetries in _INDEXED])
_KEPT = [np.flatnonzero(_is_kept(_WHITE_KINGS, _BLACK_KINGS, has_pawns)) for has_pawns in (False, True)]
PAIR_COUNTS = tuple(len(kept) for kept in _KEPT)  # [has pawns]
PAIR_SQUARES = np.zeros((2, max(PAIR_COUNTS), 2), np.uint8)  # [has pawns, pair, colour]: the king's square
for _has_pawns, _pairs in enumerate(_KEPT):
    PAIR_SQUARES[_has_pawns, : len(_pairs)] = np.stack([_pairs >> 6, _pairs & 63], axis=1)
# [pair]: without pawns, whether both kings are on the diagonal, which passes through every ninth square.
ON_DIAGONAL = np.all(PAIR_SQUARES[0, : PAIR_COUNTS[0]] % 9 == 0, axis=1).astype(np.uint8)


class ViewRecord(Fields):
    """How to find pieces, given in some order, in the table of their ending. Missing pieces have a stride of 0."""

    address: Annotated[Numbers, "i8", 2]  # [side to move, as the table sees it]: the address of its cells, or 0
    stride: Annotated[Numbers, "i4", MAX_OTHERS]  # [piece]: the distance of the cells of neighbouring squares
    pair_stride: I4
    corner: I4  # the cell of king pair 0 with all pieces on square 0, where no pawn can be
    flip: U1  # xor for squares: 56 if the colours are swapped, otherwise 0
    is_flipped: U1  # whether the colours are swapped
    has_pawns: U1
    alike: Annotated[Numbers, "u1", MAX_OTHERS]  # [piece]: whether the next one, cyclically, is the same piece
    others: U1  # the number of pieces besides the kings
    width: U1  # bits per cell
    longest: U2  # plies of the longest mate


VIEW = dtype_of(ViewRecord)
VIEW_TYPE = record_type(VIEW)
ADDRESS_OF_CELLS = offset_of(VIEW, "address")  # the offset of the addresses in a view


def pairs_of(ending: Ending) -> int:
    """The number of king pairs in the table of an ending."""
    return PAIR_COUNTS[ending.has_pawns]


def shape_of(ending: Ending) -> tuple[int, ...]:
    """The shape of the cells for one side to move: king pairs, then the squares of each piece."""
    return (pairs_of(ending), *(_PAWN_SQUARES if piece % 8 == PAWN else 64 for piece in ending.pieces))


def strides_of(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """[axis]: the strides if the axes are stored in this order, the last one contiguous."""
    strides = [0] * len(shape)
    distance = 1
    for axis in reversed(axes):
        strides[axis] = distance
        distance *= shape[axis]
    return strides


def set_view(view: ViewRecord, given: Sequence[int], axes: Sequence[int] | None = None, side: int = 0) -> None:
    """Set all fields of `view` but the addresses, for `given` pieces in this order.

    Symmetric endings need no table for Black to move: with `side` 1 the view swaps the colours.
    """
    ending, is_flipped = ending_of(given)
    is_flipped = is_flipped or (ending.is_symmetric and side == 1)
    shape = shape_of(ending)
    pair_stride, *strides = strides_of(shape, range(len(shape)) if axes is None else axes)
    left = dict(enumerate(piece ^ 8 if is_flipped else piece for piece in given))
    view.corner = 0
    for piece, stride in zip(ending.pieces, strides, strict=True):
        index = next(index for index, other in left.items() if other == piece)
        del left[index]
        view.stride[index] = stride
        if piece % 8 == PAWN:
            view.corner -= _FIRST_PAWN_SQUARE * stride
    for index in range(len(given)):
        after = (index + 1) % MAX_OTHERS
        view.alike[index] = after < len(given) and after != index and given[index] == given[after]
    view.pair_stride, view.flip = pair_stride, _FLIP_RANKS if is_flipped else 0
    view.others, view.is_flipped, view.has_pawns = len(given), is_flipped, ending.has_pawns


@inline
def _swap_if(condition, left, right):
    """Return the two numbers, swapped if `condition` is 1 rather than 0; branchless, to avoid mispredictions."""
    difference = (left ^ right) & -condition
    return left ^ difference, right ^ difference


@inline
def _sort_if(alike, low, high):
    return _swap_if(alike & np.int64(low > high), low, high)


@inline
def cell_in(view, white_king, black_king, first, second, third):
    """The cell of a position with pieces on these squares, in the view's order; NO_CELL if the kings are adjacent.

    The squares of missing pieces are ignored. Equal pieces are sorted by square.
    """
    flip = np.int64(view.flip)
    white_king, black_king = _swap_if(np.int64(view.is_flipped), white_king ^ flip, black_king ^ flip)
    kings = np.int64(view.has_pawns) << 12 | white_king << 6 | black_king
    pair = np.int64(PAIR_INDICES[kings])
    if pair == NO_PAIR:
        return NO_CELL
    symmetry = np.int64(PAIR_SYMMETRIES[kings]) << 6
    first, second = _transform(symmetry, first ^ flip), _transform(symmetry, second ^ flip)
    third = _transform(symmetry, third ^ flip)
    first, second = _sort_if(np.int64(view.alike[0]), first, second)
    if view.others > 2:
        second, third = _sort_if(np.int64(view.alike[1]), second, third)
        first, third = _sort_if(np.int64(view.alike[2]), first, third)
        first, second = _sort_if(np.int64(view.alike[0] & view.alike[1]), first, second)
    return (np.int64(view.corner) + pair * np.int64(view.pair_stride) + first * np.int64(view.stride[0])
            + second * np.int64(view.stride[1]) + third * np.int64(view.stride[2]))


@inline
def _transform(symmetry, square):
    return np.int64(SYMMETRIES[symmetry | square])
