"""Who wins (WDL), by Syzygy tables, in kernels.

What they store for positions in which a capture is best is arbitrary: so captures are tried first, and the better value
counts.
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
from tablebase.syzygy.decode import decoded_value
from tablebase.syzygy.indexing import lead_with_foremost_pawn, number_with_pawns, number_without_pawns, order_squares
from tablebase.syzygy.records import (
    ADDRESS_OF_KEYS,
    EVEN,
    HASH,
    HASH_SHIFT,
    NO_TB,
    NO_VALUE,
    PART_BYTES,
    SCRATCH_TYPE,
    SLOTS,
    SURE_LOSS,
    SURE_WIN,
    SYZYGY_TYPE,
    TB_BYTES,
    VALUES,
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
    """The men of both sides, three bits per kind; 0 only for bare kings."""
    key = np.uint64(0)
    for color in range(2):
        for kind in range(PAWN, QUEEN + 1):
            key = key << 3 | np.uint64(popcount(pos.types[kind] & pos.colors[color]))
    return key


@inline
def find_tb(syzygy, kind, key):
    """2 * the number of the file of this kind for the material, plus 1 if its colours are swapped; or NO_TB."""
    slot = np.int64(key * HASH >> HASH_SHIFT)
    keys = _address_of_record(syzygy) + _ADDRESS_OF_KEYS + 8 * SLOTS * kind
    while True:
        found = np.uint64(load_acquire(keys + 8 * slot))
        if found == key:
            return np.int64(syzygy.numbers[kind, slot])
        if found == EMPTY:
            return NO_TB
        slot = (slot + 1) & _SLOT_MASK


@inline
def tb_numbered(syzygy, kind, found):
    """The record of the file that `find_tb` has found."""
    return tb_at(syzygy.tbs[kind] + (found >> 1) * TB_BYTES)


@inline
def seen_by_tb(pos, tb, found):
    """Whether colours are swapped for a position, and the side to move as the file sees it."""
    side = np.int64(pos.side)
    is_exchanged = side if tb.is_symmetric else found & 1
    return is_exchanged, np.int64(0) if tb.is_symmetric else side ^ is_exchanged


@inline
def locate(pos, syzygy, tb, is_exchanged, side, squares):
    """The address of the part, with `side` to move, to which a position belongs, and its number there."""
    exchange, flip = 8 * is_exchanged, 56 * is_exchanged
    if not tb.has_pawns:
        address = tb.parts + side * PART_BYTES
        part = part_at(address)
        order_squares(pos, part, squares, np.int64(0), tb.men, exchange, np.int64(0))
        return address, number_without_pawns(syzygy, tb, part, squares)
    order_squares(pos, part_at(tb.parts), squares, np.int64(0), tb.leading_pawns, exchange, flip)
    file = lead_with_foremost_pawn(syzygy, tb, squares)
    address = tb.parts + (2 * file + side) * PART_BYTES
    part = part_at(address)
    order_squares(pos, part, squares, tb.leading_pawns, tb.men, exchange, flip)
    return address, number_with_pawns(syzygy, tb, part, squares)


@kernel
def stored_wdl(pos, syzygy, squares):
    """The stored value of a position, or NO_VALUE; correct only if no capture is better."""
    found = find_tb(syzygy, VALUES, material_key(pos))
    if found == NO_TB:
        return NO_VALUE
    tb = tb_numbered(syzygy, VALUES, found)
    is_exchanged, side = seen_by_tb(pos, tb, found)
    address, number = locate(pos, syzygy, tb, is_exchanged, side, squares)
    part = part_at(address)
    if part.constant != NO_VALUE:
        return part.constant
    value = decoded_value(part, number)
    return value - 2 if value <= 4 else NO_VALUE


@inline
def _own_value(pos, outcomes_address):
    """The value of a position with few men by the engine's own tables, or NO_VALUE."""
    if outcomes_address == 0:
        return NO_VALUE
    outcome = outcome_at_zeroing(pos, directory_at(outcomes_address))
    if outcome == UNKNOWN:
        return NO_VALUE
    if outcome == OUTCOME_DRAW:
        return EVEN
    return SURE_WIN if outcome == OUTCOME_WIN else SURE_LOSS


@kernel
def probe_wdl(pos, syzygy, outcomes_address, own_men, moves, end, scratch, alpha, beta):
    """SURE_WIN to SURE_LOSS for the side to move, as if a capture had just been made; NO_VALUE if a table is missing.

    Ignores castling and en passant. Positions with up to `own_men` men are left to the engine's own tables, if those
    have them. `moves` from `end` on is scratch space.
    """
    men = popcount(occupied_squares(pos))
    if men == 2:
        return EVEN
    if men <= own_men:
        value = _own_value(pos, outcomes_address)
        if value != NO_VALUE:
            return value
    checkers, pinned = checkers_and_pinned(pos)
    last = generate(pos, moves, end, NOISY, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if pos.board[to_square(move)] == NO_PIECE:
            continue
        make(pos, move)
        value = probe_wdl(pos, syzygy, outcomes_address, own_men, moves, last, scratch, -beta, -alpha)
        unmake(pos, move)
        if value == NO_VALUE:
            return NO_VALUE
        alpha = max(alpha, -value)
        if alpha >= beta:
            return alpha
    value = stored_wdl(pos, syzygy, scratch.squares)
    return value if value == NO_VALUE else max(alpha, value)


@entry(POSITION_TYPE, SYZYGY_TYPE, MOVE_LIST_TYPE, SCRATCH_TYPE, int64)
def wdl_entry(pos: PositionRecord, syzygy: SyzygyRecord, moves: MoveListRecord, scratch: ScratchRecord,
              rounds: Int) -> Int:
    """`probe_wdl` by Syzygy tables alone, `rounds` times: more than once only to measure the time."""
    value = NO_VALUE
    for _ in range(rounds):
        value = probe_wdl(pos, syzygy, np.int64(0), np.int64(0), moves, np.int64(0), scratch, SURE_LOSS, SURE_WIN)
    return value
