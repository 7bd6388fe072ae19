"""Containers: the tables of many endings in one file.

The first line is a directory in JSON; the blocks follow, one for each ending and side to move. There are three kinds of
tables. WDL tables have two bits per cell, for both sides to move. DTM tables have one byte, only for the side to move
whose block is smaller: the moves to mate; the WDL table tells which side mates. DTZ tables have one byte, also for one
side to move: the plies to the zeroing move on the way to the win. Against a bare king without pawns that is nearly
always the mate, so the byte is the difference of DTM and DTZ. Cells that are never read, because they are illegal (or
drawn, except in WDL tables), repeat their neighbour, which compresses best.
"""

from __future__ import annotations

import itertools
import json
import lzma
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError, reason_of
from engine.system.files import replacing
from tablebase.codes import DRAWN, ILLEGAL, NARROW_ILLEGAL, OUTCOME_DRAW, OUTCOME_LOSS, OUTCOME_WIN
from tablebase.indexing import shape_of
from tablebase.material import Ending, parse_ending
from tablebase.summary import Summary, summarize

_FORMAT = "adversary endgame tables"
_VERSION = 1
_LONGEST_DIRECTORY = 1 << 22  # bytes
_LARGEST_FILE = 1 << 48
_SLICE = 1 << 22  # cells filled at a time, because the temporary arrays take many bytes per cell
_MAX_TRIAL_CELLS = 1 << 23  # larger tables have about the same size with any order of the axes; trials take hours

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[Any]  # of the generator: one or two bytes per cell


class TableKind(Enum):
    """What the cells of a container hold. The values are part of the file format."""

    WDL = "outcomes"
    DTM = "distances"
    DTZ = "resets"

    @property
    def file_name(self) -> str:
        """The name of a container."""
        return f"{self.name.lower()}.tables"


# Bits of context: the last byte of two-bit cells hardly predicts the next one; that of plies does.
_CONTEXT = {TableKind.WDL: 0, TableKind.DTM: 4, TableKind.DTZ: 4}
_QUICK, _THOROUGH = 1, 9 | lzma.PRESET_EXTREME


def _filters(table_kind: TableKind, preset: int = _THOROUGH) -> list[dict[str, int]]:
    return [{"id": lzma.FILTER_LZMA2, "preset": preset, "dict_size": 1 << 23, "lc": _CONTEXT[table_kind], "lp": 0,
             "pb": 0}]


@dataclass(frozen=True)
class TableBlock:
    """The part of the file that holds the cells for one side to move."""

    offset: int
    length: int
    checksum: int


@dataclass(frozen=True)
class DirectoryEntry:
    """A row of the directory: one ending."""

    ending: Ending
    axes: tuple[int, ...]  # the order of the axes (king pair, pieces); the last one is contiguous
    blocks: tuple[TableBlock | None, TableBlock | None]  # [side to move]
    summary: tuple[Summary, Summary]  # [side to move]
    seconds: float  # CPU time of its generation

    @property
    def longest(self) -> int:
        """Plies of the longest mate for either side, with either side to move; 0 if there is none."""
        return max(0, *(summary.longest for summary in self.summary))


