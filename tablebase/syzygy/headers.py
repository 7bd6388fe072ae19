"""Headers of Syzygy tables: python-chess reads them; here they are checked, and written down for the kernels."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from tablebase.files import Bytes
from tablebase.material import Men
from tablebase.syzygy.records import NO_VALUE, PartRecord

_WORD = 8  # bytes that are read at once
_HIGHEST_VALUE = 4  # as files write a win
_LEAF = 0xFFF  # the second symbol of one that stands for a value


def check_header(source: Any, men: Men, data: Bytes) -> bool:
    """ValueError if the file is not what its name says, or makes no sense; else whether its colours are exchanged."""
    exchanged = tuple(sorted(piece ^ 8 for piece in men))
    found = set()
    for holder in source.files if source.has_pawns else [source]:
        for side in holder.precomp:
            pieces = holder.pieces[side]
            if len(list(groupby(pieces))) != len(set(pieces)):
                raise ValueError("men of one kind are not named together")
            found.add(tuple(sorted(piece for piece in pieces if piece % 8 != 6)))
    if found not in ({men}, {exchanged}):
        raise ValueError("it holds another ending than its name says")
    for part, size in _parts(source):
        _check_part(part, size, data)
    return found == {exchanged} and men != exchanged


def _parts(source: Any) -> list[tuple[Any, list[int]]]:
    """The parts that have blocks, each with the bytes of its index, of its sizes and of its blocks."""
    places = [(file.precomp, 6 * number) for number, file in enumerate(source.files)] if source.has_pawns else [
        (source.precomp, 0)]
    return [(part, source.size[first + 3 * side :][:3]) for precomp, first in places for side, part in precomp.items()
            if part.idxbits]


def _check_part(part: Any, size: list[int], data: Bytes) -> None:
    """ValueError if a part points beyond the file or its own lists."""
    index, sizes, blocks = size
    for start, length in ((part.indextable, index), (part.sizetable, sizes), (part.data, blocks + _WORD)):
        if start + length > data.size:
            raise ValueError("it is cut off")
    rows = data[part.indextable :][:index].reshape(-1, 6).astype(np.int64)
    if rows.size and int((rows[:, :4] << np.arange(0, 32, 8)).sum(axis=1).max()) >= sizes // 2:
        raise ValueError("its index points to no block")
    symbols = _symbol_count(part, data)
    pairs = data[part.sympat :][: 3 * symbols].reshape(-1, 3).astype(np.int64)
    left, right = pairs[:, 0] | (pairs[:, 1] & 15) << 8, pairs[:, 1] >> 4 | pairs[:, 2] << 4
    if np.any((right != _LEAF) & ((right >= symbols) | (left >= symbols))):
        raise ValueError("its symbols are damaged")


def _symbol_count(part: Any, data: Bytes) -> int:
    """The number that stands before the list of symbols."""
    return int(data[part.sympat - 2]) | int(data[part.sympat - 1]) << 8


def set_part(part: PartRecord, source: Any, file: int, side: int, data: Bytes, kept: list[Any]) -> None:
    """Write what python-chess has read of a part into its record."""
    holder = source.files[file] if source.has_pawns else source
    if side not in holder.precomp:
        return
    pairs, address = holder.precomp[side], data.ctypes.data
    for field in ("factor", "norm", "pieces"):
        values = getattr(holder, field)[side]
        part[field][: len(values)] = values
    part.constant = NO_VALUE
    if not pairs.idxbits:
        if pairs.min_len > _HIGHEST_VALUE:
            raise ValueError("its value makes no sense")
        part.constant = pairs.min_len - 2
        return
    index, sizes, blocks = next(size for other, size in _parts(source) if other is pairs)
    part.index_count, part.size_count, part.symbol_count = index // 6, sizes // 2, _symbol_count(pairs, data)
    part.block_count = min(sizes // 2, blocks >> pairs.blocksize)
    part.index_bits, part.block_bits, part.shortest = pairs.idxbits, pairs.blocksize, pairs.min_len
    part.index, part.sizes, part.blocks = (address + place for place in (pairs.indextable, pairs.sizetable, pairs.data))
    part.end = address + data.size  # the last block is read on a few bytes beyond its end, into the file's checksum
    part.first_symbols, part.pairs = address + pairs.offset + 2 * pairs.min_len, address + pairs.sympat
    part["base"][: len(pairs.base)] = np.array(pairs.base, np.uint64)
    lengths = np.array(pairs.symlen, np.uint8)
    part.lengths = lengths.ctypes.data
    kept.append(lengths)
