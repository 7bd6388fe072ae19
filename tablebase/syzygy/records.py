"""Records of Syzygy tables for kernels: one for all open tables, one per file, one per part of a file."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.kernel import offset_of, record_type
from engine.kernel.intrinsics import record_reader
from engine.kernel.records import I8, Fields, Numbers, dtype_of

MAX_PIECES = 7
SLOTS = 1 << 13  # of the hash table: over four times the number of endings with up to seven pieces
LONGEST_CODE = 33  # lengths of symbols, in bits
MAPS = 4
WDL_FILE, DTZ_FILE = np.int64(0), np.int64(1)  # values of `table_kind`: .rtbw and .rtbz
NO_TB = np.int64(-1)

# WDL values. A cursed win and a blessed loss are draws by the fifty-move rule.
WDL_WIN, WDL_CURSED_WIN, WDL_DRAW, WDL_BLESSED_LOSS, WDL_LOSS = (np.int64(value) for value in (2, 1, 0, -1, -2))
NO_WDL = np.int64(-9)


class PartRecord(Fields):
    """The data of one side to move (and one file of the leading pawn)."""

    constant: I8  # the value of all positions, or NO_VALUE
    index_bits: I8
    block_bits: I8
    shortest: I8  # bits of the shortest symbol
    index: I8  # addresses: of the sparse index,
    sizes: I8  # of the number of values in each block,
    blocks: I8  # of the blocks,
    first_symbols: I8  # of the first symbol of each length, the shortest first,
    pairs: I8  # of the pairs that the symbols stand for,
    lengths: I8  # and of the number of values of each symbol, minus one
    index_count: I8  # the numbers of entries; a damaged file must not cause reads beyond them
    size_count: I8  # the index may start its search after the last block
    block_count: I8
    symbol_count: I8
    end: I8  # the address of the end of the file
    base: Annotated[Numbers, "u8", LONGEST_CODE]  # [length - shortest]: the lowest code of that length
    factor: Annotated[Numbers, "i8", MAX_PIECES]
    norm: Annotated[Numbers, "i8", MAX_PIECES]  # [piece]: the size of the group of equal pieces that starts there
    pieces: Annotated[Numbers, "i8", MAX_PIECES]
    flags: I8  # of DTZ parts: see `tablebase.syzygy.probe_dtz`
    maps: Annotated[Numbers, "i8", MAPS]  # [win, loss, cursed win, blessed loss]: the address of the map,
    map_sizes: Annotated[Numbers, "i8", MAPS]  # and its size


PART = dtype_of(PartRecord)
PART_TYPE = record_type(PART)


class SyzygyTbRecord(Fields):
    """One file."""

    piece_count: I8
    has_pawns: I8
    leading_pawns: I8  # pawns of the colour that is indexed first
    other_pawns: I8
    is_symmetric: I8
    has_three_unique: I8  # whether three unique pieces lead, rather than the two kings
    parts: I8  # the address of the first: [file * 2 + side to move]


SYZYGY_TB = dtype_of(SyzygyTbRecord)
SYZYGY_TB_TYPE = record_type(SYZYGY_TB)


class SyzygyRecord(Fields):
    """All open tables, and the index tables of the format."""

    # The index tables of the format.
    triangle: Annotated[Numbers, "i8", 64]
    lower: Annotated[Numbers, "i8", 64]
    diagonal: Annotated[Numbers, "i8", 64]
    flap: Annotated[Numbers, "i8", 64]
    pawn_twist: Annotated[Numbers, "i8", 64]
    king_pairs: Annotated[Numbers, "i8", (10, 64)]
    pawn_index: Annotated[Numbers, "i8", (5, 24)]
    choose: Annotated[Numbers, "i8", (64, MAX_PIECES)]
    # The open tables.
    keys: Annotated[Numbers, "u8", (2, SLOTS)]  # [table_kind]: the material, or 0 for an empty slot
    numbers: Annotated[Numbers, "i4", (2, SLOTS)]  # [table_kind]: 2 * ending index, plus 1 if the colours are swapped
    tbs: Annotated[Numbers, "i8", 2]  # [table_kind]: the address of the first
    max_pieces: I8


SYZYGY = dtype_of(SyzygyRecord)
SYZYGY_TYPE = record_type(SYZYGY)
ADDRESS_OF_KEYS = offset_of(SYZYGY, "keys")  # the offset of the keys in the record


class ScratchRecord(Fields):
    """The squares of the pieces of a position, in the order of a part."""

    squares: Annotated[Numbers, "i8", MAX_PIECES + 1]


SCRATCH = dtype_of(ScratchRecord)
SCRATCH_TYPE = record_type(SCRATCH)

syzygy_at = record_reader(SYZYGY_TYPE)
tb_at = record_reader(SYZYGY_TB_TYPE)
part_at = record_reader(PART_TYPE)
TB_BYTES, PART_BYTES = SYZYGY_TB.itemsize, PART.itemsize

HASH = np.uint64(0x9E37_79B9_7F4A_7C15)  # the upper bits of the key times this are the first slot to try
HASH_SHIFT = 51