class Container:
    """A file of tables for reading; the constructor raises InputError if the file is invalid."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                line = file.readline(_LONGEST_DIRECTORY)
                self._start = file.tell()
                self._size = file.seek(0, 2)
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {path}: {reason_of(error)}") from error
        self.table_kind, self.entries = self._directory(line)

    def load(self, ending: Ending, side: int) -> Bytes | None:
        """Return the cells of an ending with `side` to move, None if there are none; InputError if they are damaged."""
        entry = self.entries.get(ending)
        block = entry.blocks[side] if entry else None
        if block is None:
            return None
        try:
            cells = _unpack(self._read(block), self.table_kind, block_size(ending, self.table_kind))
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise InputError(f"{self.path}: cannot read {ending.name}: {reason_of(error)}") from error
        return np.frombuffer(cells, np.uint8)

    def packed(self, ending: Ending) -> PackedEnding:
        """Return an ending of the container as it is stored; InputError if it is damaged."""
        entry = self.entries[ending]
        try:
            first, second = (None if block is None else self._read(block) for block in entry.blocks)
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path}: cannot read {ending.name}: {reason_of(error)}") from error
        return PackedEnding(ending, entry.axes, (first, second), entry.summary, entry.seconds)

    def _read(self, block: TableBlock) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self._start + block.offset)
            packed = file.read(block.length)
        if zlib.crc32(packed) != block.checksum:
            raise ValueError("wrong checksum")
        return packed

    def _directory(self, line: bytes) -> tuple[TableKind, dict[Ending, DirectoryEntry]]:
        try:
            directory = json.loads(line)
            if directory["format"] != _FORMAT:
                raise ValueError  # noqa: TRY301  one message for every foreign file
            version = directory["version"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{self.path} is not a file of endgame tables") from error
        if version != _VERSION:
            raise InputError(f"{self.path} has version {version}, expected {_VERSION}")
        try:
            if directory["checksum"] != _checksum(directory["tables"]):
                raise ValueError("checksum")  # noqa: TRY301  one message for all damage
            entries = [_read_entry(row) for row in directory["tables"]]
            table_kind = TableKind(directory["kind"])
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            raise InputError(f"{self.path}: the directory is damaged") from error
        for entry in entries:
            for block in entry.blocks:
                if block is not None and self._start + block.offset + block.length > self._size:
                    raise InputError(f"{self.path} is truncated: {entry.ending.name} lies beyond its end")
        return table_kind, {entry.ending: entry for entry in entries}


def block_size(ending: Ending, table_kind: TableKind) -> int:
    """The size of an unpacked block, in bytes."""
    cells = int(np.prod(shape_of(ending)))
    return (cells + 3) // 4 if table_kind is TableKind.WDL else cells


def _unpack(packed: bytes, table_kind: TableKind, size: int) -> bytes:
    """Unpack a block; ValueError unless it has `size` bytes. Stops there, since a small block may unpack to many GB."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_filters(table_kind))
    cells = reader.decompress(packed, size)
    is_more = not reader.eof and not reader.needs_input and bool(reader.decompress(b"", 1))
    if len(cells) != size or is_more:
        raise ValueError(f"the block has {'more than ' if is_more else ''}{len(cells)} bytes, expected {size}")
    return cells


@dataclass(frozen=True)
class PackedEnding:
    """A compressed ending, ready to be written."""

    ending: Ending
    axes: tuple[int, ...]
    blocks: tuple[bytes | None, bytes | None]
    summary: tuple[Summary, Summary]
    seconds: float


def pack(ending: Ending, dtm: Codes, dtz: Codes | None, table_kind: TableKind, seconds: float = 0.0) -> PackedEnding:
    """Compress the cells of one kind, with the axes in the order that a quick trial finds smallest.

    `dtm` and `dtz` are the generator's codes, [side to move, cell]; `dtz` is given only for DTZ tables.
    """
    shape = shape_of(ending)
    codes = dtm if dtz is None else _dtz_cells(ending, dtm, dtz)
    orders = list(itertools.permutations(range(len(shape))))
    if codes[0].size > _MAX_TRIAL_CELLS:
        orders = orders[:1]
    sides = range(1 if ending.is_symmetric else 2)  # with Black to move, a symmetric ending has the colours swapped
    sizes = {(axes, side): len(_compress(_cells(codes[side], shape, axes, table_kind), table_kind, _QUICK))
             for axes in orders for side in sides}
    if table_kind is TableKind.WDL:
        best, kept = min(orders, key=lambda axes: sum(sizes[axes, side] for side in sides)), set(sides)
    else:
        best, side = min(sizes, key=sizes.__getitem__)
        kept = {side}
    blocks = [_compress(_cells(codes[side], shape, best, table_kind), table_kind) if side in kept else None
              for side in range(2)]
    return PackedEnding(ending, best, (blocks[0], blocks[1]), (summarize(ending, dtm, 0), summarize(ending, dtm, 1)),
                  seconds)


def write_container(path: Path, table_kind: TableKind, endings: Iterable[PackedEnding], provenance: str) -> None:
    """Write a container, which gets its name only when it is complete; InputError if it cannot be written."""
    rows, blocks, offset = [], [], 0
    for packed in endings:
        block_rows: list[dict[str, int] | None] = []
        for block in packed.blocks:
            block_rows.append(None if block is None else asdict(TableBlock(offset, len(block), zlib.crc32(block))))
            if block is not None:
                blocks.append(block)
                offset += len(block)
        rows.append({"ending": packed.ending.name, "axes": packed.axes, "blocks": block_rows,
                     "seconds": packed.seconds, "summary": [asdict(summary) for summary in packed.summary]})
    directory = {"format": _FORMAT, "version": _VERSION, "kind": table_kind.value, "provenance": provenance,
                 "checksum": _checksum(rows), "tables": rows}
    with replacing(path) as file:
        file.write(json.dumps(directory).encode() + b"\n")
        file.writelines(blocks)


