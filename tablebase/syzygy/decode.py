"""Decoding of Syzygy tables: the value of a position by its index in a part.

The values are stored in blocks of variable-length symbols. A symbol stands for a value or for two other symbols. Files
are memory-mapped; headers.py has read their headers before.
"""

from __future__ import annotations

import numpy as np

from engine.core.bits import byteswap
from engine.kernel import inline, kernel
from engine.kernel.intrinsics import load_u8, load_u16, load_u32, load_word

UNREADABLE = np.int64(1 << 16)  # larger than any value in a file, which has at most twelve bits
_ONE = np.int64(1)


@inline
def _find_block(part, position):
    """(block, before): the block of a position, and the number of positions before it in that block."""
    main = position >> part.index_bits
    before = (position & (_ONE << part.index_bits) - 1) - (_ONE << part.index_bits - 1)
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
def decode_value(part, position):
    """The value of a position by its index in the part; UNREADABLE if the file is damaged."""
    if position < 0 or position >> part.index_bits >= part.index_count:
        return UNREADABLE
    block, before = _find_block(part, position)
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
    return _left_symbol(part, symbol)
