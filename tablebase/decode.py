"""Syzygy tables of wins, draws and losses, decoded in the kernel.

A table numbers its positions, and stores their values as a sequence of symbols of varying length, in blocks. A symbol
stands for a value or for two other symbols. Tables say nothing of positions in which a capture is best: captures are
looked at first, and what is better counts. All of it rests on files that lie in memory as they are on disk; their
headers were read before (syzygy.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.bits import EMPTY, NO_PIECE, PAWN, QUEEN, byteswap, lsb, popcount, without_lsb
from engine.core.movegen import MOVE_LIST_TYPE, NOISY, MoveListRecord, generate, king_masks
from engine.core.moves import to_square
from engine.core.position import POSITION_TYPE, PositionRecord, make, occupied_squares, unmake
from engine.kernel import Int, entry, inline, int64, kernel, record_dtype, record_type
from engine.kernel.intrinsics import load_u8, load_u16, load_u32, load_word, record_reader
from tablebase.probe import DRAW, UNKNOWN, WIN, directory_at, lasting_outcome

MOST_MEN = 7
SLOTS = 1 << 13  # of the hash table: more than four times as many as there are endings with up to seven men
NO_TABLE = -1
LONGEST_CODE = 33  # lengths of symbols, in bits

# Wins and losses that fifty moves without a capture or a pawn's move make draws of have a name of their own.
SURE_WIN, CURSED_WIN, EVEN, BLESSED_LOSS, SURE_LOSS = (np.int64(value) for value in (2, 1, 0, -1, -2))
NO_VALUE = np.int64(-9)
UNREADABLE = np.int64(255)  # as a value in the file, where only 0 to 4 make sense

# How one side to move (and one file of the leading pawn) is written in a table.
PART = record_dtype([
    ("constant", "i8"),  # the value of all positions, or NO_VALUE
    ("index_bits", "i8"),
    ("block_bits", "i8"),
    ("shortest", "i8"),  # bits of the shortest symbol
    ("index", "i8"),  # addresses: where positions are found roughly,
    ("sizes", "i8"),  # how many each block holds,
    ("blocks", "i8"),  # the blocks,
    ("first_symbols", "i8"),  # the first symbol of each length, from the shortest on,
    ("pairs", "i8"),  # what each symbol stands for,
    ("lengths", "i8"),  # and for how many values, less one
    ("index_count", "i8"),  # what the file holds of them, beyond which nothing is read whatever the bytes say
    ("size_count", "i8"),  # the index may begin its search behind the last block
    ("block_count", "i8"),
    ("symbol_count", "i8"),
    ("end", "i8"),  # the address behind the file
    ("base", "u8", LONGEST_CODE),  # [length - shortest]: the lowest code of that length
    ("factor", "i8", MOST_MEN),
    ("norm", "i8", MOST_MEN),  # [place]: how many men of one kind begin there
    ("pieces", "i8", MOST_MEN),
])
PART_TYPE = record_type(PART)

SYZYGY_TABLE = record_dtype([
    ("men", "i8"),
    ("has_pawns", "i8"),
    ("leading_pawns", "i8"),  # of the colour whose pawns are numbered first
    ("other_pawns", "i8"),
    ("is_symmetric", "i8"),
    ("has_three_unique", "i8"),  # whether three men that occur once lead, not the two kings
    ("parts", "i8"),  # the address of the first: [file * 2 + side to move]
])
SYZYGY_TABLE_TYPE = record_type(SYZYGY_TABLE)

SYZYGY = record_dtype([
    # How the format numbers squares and placements.
    ("triangle", "i8", 64),
    ("lower", "i8", 64),
    ("diagonal", "i8", 64),
    ("flap", "i8", 64),
    ("pawn_twist", "i8", 64),
    ("king_pairs", "i8", (10, 64)),
    ("pawn_index", "i8", (5, 24)),
    ("choose", "i8", (64, MOST_MEN)),
    # The tables that are open.
    ("keys", "u8", SLOTS),  # the material, or 0 for an empty slot
    ("numbers", "i4", SLOTS),  # 2 * table, and 1 more if the colours are exchanged
    ("tables", "i8"),  # the address of the first
    ("most_men", "i8"),
])
SYZYGY_TYPE = record_type(SYZYGY)
SCRATCH = record_dtype([("squares", "i8", MOST_MEN + 1)])
SCRATCH_TYPE = record_type(SCRATCH)

syzygy_at = record_reader(SYZYGY_TYPE)
_table_at = record_reader(SYZYGY_TABLE_TYPE)
_part_at = record_reader(PART_TYPE)
_TABLE_BYTES, _PART_BYTES = SYZYGY_TABLE.itemsize, PART.itemsize

HASH = np.uint64(0x9E37_79B9_7F4A_7C15)  # the material times this: its upper bits are the first slot to look at
HASH_SHIFT = 51
_SLOT_MASK = np.int64(SLOTS - 1)
_ONE = np.int64(1)


@inline
def material_key(pos):
    """The men of both sides, three bits a kind; never 0 beside bare kings."""
    key = np.uint64(0)
    for color in range(2):
        for kind in range(PAWN, QUEEN + 1):
            key = key << 3 | np.uint64(popcount(pos.types[kind] & pos.colors[color]))
    return key


@inline
def _find(syzygy, key):
    """2 * the number of the table for this material, and 1 more if its colours are exchanged; or NO_TABLE."""
    slot = np.int64(key * HASH >> HASH_SHIFT)
    while syzygy.keys[slot] != EMPTY:
        if syzygy.keys[slot] == key:
            return np.int64(syzygy.numbers[slot])
        slot = (slot + 1) & _SLOT_MASK
    return np.int64(NO_TABLE)


@inline
def _off_diagonal(square):
    """Positive above the long diagonal, negative below, 0 on it."""
    return (square >> 3) - (square & 7)


@inline
def _mirror_all(squares, men, mask):
    for man in range(men):
        squares[man] ^= mask


@inline
def _place_pieces(pos, part, squares, first, men, exchange, flip):
    """Write where the men stand, from the one numbered `first` on, in the order of the part."""
    man = first
    while man < men:
        piece = part.pieces[man] ^ exchange
        left = pos.types[piece & 7] & pos.colors[piece >> 3]
        while left != EMPTY:
            squares[man] = lsb(left) ^ flip
            left = without_lsb(left)
            man += 1


@inline
def _sort(squares, first, last):
    for man in range(first + 1, last):
        square, place = squares[man], man
        while place > first and squares[place - 1] > square:
            squares[place] = squares[place - 1]
            place -= 1
        squares[place] = square


@inline
def _number_of_group(lists, squares, first, last, lowest):
    """The number of a placement of like men on the squares that the men before them leave."""
    _sort(squares, first, last)
    number = np.int64(0)
    for man in range(first, last):
        below = lowest
        for other in range(first):
            below += np.int64(squares[man] > squares[other])
        number += lists.choose[squares[man] - below, man - first + 1]
    return number


@inline
def _turn_to_triangle(squares, men, leaders):
    """Turn the board until the first man stands in the triangle a1-d1-d4, and the first off the diagonal below it."""
    if squares[0] & 4:
        _mirror_all(squares, men, 7)
    if squares[0] & 32:
        _mirror_all(squares, men, 56)
    man = np.int64(0)
    while man < leaders and _off_diagonal(squares[man]) == 0:
        man += 1
    if man < leaders and _off_diagonal(squares[man]) > 0:
        for other in range(men):
            squares[other] = (squares[other] >> 3 | squares[other] << 3) & 63


@inline
def _number_of_three(lists, squares):
    """The number of three unique men that lead."""
    first, second, third = squares[0], squares[1], squares[2]
    after = np.int64(second > first)
    after_both = np.int64(third > first) + np.int64(third > second)
    if _off_diagonal(first) != 0:
        return lists.triangle[first] * 63 * 62 + (second - after) * 62 + third - after_both
    number = np.int64(6 * 63 * 62)
    if _off_diagonal(second) != 0:
        return number + lists.diagonal[first] * 28 * 62 + lists.lower[second] * 62 + third - after_both
    number += 4 * 28 * 62
    if _off_diagonal(third) != 0:
        return number + lists.diagonal[first] * 7 * 28 + (lists.diagonal[second] - after) * 28 + lists.lower[third]
    return (number + 4 * 7 * 28 + lists.diagonal[first] * 7 * 6 + (lists.diagonal[second] - after) * 6
            + lists.diagonal[third] - after_both)


@inline
def _number_of_rest(lists, part, squares, first, men):
    """What the men from `first` on add to the number of a position."""
    number = np.int64(0)
    while first < men:
        last = first + part.norm[first]
        number += _number_of_group(lists, squares, first, last, np.int64(0)) * part.factor[first]
        first = last
    return number


@inline
def _number_without_pawns(lists, table, part, squares):
    leaders = np.int64(3) if table.has_three_unique else np.int64(2)
    _turn_to_triangle(squares, table.men, leaders)
    if table.has_three_unique:
        number = _number_of_three(lists, squares)
    else:
        number = np.int64(lists.king_pairs[lists.triangle[squares[0]], squares[1]])
    return number * part.factor[0] + _number_of_rest(lists, part, squares, leaders, table.men)


@inline
def _lead_with_foremost_pawn(lists, table, squares):
    """Put the leading pawn that comes first in the format's order first; returns its file, mirrored to a to d."""
    for man in range(1, table.leading_pawns):
        if lists.flap[squares[0]] > lists.flap[squares[man]]:
            squares[0], squares[man] = squares[man], squares[0]
    file = squares[0] & 7
    return min(file, 7 - file)