def _checksum(rows: Any) -> int:
    """A checksum of the directory's rows, independent of their formatting."""
    return zlib.crc32(json.dumps(rows, sort_keys=True).encode())


def _cells(codes: Codes, shape: Sequence[int], axes: Sequence[int], table_kind: TableKind) -> Bytes:
    """Convert the codes for one side to move to the cells of a container of this kind."""
    illegal = int(NARROW_ILLEGAL if codes.itemsize == 1 else ILLEGAL)
    numbers = np.arange(illegal + 1)
    if table_kind is TableKind.DTZ:
        meaning, idle = numbers.astype(np.uint8), numbers == illegal
    elif table_kind is TableKind.DTM:
        meaning, idle = (numbers >> 1).astype(np.uint8), numbers == DRAWN
    else:
        meaning = np.where(numbers & 1, OUTCOME_LOSS, OUTCOME_WIN).astype(np.uint8)
        meaning[DRAWN] = OUTCOME_DRAW
        idle = np.zeros(numbers.size, bool)
    idle[illegal] = True
    cells = np.empty(codes.size, np.uint8)
    last = np.uint8(0)
    ordered = codes.reshape(shape).transpose(axes).reshape(-1)
    for start in range(0, codes.size, _SLICE):
        part = ordered[start : start + _SLICE]
        cells[start : start + _SLICE] = _fill(meaning[part], idle[part], last)
        last = cells[min(start + _SLICE, codes.size) - 1]
    return _pack_two_bits(cells) if table_kind is TableKind.WDL else cells


def _dtz_cells(ending: Ending, dtm: Codes, dtz: Codes) -> Codes:
    """The cells of a DTZ table; NARROW_ILLEGAL where they are never read."""
    plies = dtz >> 1
    if not ending.black and not ending.has_pawns:
        plies = (dtm - 1 - plies).astype(np.uint8)
    return np.where((dtm == DRAWN) | (dtz == NARROW_ILLEGAL), np.uint8(NARROW_ILLEGAL), plies)


def _compress(cells: Bytes, table_kind: TableKind, preset: int = _THOROUGH) -> bytes:
    return lzma.compress(cells.tobytes(), lzma.FORMAT_RAW, filters=_filters(table_kind, preset))


def _fill(cells: Bytes, is_idle: npt.NDArray[np.bool_], last: np.uint8) -> Bytes:
    """Replace each idle cell by its predecessor; `last` precedes the first cell."""
    source = np.maximum.accumulate(np.where(is_idle, -1, np.arange(cells.size)))
    return np.where(source < 0, last, cells[source])


def _pack_two_bits(cells: Bytes) -> Bytes:
    packed = np.zeros((cells.size + 3) // 4, np.uint8)
    for offset in range(4):
        part = cells[offset::4]
        packed[: part.size] |= part << np.uint8(2 * offset)
    return packed


def _check_int(value: Any, lowest: int, highest: int) -> None:
    """ValueError unless the value is an integer in this range."""
    if not isinstance(value, int) or not lowest <= value <= highest:
        raise ValueError(f"{value!r} is not a number from {lowest} to {highest}")


def _read_entry(row: Mapping[str, Any]) -> DirectoryEntry:
    """Parse a row of the directory; ValueError, KeyError or TypeError if it is invalid."""
    ending = parse_ending(row["ending"])
    axes = tuple(row["axes"])
    if sorted(axes) != list(range(len(shape_of(ending)))):
        raise ValueError(f"axes {axes}")
    first, second = (None if block is None else _read_block(block) for block in row["blocks"])
    white_summary, black_summary = (Summary(**summary) for summary in row["summary"])
    for summary in (white_summary, black_summary):
        _check_int(summary.longest_win, -1, int(ILLEGAL))
        _check_int(summary.longest_loss, -1, int(ILLEGAL))
    return DirectoryEntry(ending, axes, (first, second), (white_summary, black_summary), float(row["seconds"]))


def _read_block(row: Mapping[str, Any]) -> TableBlock:
    block = TableBlock(**row)
    for number in (block.offset, block.length, block.checksum):
        _check_int(number, 0, _LARGEST_FILE)
    return block
