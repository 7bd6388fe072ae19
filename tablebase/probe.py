"""Probing the engine's own tables in kernels: WDL, DTM and DTZ.

A directory maps the material to a view of its table. With at most three pieces besides the kings, finding them on the
board is faster than updating a material key with every move.
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

MATERIALS = 1 << 12  # up to three pieces of four bits each
NO_VIEW = -1
MAX_PROBE_DEPTH = np.int64(8)  # plies: every second one may reach a table that lacks this side to move


class DirectoryRecord(Fields):
    """The loaded tables of one kind, for kernels."""

    view_indices: Annotated[Numbers, "i2", 2 * MATERIALS]  # [side to move * MATERIALS + material]: or NO_VIEW
    views: I8  # the address of the first view


DIRECTORY = dtype_of(DirectoryRecord)
DIRECTORY_TYPE = record_type(DIRECTORY)


class OwnTablesRecord(Fields):
    """The addresses of the three directories; the names are the values of `TableKind`."""

    outcomes: I8
    distances: I8
    resets: I8


OWN_TABLES = dtype_of(OwnTablesRecord)
OWN_TABLES_TYPE = record_type(OWN_TABLES)

directory_at = record_reader(DIRECTORY_TYPE)
_view_at = record_reader(VIEW_TYPE)
_address_of_view = address_reader(VIEW_TYPE)
_VIEW_BYTES, _ADDRESS_OF_CELLS = VIEW.itemsize, np.int64(ADDRESS_OF_CELLS)


def empty_directory() -> DirectoryRecord:
    """Return a directory without tables."""
    directory = new_record(DirectoryRecord)
    directory.view_indices[:] = NO_VIEW
    return directory


@inline
def find_pieces(pos):
    """(material, first, second, third): the pieces besides the kings of a position with three to five pieces, and their
    squares; 0 for missing pieces.
    """
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
def view_index(directory, side, material):
    return np.int64(directory.view_indices[side * MATERIALS + material])


@inline
def view_in(directory, index):
    return _view_at(directory.views + index * _VIEW_BYTES)


@inline
def cells_of(view, side):
    """The address of the cells for `side` to move; 0 while they are not loaded.

    Both addresses are read before the rest of the view, which is invalid until one of them is set.
    """
    addresses = _address_of_view(view) + _ADDRESS_OF_CELLS
    first, second = load_acquire(addresses), load_acquire(addresses + 8)
    return second if side ^ view.is_flipped else first


@inline
def outcome_in(view, side, white_king, black_king, first, second, third):
    """OUTCOME_WIN, _DRAW or _LOSS for the side to move, or UNKNOWN if the table is not loaded."""
    address = cells_of(view, side)
    if address == 0:
        return UNKNOWN
    cell = cell_in(view, white_king, black_king, first, second, third)
    return load_u8(address + (cell >> 2)) >> 2 * (cell & 3) & 3


@inline
def has_castling_or_ep(pos):
    """Whether castling or en passant is possible; tables cover neither."""
    return pos.castling != 0 or pos.ep != NO_SQUARE


@inline
def _outcome_and_longest(pos, directory):
    """(outcome, longest): the outcome by the table, or UNKNOWN, and the plies of the longest mate of the ending."""
    if has_castling_or_ep(pos):
        return UNKNOWN, np.int64(0)
    side = np.int64(pos.side)
    material, first, second, third = find_pieces(pos)
    index = view_index(directory, side, material)
    if index == NO_VIEW:
        return UNKNOWN, np.int64(0)
    view = view_in(directory, index)
    outcome = outcome_in(view, side, king_square(pos, 0), king_square(pos, 1), first, second, third)
    return outcome, np.int64(view.longest)


@inline
def outcome_at_zeroing(pos, directory):
    """The outcome for the side to move, with three to five pieces and as if rule50 were 0.

    UNKNOWN if a mate of the ending may take more than fifty moves.
    """
    outcome, longest = _outcome_and_longest(pos, directory)
    return outcome if outcome == OUTCOME_DRAW or longest <= FIFTY_MOVES else UNKNOWN


@kernel
def outcome_with_rule50(pos, directory):
    """`outcome_at_zeroing`, but with the current rule50."""
    outcome, longest = _outcome_and_longest(pos, directory)
    return outcome if outcome == OUTCOME_DRAW or np.int64(pos.rule50) + longest <= FIFTY_MOVES else UNKNOWN


@inline
def stored_byte(pos, directory):
    """The cell of a position in a table of one byte per cell; UNKNOWN if the table lacks this side to move."""
    side = np.int64(pos.side)
    material, first, second, third = find_pieces(pos)
    index = view_index(directory, side, material)
    if index == NO_VIEW:
        return UNKNOWN
    view = view_in(directory, index)
    address = cells_of(view, side)
    if address == 0:
        return UNKNOWN
    return load_u8(address + cell_in(view, king_square(pos, 0), king_square(pos, 1), first, second, third))


@inline
def stored_code(pos, tables):
    """The code of a position from its own cells, without trying moves; UNKNOWN if they lack it."""
    outcome, _ = _outcome_and_longest(pos, directory_at(tables.outcomes))
    if outcome == OUTCOME_DRAW:
        return DRAWN
    if outcome == UNKNOWN:
        return UNKNOWN
    moves_to_mate = stored_byte(pos, directory_at(tables.distances))
    if moves_to_mate == UNKNOWN:
        return UNKNOWN
    return 2 * moves_to_mate + (1 if outcome == OUTCOME_LOSS else 0)


@kernel
def probe_code(pos, tables, moves, end, depth):
    """The code of a position with at most five pieces, or UNKNOWN.

    DTM tables have only one side to move and no en passant; where they lack a position, its moves are tried, at most
    `depth` plies deep. `moves` from `end` on is scratch space.
    """
    if occupied_squares(pos) == pos.types[KING]:
        return DRAWN
    code = stored_code(pos, tables)
    if code != UNKNOWN or depth == 0:
        return code
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    best = NO_MOVE
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        code = probe_code(pos, tables, moves, last, depth - 1)
        unmake(pos, move)
        if code == UNKNOWN:
            return UNKNOWN
        best = max(best, move_value(code))
    if best != NO_MOVE:
        return code_of_value(best)
    return MATED if checkers != EMPTY else DRAWN


@inline
def is_against_bare_king(pos):
    """Whether one side has a bare king, and there are no pawns."""
    return pos.types[PAWN] == EMPTY and not (more_than_one(pos.colors[0]) and more_than_one(pos.colors[1]))


@kernel
def stored_dtz(pos, tables, code):
    """`probe_dtz` from the position's own cell, without trying moves; UNKNOWN if the table lacks it."""
    if code == MATED:
        return np.int64(0)
    if has_castling_or_ep(pos):
        return UNKNOWN
    plies = stored_byte(pos, directory_at(tables.resets))
    return code - 1 - plies if plies != UNKNOWN and is_against_bare_king(pos) else plies