@inline
def _number_with_pawns(lists, table, part, squares):
    if squares[0] & 4:
        _mirror_all(squares, table.men, 7)
    leaders = table.leading_pawns
    for man in range(1, leaders):
        for other in range(man + 1, leaders):
            if lists.pawn_twist[squares[man]] < lists.pawn_twist[squares[other]]:
                squares[man], squares[other] = squares[other], squares[man]
    number = lists.pawn_index[leaders - 1, lists.flap[squares[0]]]
    for man in range(1, leaders):
        number += lists.choose[lists.pawn_twist[squares[man]], leaders - man]
    number *= part.factor[0]
    if table.other_pawns > 0:
        last = leaders + table.other_pawns
        number += _number_of_group(lists, squares, leaders, last, np.int64(8)) * part.factor[leaders]
        leaders = last
    return number + _number_of_rest(lists, part, squares, leaders, table.men)


@inline
def _find_block(part, number):
    """The block that holds a position, and how many positions of the block come before it."""
    main = number >> part.index_bits
    before = (number & (_ONE << part.index_bits) - 1) - (_ONE << part.index_bits - 1)
    row = part.index + 6 * main
    block = load_u32(row)
    before += load_u16(row + 4)
    while before < 0 and block > 0 and block <= part.size_count:
        block -= 1
        before += load_u16(part.sizes + 2 * block) + 1
    while block < part.block_count and before > load_u16(part.sizes + 2 * block):
        before -= load_u16(part.sizes + 2 * block) + 1
        block += 1
    return block, before


