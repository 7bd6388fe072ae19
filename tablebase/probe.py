"""Probing in kernels: who wins, in how many plies, and when the fifty-move counter is reset.

A directory leads from the men on the board to a view of their table. With at most three men besides the kings, finding
them on the board is faster than keeping a material key up to date.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from engine.core.bits import EMPTY, KING, NO_SQUARE, PAWN, clear_lsb, lsb, more_than_one
from engine.core.draws import FIFTY_MOVES
from engine.core.movegen import ALL_MOVES, MOVE_LIST_TYPE, MoveListRecord, checkers_and_pinned, generate
from engine.core.position import POSITION_TYPE, PositionRecord, king_square, make, occupied_squares, unmake
from engine.kernel import Int, array_type, entry, inline, int64, kernel, record_type
from engine.kernel.intrinsics import address_reader, load_acquire, load_u8, record_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of, new_record
from tablebase.codes import (
    DRAWN,
    MATED,
    NO_MOVE,
    OUTCOME_DRAW,
    OUTCOME_LOSS,
    OUTCOME_WIN,
    UNKNOWN,
    code_of_value,
    is_won,
    move_value,
)
from tablebase.indexing import ADDRESS_OF_CELLS, VIEW, VIEW_TYPE, cell_in

MATERIALS = 1 << 12  # up to three men of four bits each
NO_VIEW = -1
MAX_PROBE_DEPTH = np.int64(8)  # plies: every second one may lead to a table without that side to move


class DirectoryRecord(Fields):
    """Where kernels find the loaded tables of one kind."""

    numbers: Annotated[Numbers, "i2", 2 * MATERIALS]  # [side to move * MATERIALS + material]: the view, or NO_VIEW
    views: I8  # the address of the first view


DIRECTORY = dtype_of(DirectoryRecord)
DIRECTORY_TYPE = record_type(DIRECTORY)


class LibraryRecord(Fields):
    """The addresses of the three directories."""

    outcomes: I8
    distances: I8
    resets: I8


LIBRARY = dtype_of(LibraryRecord)
LIBRARY_TYPE = record_type(LIBRARY)

directory_at = record_reader(DIRECTORY_TYPE)
_view_at = record_reader(VIEW_TYPE)
_address_of_view = address_reader(VIEW_TYPE)
_VIEW_BYTES, _ADDRESS_OF_CELLS = VIEW.itemsize, np.int64(ADDRESS_OF_CELLS)


def empty_directory() -> DirectoryRecord:
    """A directory without tables."""
    directory = new_record(DirectoryRecord)
    directory.numbers[:] = NO_VIEW
    return directory


@inline
def find_pieces(pos):
    """The material of a position with three to five men, and the squares of the men besides the kings."""
    others = occupied_squares(pos) ^ pos.types[KING]
    first = lsb(others)
    second = third = np.int64(0)
    material = np.int64(pos.board[first])
    others = clear_lsb(others)
    if others != EMPTY:
        second = lsb(others)
        material |= np.int64(pos.board[second]) << 4
        others = clear_lsb(others)
        if others != EMPTY:
            third = lsb(others)
            material |= np.int64(pos.board[third]) << 8
    return material, first, second, third


@inline
def view_number(directory, side, material):
    return np.int64(directory.numbers[side * MATERIALS + material])


@inline
def view_in(directory, number):
    return _view_at(directory.views + number * _VIEW_BYTES)


@inline
def cells_of(view, side):
    """The address of the cells for this side to move, or 0 while they are not loaded.

    Both addresses are read before the rest of the view, which is not valid until one of them is set.
    """
    place = _address_of_view(view) + _ADDRESS_OF_CELLS
    first, second = load_acquire(place), load_acquire(place + 8)
    return second if side ^ view.is_flipped else first


@inline
def outcome_in(view, side, white_king, black_king, first, second, third):
    """WIN, DRAW or LOSS for the side to move, or UNKNOWN if the table is not loaded."""
    address = cells_of(view, side)
    if address == 0:
        return UNKNOWN
    cell = cell_in(view, white_king, black_king, first, second, third)
    return load_u8(address + (cell >> 2)) >> 2 * (cell & 3) & 3


@inline
def has_castling_or_ep(pos):
    """Whether castling or en passant is possible, which tables do not cover."""
    return pos.castling != 0 or pos.ep != NO_SQUARE


@inline
def _outcome_and_longest(pos, directory):
    """The outcome of the position by its table, or UNKNOWN; and the plies of the longest mate of its ending."""
    if has_castling_or_ep(pos):
        return UNKNOWN, np.int64(0)
    side = np.int64(pos.side)
    material, first, second, third = find_pieces(pos)
    number = view_number(directory, side, material)
    if number == NO_VIEW:
        return UNKNOWN, np.int64(0)
    view = view_in(directory, number)
    outcome = outcome_in(view, side, king_square(pos, 0), king_square(pos, 1), first, second, third)
    return outcome, np.int64(view.longest)


@inline
def outcome_at_zeroing(pos, directory):
    """WIN, DRAW or LOSS for the side to move in a position with three to five men, as if a capture had just been made.

    UNKNOWN if a mate of the ending may take more than fifty moves.
    """
    outcome, longest = _outcome_and_longest(pos, directory)
    return outcome if outcome == OUTCOME_DRAW or longest <= FIFTY_MOVES else UNKNOWN


@kernel
def outcome_with_rule50(pos, directory):
    """`outcome_at_zeroing`, but with the current fifty-move counter."""
    outcome, longest = _outcome_and_longest(pos, directory)
    return outcome if outcome == OUTCOME_DRAW or np.int64(pos.rule50) + longest <= FIFTY_MOVES else UNKNOWN


@inline
def listed_byte(pos, directory):
    """The cell of a position in a table of one byte per cell; UNKNOWN if it does not have this side to move."""
    side = np.int64(pos.side)
    material, first, second, third = find_pieces(pos)
    number = view_number(directory, side, material)
    if number == NO_VIEW:
        return UNKNOWN
    view = view_in(directory, number)
    address = cells_of(view, side)
    if address == 0:
        return UNKNOWN
    return load_u8(address + cell_in(view, king_square(pos, 0), king_square(pos, 1), first, second, third))


@inline
def listed_code(pos, library):
    """The code of a position from its own cells; UNKNOWN if they do not have it."""
    outcome, _ = _outcome_and_longest(pos, directory_at(library.outcomes))
    if outcome == OUTCOME_DRAW:
        return DRAWN
    if outcome == UNKNOWN:
        return UNKNOWN
    moves_to_mate = listed_byte(pos, directory_at(library.distances))
    if moves_to_mate == UNKNOWN:
        return UNKNOWN
    return 2 * moves_to_mate + (1 if outcome == OUTCOME_LOSS else 0)


@kernel
def probe_code(pos, library, moves, end, patience):
    """The code of a position with at most five men, or UNKNOWN.

    Tables of distances have only one side to move, and no en passant: otherwise the moves are tried, at most `patience`
    plies deep. `moves` from `end` on is scratch space.
    """
    if occupied_squares(pos) == pos.types[KING]:
        return DRAWN
    code = listed_code(pos, library)
    if code != UNKNOWN or patience == 0:
        return code
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    best = NO_MOVE
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        code = probe_code(pos, library, moves, last, patience - 1)
        unmake(pos, move)
        if code == UNKNOWN:
            return UNKNOWN
        best = max(best, move_value(code))
    if best != NO_MOVE:
        return code_of_value(best)
    return MATED if checkers != EMPTY else DRAWN


@inline
def is_against_bare_king(pos):
    """Whether one side has nothing but its king, and there are no pawns."""
    return pos.types[PAWN] == EMPTY and not (more_than_one(pos.colors[0]) and more_than_one(pos.colors[1]))


@kernel
def listed_resets(pos, library, code):
    """`probe_dtz` from the position's own cell; UNKNOWN if it does not have it."""
    if code == MATED:
        return np.int64(0)
    if has_castling_or_ep(pos):
        return UNKNOWN
    plies = listed_byte(pos, directory_at(library.resets))
    return code - 1 - plies if plies != UNKNOWN and is_against_bare_king(pos) else plies


