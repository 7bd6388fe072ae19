"""Probing the WDL of Syzygy tables in kernels.

The stored value is arbitrary where a capture is best, so captures are tried first, and the better value counts.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import EMPTY, NO_PIECE, PAWN, QUEEN, popcount
from engine.core.movegen import MOVE_LIST_TYPE, NOISY, MoveListRecord, checkers_and_pinned, generate
from engine.core.moves import to_square
from engine.core.position import POSITION_TYPE, PositionRecord, make, occupied_squares, unmake
from engine.kernel import Int, entry, inline, int64, kernel
from engine.kernel.intrinsics import address_reader, load_acquire
from tablebase.codes import OUTCOME_DRAW, OUTCOME_WIN, UNKNOWN
from tablebase.probe import directory_at, outcome_at_zeroing
from tablebase.syzygy.decode import decode_value
from tablebase.syzygy.indexing import index_with_pawns, index_without_pawns, order_squares, sort_leading_pawn
from tablebase.syzygy.records import (
    ADDRESS_OF_KEYS,
    HASH,
    HASH_SHIFT,
    NO_TB,
    NO_WDL,
    PART_BYTES,
    SCRATCH_TYPE,
    SLOTS,
    SYZYGY_TYPE,
    TB_BYTES,
    WDL_DRAW,
    WDL_FILE,
    WDL_LOSS,
    WDL_WIN,
    ScratchRecord,
    SyzygyRecord,
    part_at,
    tb_at,
)

_SLOT_MASK = np.int64(SLOTS - 1)
_address_of_record = address_reader(SYZYGY_TYPE)
_ADDRESS_OF_KEYS = np.int64(ADDRESS_OF_KEYS)


@inline
def material_key(pos):
    """The material of both sides, three bits per piece type; 0 only for bare kings."""
    key = np.uint64(0)
    for color in range(2):
        for piece_type in range(PAWN, QUEEN + 1):
            key = key << 3 | np.uint64(popcount(pos.types[piece_type] & pos.colors[color]))
    return key


@inline
def find_tb(syzygy, table_kind, key):
    """2 * the index of the file of this kind for the material, plus 1 if its colours are swapped; or NO_TB."""
    slot = np.int64(key * HASH >> HASH_SHIFT)
    keys = _address_of_record(syzygy) + _ADDRESS_OF_KEYS + 8 * SLOTS * table_kind
    while True:
        slot_key = np.uint64(load_acquire(keys + 8 * slot))
        if slot_key == key:
            return np.int64(syzygy.numbers[table_kind, slot])
        if slot_key == EMPTY:
            return NO_TB
        slot = (slot + 1) & _SLOT_MASK


@inline
def tb_record(syzygy, table_kind, tb_code):
    """The record of a file; `tb_code` is the result of `find_tb`."""
    return tb_at(syzygy.tbs[table_kind] + (tb_code >> 1) * TB_BYTES)


@inline
def flip_and_side(pos, tb, tb_code):
    """(is_flipped, side): whether the file swaps the colours of a position, and the side to move in the file."""
    side = np.int64(pos.side)
    is_flipped = side if tb.is_symmetric else tb_code & 1
    return is_flipped, np.int64(0) if tb.is_symmetric else side ^ is_flipped


@inline
def locate(pos, syzygy, tb, is_flipped, side, squares):
    """(address, index): the address of the part of a position with `side` to move, and its index there."""
    flip_color, flip = 8 * is_flipped, 56 * is_flipped
    if not tb.has_pawns:
        address = tb.parts + side * PART_BYTES
        part = part_at(address)
        order_squares(pos, part, squares, np.int64(0), tb.piece_count, flip_color, np.int64(0))
        return address, index_without_pawns(syzygy, tb, part, squares)
    order_squares(pos, part_at(tb.parts), squares, np.int64(0), tb.leading_pawns, flip_color, flip)
    file = sort_leading_pawn(syzygy, tb, squares)
    address = tb.parts + (2 * file + side) * PART_BYTES
    part = part_at(address)
    order_squares(pos, part, squares, tb.leading_pawns, tb.piece_count, flip_color, flip)
    return address, index_with_pawns(syzygy, tb, part, squares)


@kernel
def stored_wdl(pos, syzygy, squares):
    """The stored WDL value of a position, or NO_WDL; correct only if no capture is better."""
    tb_code = find_tb(syzygy, WDL_FILE, material_key(pos))
    if tb_code == NO_TB:
        return NO_WDL
    tb = tb_record(syzygy, WDL_FILE, tb_code)
    is_flipped, side = flip_and_side(pos, tb, tb_code)
    address, index = locate(pos, syzygy, tb, is_flipped, side, squares)
    part = part_at(address)
    if part.constant != NO_WDL:
        return part.constant
    value = decode_value(part, index)
    return value - 2 if value <= 4 else NO_WDL


@inline
def _own_wdl(pos, outcomes_address):
    """The WDL value of a position by the engine's own tables, or NO_WDL."""
    if outcomes_address == 0:
        return NO_WDL
    outcome = outcome_at_zeroing(pos, directory_at(outcomes_address))
    if outcome == UNKNOWN:
        return NO_WDL
    if outcome == OUTCOME_DRAW:
        return WDL_DRAW
    return WDL_WIN if outcome == OUTCOME_WIN else WDL_LOSS


@kernel
def probe_wdl(pos, syzygy, outcomes_address, own_max_pieces, moves, end, scratch, alpha, beta):
    """WDL_WIN to WDL_LOSS for the side to move, as if rule50 were 0; NO_WDL if a table is missing.

    Ignores castling and en passant. Positions with up to `own_max_pieces` pieces are probed in the engine's own tables
    first. `moves` from `end` on is scratch space.
    """
    piece_count = popcount(occupied_squares(pos))
    if piece_count == 2:
        return WDL_DRAW
    if piece_count <= own_max_pieces:
        value = _own_wdl(pos, outcomes_address)
        if value != NO_WDL:
            return value
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, NOISY, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if pos.board[to_square(move)] == NO_PIECE:
            continue
        make(pos, move)
        value = probe_wdl(pos, syzygy, outcomes_address, own_max_pieces, moves, last, scratch, -beta, -alpha)
        unmake(pos, move)
        if value == NO_WDL:
            return NO_WDL
        alpha = max(alpha, -value)
        if alpha >= beta:
            return alpha
    value = stored_wdl(pos, syzygy, scratch.squares)
    return value if value == NO_WDL else max(alpha, value)


@entry(POSITION_TYPE, SYZYGY_TYPE, MOVE_LIST_TYPE, SCRATCH_TYPE, int64)
def wdl_entry(pos: PositionRecord, syzygy: SyzygyRecord, moves: MoveListRecord, scratch: ScratchRecord,
              rounds: Int) -> Int:
    """`probe_wdl` for Python, by Syzygy tables alone; more than one round only to measure the time."""
    value = NO_WDL
    for _ in range(rounds):
        value = probe_wdl(pos, syzygy, np.int64(0), np.int64(0), moves, np.int64(0), scratch, WDL_LOSS, WDL_WIN)
    return value