@inline
def _left_symbol(part, symbol):
    row = part.pairs + 3 * symbol
    return (load_u8(row + 1) & 15) << 8 | load_u8(row)


@inline
def _right_symbol(part, symbol):
    row = part.pairs + 3 * symbol
    return load_u8(row + 2) << 4 | load_u8(row + 1) >> 4


@kernel
def _value_of(part, number):
    """The value of a position by its number in the part, 0 to 4; UNREADABLE if the bytes make no sense."""
    if number < 0 or number >> part.index_bits >= part.index_count:
        return UNREADABLE
    block, before = _find_block(part, number)
    if before < 0 or block >= part.block_count:
        return UNREADABLE
    address = part.blocks + (block << part.block_bits)
    code = byteswap(load_word(address))
    address += 8
    used = np.int64(0)
    while True:
        length = np.int64(0)
        while code < part.base[length]:
            length += 1
        bits = length + part.shortest
        symbol = load_u16(part.first_symbols + 2 * length) + np.int64(code - part.base[length] >> 64 - bits)
        if symbol >= part.symbol_count:
            return UNREADABLE
        held = load_u8(part.lengths + symbol) + 1
        if before < held:
            break
        before -= held
        code <<= bits
        used += bits
        if used >= 32:
            used -= 32
            if address + 4 > part.end:
                return UNREADABLE
            code |= byteswap(np.uint64(load_u32(address)) << 32) << used
            address += 4
    while load_u8(part.lengths + symbol) != 0:
        left = _left_symbol(part, symbol)
        held = load_u8(part.lengths + left) + 1
        if before < held:
            symbol = left
        else:
            before -= held
            symbol = _right_symbol(part, symbol)
    return load_u8(part.pairs + 3 * symbol)