@kernel
def probe_dtz(pos, tables, moves, end, code, depth):
    """The plies until the winner can force a zeroing move or mate; UNKNOWN if tables are missing.

    `code` is the code of the position, not DRAWN. Where the table lacks a position, its moves are tried, at most
    `depth` plies deep. `moves` from `end` on is scratch space.
    """
    best = stored_dtz(pos, tables, code)
    if best != UNKNOWN or depth == 0:
        return best
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, ALL_MOVES, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        make(pos, move)
        plies = np.int64(0)
        left = probe_code(pos, tables, moves, last, depth)
        if pos.rule50 != 0 and left != UNKNOWN and left != DRAWN:
            plies = probe_dtz(pos, tables, moves, last, left, depth - 1)
        unmake(pos, move)
        if left == UNKNOWN or plies == UNKNOWN:
            return UNKNOWN
        if not is_won(code):
            best = max(best, plies + 1)
        elif left & 1 and (best == UNKNOWN or plies + 1 < best):
            best = plies + 1
    return best


@entry(POSITION_TYPE, OWN_TABLES_TYPE, MOVE_LIST_TYPE)
def position_code(pos: PositionRecord, tables: OwnTablesRecord, moves: MoveListRecord) -> Int:
    """`probe_code` for Python."""
    return probe_code(pos, tables, moves, np.int64(0), MAX_PROBE_DEPTH)


@entry(POSITION_TYPE, DIRECTORY_TYPE)
def position_outcome(pos: PositionRecord, directory: DirectoryRecord) -> Int:
    """`outcome_with_rule50` for Python: what a search gets."""
    return outcome_with_rule50(pos, directory)


@inline
def _outcome_of_placement(directory, placements, start):
    """The outcome of a placement, which is: king squares, squares of two pieces, the two pieces, side to move."""
    side = np.int64(placements[start + 6])
    material = np.int64(placements[start + 4]) | np.int64(placements[start + 5]) << 4
    view = view_in(directory, view_index(directory, side, material))
    return outcome_in(view, side, np.int64(placements[start]), np.int64(placements[start + 1]),
                      np.int64(placements[start + 2]), np.int64(placements[start + 3]), np.int64(0))


@entry(DIRECTORY_TYPE, array_type("u1"), int64, int64)
def count_wins(directory: DirectoryRecord, placements: Any, rounds: Int, in_turn: Int) -> Int:
    """Probe placements of eight bytes each, `rounds` times, to measure the time of a probe; return the wins.

    If `in_turn`, the address of each placement depends on the previous result, so that no two probes overlap.
    """
    wins = np.int64(0)
    for _ in range(rounds):
        if in_turn:
            start: Int = np.int64(0)
            while start < placements.size:
                outcome = _outcome_of_placement(directory, placements, start)
                wins += outcome == OUTCOME_WIN
                start += 8 + (outcome + 1 >> 2)  # adds 8: no outcome is 3, but the processor cannot know that
        else:
            for start in range(0, placements.size, 8):
                wins += _outcome_of_placement(directory, placements, start) == OUTCOME_WIN
    return wins