@kernel
def probe_dtz(pos, library, moves, end, code, patience):
    """The plies until the winner can force a reset of the fifty-move counter, or mate; UNKNOWN if tables are missing.

    `code` is that of the position, and not DRAWN. If its own cell does not say, the moves are tried, at most `patience`
    plies deep. `moves` from `end` on is scratch space.
    """
    best = listed_resets(pos, library, code)
    if best != UNKNOWN or patience == 0:
        return best
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        plies = np.int64(0)
        left = probe_code(pos, library, moves, last, patience)
        if pos.rule50 != 0 and left != UNKNOWN and left != DRAWN:
            plies = probe_dtz(pos, library, moves, last, left, patience - 1)
        unmake(pos, move)
        if left == UNKNOWN or plies == UNKNOWN:
            return UNKNOWN
        if not is_won(code):
            best = max(best, plies + 1)
        elif left & 1 and (best == UNKNOWN or plies + 1 < best):
            best = plies + 1
    return best


@entry(POSITION_TYPE, LIBRARY_TYPE, MOVE_LIST_TYPE)
def position_code(pos: PositionRecord, library: LibraryRecord, moves: MoveListRecord) -> Int:
    """The code of a position with at most five men; UNKNOWN if the tables do not have it."""
    return probe_code(pos, library, moves, np.int64(0), MAX_PROBE_DEPTH)


@entry(POSITION_TYPE, DIRECTORY_TYPE)
def position_outcome(pos: PositionRecord, directory: DirectoryRecord) -> Int:
    """WIN, DRAW, LOSS or UNKNOWN, as the search gets it."""
    return outcome_with_rule50(pos, directory)


@inline
def _outcome_of_placement(directory, placements, start):
    """The outcome of a placement: the squares of the kings, the squares of two men, the two men, the side to move."""
    side = np.int64(placements[start + 6])
    material = np.int64(placements[start + 4]) | np.int64(placements[start + 5]) << 4
    view = view_in(directory, view_number(directory, side, material))
    return outcome_in(view, side, np.int64(placements[start]), np.int64(placements[start + 1]),
                      np.int64(placements[start + 2]), np.int64(placements[start + 3]), np.int64(0))


@entry(DIRECTORY_TYPE, array_type("u1"), int64, int64)
def count_wins(directory: DirectoryRecord, placements: Any, rounds: Int, in_turn: Int) -> Int:
    """Probe placements of eight bytes each, `rounds` times over, to measure how long that takes.

    If `in_turn`, the place of the next one depends on the result of the last, so that no two probes overlap.
    """
    wins = np.int64(0)
    for _ in range(rounds):
        if in_turn:
            start: Int = np.int64(0)
            while start < placements.size:
                outcome = _outcome_of_placement(directory, placements, start)
                wins += outcome == OUTCOME_WIN
                start += 8 + (outcome + 1 >> 2)  # no outcome is 3, but the processor does not know that
        else:
            for start in range(0, placements.size, 8):
                wins += _outcome_of_placement(directory, placements, start) == OUTCOME_WIN
    return wins
