"""Syzygy tables as kernels see them: a record for all open tables, one for each file, one for each part of a file."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.kernel import offset_of, record_type
from engine.kernel.intrinsics import record_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of

MOST_MEN = 7
SLOTS = 1 << 13  # of the hash table: more than four times the number of endings with up to seven men
LONGEST_CODE = 33  # lengths of symbols, in bits
MAPS = 4
VALUES, DISTANCES = np.int64(0), np.int64(1)  # the two kinds of files
NO_TB = np.int64(-1)

# A cursed win and a blessed loss are draws by the fifty-move rule.
SURE_WIN, CURSED_WIN, EVEN, BLESSED_LOSS, SURE_LOSS = (np.int64(value) for value in (2, 1, 0, -1, -2))
NO_VALUE = np.int64(-9)


class PartRecord(Fields):
    """How one side to move (and one file of the leading pawn) is stored in an endgame table."""

    constant: I8  # the value of all positions, or NO_VALUE
    index_bits: I8
    block_bits: I8
    shortest: I8  # bits of the shortest symbol
    index: I8  # addresses: roughly where positions are,
    sizes: I8  # how many each block holds,
    blocks: I8  # the blocks,
    first_symbols: I8  # the first symbol of each length, starting with the shortest,
    pairs: I8  # what each symbol stands for,
    lengths: I8  # and for how many values, minus one
    index_count: I8  # the numbers of entries in the file; nothing is read beyond them, whatever the bytes say
    size_count: I8  # the index may start its search after the last block
    block_count: I8
    symbol_count: I8
    end: I8  # the address of the end of the file
    base: Annotated[Numbers, "u8", LONGEST_CODE]  # [length - shortest]: the lowest code of that length
    factor: Annotated[Numbers, "i8", MOST_MEN]
    norm: Annotated[Numbers, "i8", MOST_MEN]  # [man]: how many men of the same kind start there
    pieces: Annotated[Numbers, "i8", MOST_MEN]
    flags: I8  # of distances: see `tablebase.syzygy.probe_dtz`
    maps: Annotated[Numbers, "i8", MAPS]  # [kind of win or loss]: the address of what the stored numbers mean,
    map_sizes: Annotated[Numbers, "i8", MAPS]  # and how many there are


PART = dtype_of(PartRecord)
PART_TYPE = record_type(PART)


class SyzygyTbRecord(Fields):
    """One file."""

    men: I8
    has_pawns: I8
    leading_pawns: I8  # pawns of the colour that is numbered first
    other_pawns: I8
    is_symmetric: I8
    has_three_unique: I8  # whether three men that occur once lead, rather than the two kings
    parts: I8  # the address of the first: [file * 2 + side to move]


SYZYGY_TB = dtype_of(SyzygyTbRecord)
SYZYGY_TB_TYPE = record_type(SYZYGY_TB)


class SyzygyRecord(Fields):
    """All open tables, and how the format numbers squares and placements."""

    # How the format numbers squares and placements.
    triangle: Annotated[Numbers, "i8", 64]
    lower: Annotated[Numbers, "i8", 64]
    diagonal: Annotated[Numbers, "i8", 64]
    flap: Annotated[Numbers, "i8", 64]
    pawn_twist: Annotated[Numbers, "i8", 64]
    king_pairs: Annotated[Numbers, "i8", (10, 64)]
    pawn_index: Annotated[Numbers, "i8", (5, 24)]
    choose: Annotated[Numbers, "i8", (64, MOST_MEN)]
    # The open tables.
    keys: Annotated[Numbers, "u8", (2, SLOTS)]  # [kind]: the material, or 0 for an empty slot
    numbers: Annotated[Numbers, "i4", (2, SLOTS)]  # [kind]: 2 * the ending's number, plus 1 if colours are swapped
    tbs: Annotated[Numbers, "i8", 2]  # [kind]: the address of the first
    most_men: I8


SYZYGY = dtype_of(SyzygyRecord)
SYZYGY_TYPE = record_type(SYZYGY)
ADDRESS_OF_KEYS = offset_of(SYZYGY, "keys")  # their offset in the record


class ScratchRecord(Fields):
    """The squares of the men of a position, in the order of a part."""

    squares: Annotated[Numbers, "i8", MOST_MEN + 1]


SCRATCH = dtype_of(ScratchRecord)
SCRATCH_TYPE = record_type(SCRATCH)

syzygy_at = record_reader(SYZYGY_TYPE)
tb_at = record_reader(SYZYGY_TB_TYPE)
part_at = record_reader(PART_TYPE)
TB_BYTES, PART_BYTES = SYZYGY_TB.itemsize, PART.itemsize

HASH = np.uint64(0x9E37_79B9_7F4A_7C15)  # the upper bits of the material times this are the first slot to try
HASH_SHIFT = 51
