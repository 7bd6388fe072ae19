"""Headers of Syzygy tables: python-chess parses them; this module validates them and writes the kernels' records.

WDL files have parts for both sides to move, DTZ files for one. Files with pawns have a part for each file of the board
that the leading pawn may be on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import chess.syzygy
import numpy as np

from tablebase.files import Bytes
from tablebase.material import Pieces
from tablebase.syzygy.records import MAPS, NO_WDL, PartRecord

FILES = 4
MAPPED, WIDE = 2, 16  # flags of DTZ parts: stored numbers are mapped; mapped numbers take two bytes

_WORD = 8  # bytes of one read
_HIGHEST_VALUE = 4  # WDL_WIN as stored
_LEAF = 0xFFF  # the right symbol of a symbol that stands for a value


@dataclass(frozen=True)
class Part:
    """A part as python-chess parsed it."""

    file: int
    side: int
    pairs: Any
    size: list[int]  # bytes of its index, sizes and blocks
    lists: dict[str, list[int]]  # factor, norm, pieces
    flags: int = 0
    maps: tuple[int, ...] = ()  # the offset of each in the file


def parts_of(source: Any) -> list[Part]:
    """All parts of a file that python-chess parsed; ValueError if some are missing."""
    holders = source.files if source.has_pawns else [source]
    if isinstance(source, chess.syzygy.WdlTable):
        if any(set(holder.precomp) != ({0} if source.symmetric else {0, 1}) for holder in holders):
            raise ValueError("a side to move is missing")
        return [Part(file, side, pairs, source.size[6 * file + 3 * side :][:3], _lists(holder, side))
                for file, holder in enumerate(holders) for side, pairs in holder.precomp.items()]
    flags = source.flags if source.has_pawns else [source.flags]
    if len(flags) != len(holders):
        raise ValueError("the parts by pawn file are missing")
    return [Part(file, 0, holder.precomp, source.size[3 * file :][:3], _lists(holder, None), flags[file],
                 _maps(source, flags[file], file)) for file, holder in enumerate(holders)]


def _lists(holder: Any, side: int | None) -> dict[str, list[int]]:
    names = ("factor", "norm", "pieces")
    return {name: getattr(holder, name) if side is None else getattr(holder, name)[side] for name in names}


def _maps(source: Any, flags: int, file: int) -> tuple[int, ...]:
    width = 2 if flags & WIDE else 1
    return tuple(source.p_map + width * offset for offset in source.map_idx[file]) if flags & MAPPED else ()


def check_header(parts: list[Part], pieces_of_name: Pieces, data: Bytes) -> bool:
    """Whether the colours of the file are swapped; ValueError if it is damaged or its name is wrong."""
    flipped = tuple(sorted(piece ^ 8 for piece in pieces_of_name))
    materials = set()
    for part in parts:
        pieces = part.lists["pieces"]
        if len(list(groupby(pieces))) != len(set(pieces)):
            raise ValueError("equal pieces are not adjacent")
        materials.add(tuple(sorted(piece for piece in pieces if piece % 8 != 6)))
    if materials not in ({pieces_of_name}, {flipped}):
        raise ValueError("the file holds a different ending than its name says")
    for part in parts:
        if part.pairs.idxbits:
            _check_part(part.pairs, part.size, data)
    return materials == {flipped} and pieces_of_name != flipped


def _check_part(pairs: Any, size: list[int], data: Bytes) -> None:
    """ValueError if a part points beyond the file or its own lists."""
    index, sizes, blocks = size
    for start, length in ((pairs.indextable, index), (pairs.sizetable, sizes), (pairs.data, blocks + _WORD)):
        if start + length > data.size:
            raise ValueError("the file is truncated")
    rows = data[pairs.indextable :][:index].reshape(-1, 6).astype(np.int64)
    if rows.size and int((rows[:, :4] << np.arange(0, 32, 8)).sum(axis=1).max()) >= sizes // 2:
        raise ValueError("the index points to no block")
    symbols = _read_u16(data, pairs.sympat - 2)
    patterns = data[pairs.sympat :][: 3 * symbols].reshape(-1, 3).astype(np.int64)
    left, right = patterns[:, 0] | (patterns[:, 1] & 15) << 8, patterns[:, 1] >> 4 | patterns[:, 2] << 4
    is_pair = right != _LEAF
    if np.any(is_pair & ((right >= symbols) | (left >= symbols))):
        raise ValueError("invalid symbols")
    # A pair must stand for as many values as its two halves. Then no symbol contains itself, and decoding terminates.
    held = np.array(pairs.symlen[:symbols], np.int64) + 1
    if np.any(held[is_pair] != held[left[is_pair]] + held[right[is_pair]]) or np.any(held[~is_pair] != 1):
        raise ValueError("invalid symbols")


def _read_u16(data: Bytes, offset: int) -> int:
    return int(data[offset]) | int(data[offset + 1]) << 8


def set_part(record: PartRecord, part: Part, data: Bytes, kept: list[Any]) -> None:
    """Write a part into its record; ValueError if it is invalid. Arrays that the record points to go into `kept`."""
    pairs, address = part.pairs, data.ctypes.data
    for field, values in part.lists.items():
        record[field][: len(values)] = values
    record.constant, record.flags = int(NO_WDL), part.flags
    _set_maps(record, part, data)
    if not pairs.idxbits:
        if pairs.min_len > _HIGHEST_VALUE:
            raise ValueError("invalid value")
        record.constant = pairs.min_len - 2
        return
    index, sizes, blocks = part.size
    record.index_count, record.size_count = index // 6, sizes // 2
    record.symbol_count = _read_u16(data, pairs.sympat - 2)
    record.block_count = min(sizes // 2, blocks >> pairs.blocksize)
    record.index_bits, record.block_bits, record.shortest = pairs.idxbits, pairs.blocksize, pairs.min_len
    record.index, record.sizes, record.blocks = (
        address + offset for offset in (pairs.indextable, pairs.sizetable, pairs.data))
    record.end = address + data.size  # reads may go a few bytes past the last block, into the checksum of the file
    record.first_symbols, record.pairs = address + pairs.offset + 2 * pairs.min_len, address + pairs.sympat
    record["base"][: len(pairs.base)] = np.array(pairs.base, np.uint64)
    lengths = np.array(pairs.symlen, np.uint8)
    record.lengths = lengths.ctypes.data
    kept.append(lengths)


def _set_maps(record: PartRecord, part: Part, data: Bytes) -> None:
    if not part.maps:
        return
    if len(part.maps) != MAPS:
        raise ValueError("invalid maps")
    for number, start in enumerate(part.maps):
        size = _read_u16(data, start - 2) if part.flags & WIDE else int(data[start - 1])
        if start + size * (2 if part.flags & WIDE else 1) > data.size:
            raise ValueError("the file is truncated")
        record.maps[number], record.map_sizes[number] = data.ctypes.data + start, size
