"""Containers: many endings in one file, with a directory that says where each of them is and how to read it.

The first line is the directory, as JSON; the blocks follow, one for each ending and side to move. There are three
kinds. Outcomes take two bits per cell, for both sides to move. Distances take a byte, only for the side to move whose
block is smaller: the number of moves to mate, without who mates, which the outcome says. Resets take a byte, also for
one side to move: the plies until the fifty-move counter is reset on the way to the win. Against a bare king without
pawns that is hardly ever before the mate, and the byte says how much before. Cells that are never read, because they
are illegal (or drawn, except in outcomes), repeat their neighbour, which compresses best.
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

from engine.system.errors import InputError
from tablebase.codes import DRAWN, ILLEGAL, NARROW_ILLEGAL, OUTCOME_DRAW, OUTCOME_LOSS, OUTCOME_WIN
from tablebase.indexing import shape_of
from tablebase.material import Ending, parse_ending
from tablebase.summary import Summary, summarize

_FORMAT = "adversary endgame tables"
_VERSION = 1
_LONGEST_DIRECTORY = 1 << 22  # bytes
_LARGEST_FILE = 1 << 48
_SLICE = 1 << 22  # cells that are filled at a time, since each takes many bytes meanwhile
_MOST_CELLS_TO_TRY = 1 << 23  # in larger tables all orders of the axes are about equal, and trying takes hours

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[Any]  # as the generator has them, of one or two bytes


class TableKind(Enum):
    """What the cells of a container hold."""

    OUTCOMES = "outcomes"
    DISTANCES = "distances"
    RESETS = "resets"


# For two-bit cells the last byte says little about the next one; for plies it says much.
_CONTEXT = {TableKind.OUTCOMES: 0, TableKind.DISTANCES: 4, TableKind.RESETS: 4}
_QUICK, _THOROUGH = 1, 9 | lzma.PRESET_EXTREME


def _filters(kind: TableKind, preset: int = _THOROUGH) -> list[dict[str, int]]:
    return [{"id": lzma.FILTER_LZMA2, "preset": preset, "dict_size": 1 << 23, "lc": _CONTEXT[kind], "lp": 0, "pb": 0}]


@dataclass(frozen=True)
class TableBlock:
    """Where the cells for one side to move are in the file."""

    offset: int
    length: int
    checksum: int


@dataclass(frozen=True)
class DirectoryEntry:
    """What the directory says about an ending."""

    ending: Ending
    axes: tuple[int, ...]  # the order of the axes (pair of kings, men); the last one is contiguous
    blocks: tuple[TableBlock | None, TableBlock | None]  # [side to move]
    summary: tuple[Summary, Summary]  # [side to move]
    seconds: float  # CPU time that it took to generate

    @property
    def longest(self) -> int:
        """Plies of the longest mate for either side, with either side to move; 0 if there is none."""
        return max(0, *(summary.longest for summary in self.summary))


class Container:
    """A file of tables, open for reading; InputError says what is wrong with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                line = file.readline(_LONGEST_DIRECTORY)
                self._start = file.tell()
                self._size = file.seek(0, 2)
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
        self.kind, self.entries = self._directory(line)

    def load(self, ending: Ending, side: int) -> Bytes | None:
        """The cells of an ending with `side` to move, None if the file has none; InputError if they are damaged."""
        entry = self.entries.get(ending)
        block = entry.blocks[side] if entry else None
        if block is None:
            return None
        try:
            with self.path.open("rb") as file:
                file.seek(self._start + block.offset)
                packed = file.read(block.length)
            if zlib.crc32(packed) != block.checksum:
                raise ValueError("wrong checksum")  # noqa: TRY301  reported below with all that cannot be unpacked
            cells = _unpacked(packed, self.kind, bytes_of(ending, self.kind))
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise InputError(f"{self.path}: cannot read {ending.name}: {error}") from error
        return np.frombuffer(cells, np.uint8)

    def _directory(self, line: bytes) -> tuple[TableKind, dict[Ending, DirectoryEntry]]:
        try:
            directory = json.loads(line)
            if directory["format"] != _FORMAT:
                raise ValueError  # noqa: TRY301  one message for every foreign file
            version = directory["version"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{self.path} is not a file of endgame tables") from error
        if version != _VERSION:
            raise InputError(f"{self.path} has version {version}, not {_VERSION}")
        try:
            if directory["checksum"] != _checksum(directory["tables"]):
                raise ValueError("checksum")  # noqa: TRY301  one message for all damage
            entries = [_read_entry(row) for row in directory["tables"]]
            kind = TableKind(directory["kind"])
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            raise InputError(f"{self.path}: its directory is damaged") from error
        for entry in entries:
            for block in entry.blocks:
                if block is not None and self._start + block.offset + block.length > self._size:
                    raise InputError(f"{self.path} is cut off: {entry.ending.name} lies beyond its end")
        return kind, {entry.ending: entry for entry in entries}


def bytes_of(ending: Ending, kind: TableKind) -> int:
    """The size of an unpacked block."""
    cells = int(np.prod(shape_of(ending)))
    return (cells + 3) // 4 if kind is TableKind.OUTCOMES else cells


def _unpacked(packed: bytes, kind: TableKind, size: int) -> bytes:
    """The cells of a block; ValueError if they are not of this size, since a few bytes could unpack to many GB."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_filters(kind))
    cells = reader.decompress(packed, size)
    is_more = not reader.eof and not reader.needs_input and bool(reader.decompress(b"", 1))
    if len(cells) != size or is_more:
        raise ValueError(f"it has {'more than ' if is_more else ''}{len(cells)} bytes, not {size}")
    return cells


@dataclass(frozen=True)
class Packed:
    """An ending ready to be written."""

    ending: Ending
    axes: tuple[int, ...]
    blocks: tuple[bytes | None, bytes | None]
    summary: tuple[Summary, Summary]
    seconds: float


def pack(ending: Ending, mates: Codes, resets: Codes | None, kind: TableKind, seconds: float = 0.0) -> Packed:
    """The cells of one kind, in the order of axes that makes them smallest according to a quick trial.

    `mates` and `resets` are the generator's codes, [side to move, cell]; `resets` only for that kind.
    """
    shape = shape_of(ending)
    codes = mates if resets is None else _reset_cells(ending, mates, resets)
    orders = list(itertools.permutations(range(len(shape))))
    if codes[0].size > _MOST_CELLS_TO_TRY:
        orders = orders[:1]
    sides = range(1 if ending.is_symmetric else 2)  # in symmetric endings the second is the first, seen by Black
    sizes = {(axes, side): len(_packed(_cells(codes[side], shape, axes, kind), kind, _QUICK))
             for axes in orders for side in sides}
    if kind is TableKind.OUTCOMES:
        best, kept = min(orders, key=lambda axes: sum(sizes[axes, side] for side in sides)), set(sides)
    else:
        best, side = min(sizes, key=sizes.__getitem__)
        kept = {side}
    blocks = [_packed(_cells(codes[side], shape, best, kind), kind) if side in kept else None for side in range(2)]
    return Packed(ending, best, (blocks[0], blocks[1]), (summarize(ending, mates, 0), summarize(ending, mates, 1)),
                  seconds)


def write_container(path: Path, kind: TableKind, endings: Iterable[Packed], provenance: str) -> None:
    """Write a container; the file appears only when it is complete."""
    rows, blocks, offset = [], [], 0
    for packed in endings:
        places: list[dict[str, int] | None] = []
        for block in packed.blocks:
            places.append(None if block is None else asdict(TableBlock(offset, len(block), zlib.crc32(block))))
            if block is not None:
                blocks.append(block)
                offset += len(block)
        rows.append({"ending": packed.ending.name, "axes": packed.axes, "blocks": places,
                     "seconds": packed.seconds, "summary": [asdict(summary) for summary in packed.summary]})
    directory = {"format": _FORMAT, "version": _VERSION, "kind": kind.value, "provenance": provenance,
                 "checksum": _checksum(rows), "tables": rows}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        file.write(json.dumps(directory).encode() + b"\n")
        file.writelines(blocks)
    unfinished.replace(path)


def _checksum(rows: Any) -> int:
    """A checksum of the directory's rows, independent of how they are formatted."""
    return zlib.crc32(json.dumps(rows, sort_keys=True).encode())


def _cells(codes: Codes, shape: Sequence[int], axes: Sequence[int], kind: TableKind) -> Bytes:
    """The cells for one side to move, as a container of this kind stores them."""
    illegal = int(NARROW_ILLEGAL if codes.itemsize == 1 else ILLEGAL)
    numbers = np.arange(illegal + 1)
    if kind is TableKind.RESETS:
        meaning, idle = numbers.astype(np.uint8), numbers == illegal
    elif kind is TableKind.DISTANCES:
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
        cells[start : start + _SLICE] = _filled(meaning[part], idle[part], last)
        last = cells[min(start + _SLICE, codes.size) - 1]
    return _four_in_a_byte(cells) if kind is TableKind.OUTCOMES else cells


def _reset_cells(ending: Ending, mates: Codes, resets: Codes) -> Codes:
    """The cells of resets; NARROW_ILLEGAL where they are never read."""
    plies = resets >> 1
    if not ending.black and not ending.has_pawns:
        plies = (mates - 1 - plies).astype(np.uint8)
    return np.where((mates == DRAWN) | (resets == NARROW_ILLEGAL), np.uint8(NARROW_ILLEGAL), plies)


def _packed(cells: Bytes, kind: TableKind, preset: int = _THOROUGH) -> bytes:
    return lzma.compress(cells.tobytes(), lzma.FORMAT_RAW, filters=_filters(kind, preset))


def _filled(cells: Bytes, is_idle: npt.NDArray[np.bool_], last: np.uint8) -> Bytes:
    """The cells, with each idle one repeating its predecessor; `last` precedes them all."""
    source = np.maximum.accumulate(np.where(is_idle, -1, np.arange(cells.size)))
    return np.where(source < 0, last, cells[source])


def _four_in_a_byte(cells: Bytes) -> Bytes:
    packed = np.zeros((cells.size + 3) // 4, np.uint8)
    for place in range(4):
        part = cells[place::4]
        packed[: part.size] |= part << np.uint8(2 * place)
    return packed


def _whole(value: Any, lowest: int, highest: int) -> int:
    """The value, if it is a number in this range; else ValueError."""
    if not isinstance(value, int) or not lowest <= value <= highest:
        raise ValueError(f"{value!r} is not a number from {lowest} to {highest}")
    return value


def _read_entry(row: Mapping[str, Any]) -> DirectoryEntry:
    """A row of the directory; ValueError, KeyError or TypeError if it makes no sense."""
    ending = parse_ending(row["ending"])
    axes = tuple(row["axes"])
    if sorted(axes) != list(range(len(shape_of(ending)))):
        raise ValueError(f"axes {axes}")
    first, second = (None if block is None else _read_block(block) for block in row["blocks"])
    of_white, of_black = (Summary(**summary) for summary in row["summary"])
    for summary in (of_white, of_black):
        _whole(summary.longest_win, -1, int(ILLEGAL))
        _whole(summary.longest_loss, -1, int(ILLEGAL))
    return DirectoryEntry(ending, axes, (first, second), (of_white, of_black), float(row["seconds"]))


def _read_block(row: Mapping[str, Any]) -> TableBlock:
    block = TableBlock(**row)
    for number in (block.offset, block.length, block.checksum):
        _whole(number, 0, _LARGEST_FILE)
    return block