@inline
def _read_value(part, number):
    value = _value_of(part, number)
    return value - 2 if value <= 4 else NO_VALUE


@kernel
def _stored_value(pos, syzygy, squares):
    """What the table says of a position, or NO_VALUE; only right where no capture is better."""
    found = _find(syzygy, material_key(pos))
    if found == NO_TABLE:
        return NO_VALUE
    table = _table_at(syzygy.tables + (found >> 1) * _TABLE_BYTES)
    side = np.int64(pos.side)
    is_exchanged = side if table.is_symmetric else found & 1
    exchange, flip = 8 * is_exchanged, 56 * is_exchanged
    side = np.int64(0) if table.is_symmetric else side ^ is_exchanged
    part = _part_at(table.parts + side * _PART_BYTES)
    if not table.has_pawns:
        if part.constant != NO_VALUE:
            return part.constant
        _place_pieces(pos, part, squares, np.int64(0), table.men, exchange, np.int64(0))
        return _read_value(part, _number_without_pawns(syzygy, table, part, squares))
    _place_pieces(pos, _part_at(table.parts), squares, np.int64(0), table.leading_pawns, exchange, flip)
    file = _lead_with_foremost_pawn(syzygy, table, squares)
    part = _part_at(table.parts + (2 * file + side) * _PART_BYTES)
    if part.constant != NO_VALUE:
        return part.constant
    _place_pieces(pos, part, squares, table.leading_pawns, table.men, exchange, flip)
    return _read_value(part, _number_with_pawns(syzygy, table, part, squares))


@inline
def _own_value(pos, outcomes_address):
    """The value of a position with few men by the engine's own tables, or NO_VALUE."""
    if outcomes_address == 0:
        return NO_VALUE
    outcome = lasting_outcome(pos, directory_at(outcomes_address))
    if outcome == UNKNOWN:
        return NO_VALUE
    if outcome == DRAW:
        return EVEN
    return SURE_WIN if outcome == WIN else SURE_LOSS


@kernel
def probe_value(pos, syzygy, outcomes_address, own_men, moves, end, scratch, alpha, beta):
    """SURE_WIN to SURE_LOSS for the side to move, as if a capture had just been made; NO_VALUE if a table is missing.

    Without castling rights and captures en passant. Positions with up to `own_men` men are left to the engine's own
    tables, if these know them. `moves` from `end` on is scratch paper.
    """
    men = popcount(occupied_squares(pos))
    if men == 2:
        return EVEN
    if men <= own_men:
        value = _own_value(pos, outcomes_address)
        if value != NO_VALUE:
            return value
    checkers, pinned = king_masks(pos)
    last = generate(pos, moves, end, NOISY, checkers, pinned)
    for index in range(end, last):
        move = np.int64(moves.moves[index])
        if pos.board[to_square(move)] == NO_PIECE:
            continue
        make(pos, move)
        value = probe_value(pos, syzygy, outcomes_address, own_men, moves, last, scratch, -beta, -alpha)
        unmake(pos, move)
        if value == NO_VALUE:
            return NO_VALUE
        alpha = max(alpha, -value)
        if alpha >= beta:
            return alpha
    value = _stored_value(pos, syzygy, scratch.squares)
    return value if value == NO_VALUE else max(alpha, value)


@entry(POSITION_TYPE, SYZYGY_TYPE, MOVE_LIST_TYPE, SCRATCH_TYPE, int64)
def position_value(pos: PositionRecord, syzygy: Any, moves: MoveListRecord, scratch: Any, rounds: Int) -> Int:
    """`probe_value` by Syzygy tables alone, looked up `rounds` times: more than once only to measure the time."""
    value = NO_VALUE
    for _ in range(rounds):
        value = probe_value(pos, syzygy, np.int64(0), np.int64(0), moves, np.int64(0), scratch, SURE_LOSS, SURE_WIN)
    return value
