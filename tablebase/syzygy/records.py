"""Syzygy tables as kernels see them: a record for all that is open, one for each ending, one for each part of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import offset_of, record_dtype, record_type
from engine.kernel.intrinsics import record_reader

MOST_MEN = 7
SLOTS = 1 << 13  # of the hash: more than four times as many as there are endings with up to seven men
LONGEST_CODE = 33  # lengths of symbols, in bits
MAPS = 4
VALUES, DISTANCES = np.int64(0), np.int64(1)  # the two kinds of files
NO_TB = np.int64(-1)

# Wins and losses that fifty moves without a capture or a pawn's move make draws of have a name of their own.
SURE_WIN, CURSED_WIN, EVEN, BLESSED_LOSS, SURE_LOSS = (np.int64(value) for value in (2, 1, 0, -1, -2))
NO_VALUE = np.int64(-9)

# How one side to move (and one file of the leading pawn) is written in an endgame table.
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
    ("flags", "i8"),  # of distances: see `tablebase.syzygy.distances`
    ("maps", "i8", MAPS),  # [kind of win or loss]: the address of what the stored numbers mean,
    ("map_sizes", "i8", MAPS),  # and how many there are
])
PART_TYPE = record_type(PART)
PartRecord = Any

SYZYGY_TB = record_dtype([
    ("men", "i8"),
    ("has_pawns", "i8"),
    ("leading_pawns", "i8"),  # of the colour whose pawns are numbered first
    ("other_pawns", "i8"),
    ("is_symmetric", "i8"),
    ("has_three_unique", "i8"),  # whether three men that occur once lead, not the two kings
    ("parts", "i8"),  # the address of the first: [file * 2 + side to move]
])
SYZYGY_TB_TYPE = record_type(SYZYGY_TB)

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
    # The endgame tables that are open.
    ("keys", "u8", (2, SLOTS)),  # [kind]: the material, or 0 for an empty slot
    ("numbers", "i4", (2, SLOTS)),  # [kind]: 2 * the number of the ending, 1 more if colours are exchanged
    ("tbs", "i8", 2),  # [kind]: the address of the first
    ("most_men", "i8"),
])
SYZYGY_TYPE = record_type(SYZYGY)
ADDRESS_OF_KEYS = offset_of(SYZYGY, "keys")  # where in the record they begin
SyzygyRecord = Any
SCRATCH = record_dtype([("squares", "i8", MOST_MEN + 1)])
SCRATCH_TYPE = record_type(SCRATCH)
ScratchRecord = Any

syzygy_at = record_reader(SYZYGY_TYPE)
tb_at = record_reader(SYZYGY_TB_TYPE)
part_at = record_reader(PART_TYPE)
TB_BYTES, PART_BYTES = SYZYGY_TB.itemsize, PART.itemsize

HASH = np.uint64(0x9E37_79B9_7F4A_7C15)  # the material times this: its upper bits are the first slot to look at
HASH_SHIFT = 51
