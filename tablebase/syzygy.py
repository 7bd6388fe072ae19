"""Syzygy tables that the user owns: found, their headers read, and handed to the kernels as they lie on disk.

python-chess reads the headers and knows the distances to the next capture or pawn's move, which the root needs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np

from engine.core.errors import InputError
from engine.core.movegen import empty_move_list
from engine.core.position import PositionRecord
from tablebase.decode import (
    HASH,
    HASH_SHIFT,
    MOST_MEN,
    NO_VALUE,
    PART,
    SCRATCH,
    SYZYGY,
    SYZYGY_TABLE,
    position_value,
)
from tablebase.endings import Men, can_turn_into, men_of

_SUFFIX = ".rtbw"
_FILES = 4
_LETTERS = " PNBRQK"
_DAMAGES = (OSError, ValueError, IndexError, KeyError, AssertionError, AttributeError, RecursionError)


class Syzygy:
    """The tables of some folders. A file that is broken is told of once, by `complaints`, and the others are used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[Men, Path] = {}
        self._complaints: list[str] = []
        self._judge = chess.syzygy.Tablebase()
        for folder in folders:
            self._add(folder)
        self.record: Any = np.zeros(1, SYZYGY)[0]
        self._tables = np.zeros(max(len(self._paths), 1), SYZYGY_TABLE)
        self._numbers = {men: number for number, men in enumerate(self._paths)}
        self._kept: list[Any] = []  # files and arrays that kernels know by their addresses
        self.record.tables = self._tables.ctypes.data
        self._opened: set[Men] = set()
        self._lock, self._moves, self._scratch = threading.Lock(), empty_move_list(), np.zeros(1, SCRATCH)[0]
        self._reader: threading.Thread | None = None
        self._waiting: list[Men] = []

    def _add(self, folder: Path) -> None:
        """Find the tables of a folder; InputError if it cannot be read."""
        try:
            paths = sorted(folder.iterdir())
        except OSError as error:
            raise InputError(f"cannot read {folder}: {error.strerror or error}") from error
        for path in paths:
            if path.suffix == _SUFFIX and chess.syzygy.is_tablename(path.stem, piece_count=MOST_MEN):
                self._paths.setdefault(men_named(path.stem), path)
        self._judge.add_directory(str(folder))

    @property
    def count(self) -> int:
        """How many tables were found."""
        return len(self._paths)

    @property
    def most_men(self) -> int:
        """How many men the largest has, kings included."""
        return max((len(men) + 2 for men in self._paths), default=0)

    @property
    def address(self) -> int:
        """Where kernels find what is open."""
        return int(self.record.__array_interface__["data"][0])

    def complaints(self) -> list[str]:
        """What was found to be wrong since the last time."""
        with self._lock:
            complaints, self._complaints = self._complaints, []
        return complaints

    def prepare(self, position: PositionRecord) -> None:
        """Begin to open, in the background, what a game that has come to this position may soon need."""
        have = Counter(men_of(position))
        with self._lock:
            self._waiting = [men for men in self._paths if men not in self._opened and can_turn_into(have, men)]
            if self._waiting and self._reader is None:
                self._reader = threading.Thread(target=self._read_on, daemon=True)
                self._reader.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until everything that was begun is open, but no longer than this."""
        reader = self._reader
        if reader is not None:
            reader.join(seconds)

    def value(self, position: PositionRecord, rounds: int = 1) -> int | None:
        """2 to -2 for the side to move, by tables that are opened if need be; None if one is missing.

        More than one round is for measuring the time that one takes.
        """
        self.prepare(position)
        self.wait()
        value = int(position_value(position, self.record, self._moves, self._scratch, rounds))
        return None if value == NO_VALUE else value

    def distances(self, board: chess.Board) -> dict[chess.Move, int] | None:
        """[move]: plies to the next capture or pawn's move after it, signed for the mover, 0 for a draw; None if one is
        missing. A win that the fifty-move rule spoils is more than 100 plies away.
        """
        if board.castling_rights or chess.popcount(board.occupied) > self.most_men:
            return None
        found = {}
        try:
            for move in board.legal_moves:
                board.push(move)
                try:
                    found[move] = self._distance_after(board)
                finally:
                    board.pop()
        except (KeyError, *_DAMAGES):
            return None
        return found

    def _distance_after(self, board: chess.Board) -> int:
        """Signed for the side that has just moved; the move itself counts."""
        if board.is_checkmate():
            return 1
        if board.halfmove_clock == 0:
            return -chess.syzygy.dtz_before_zeroing(self._judge.probe_wdl(board))
        left = -self._judge.probe_dtz(board)
        return left + (1 if left > 0 else -1 if left < 0 else 0)

    def _read_on(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._reader = None
                    return
                men = self._waiting.pop(0)
                self._opened.add(men)
            try:
                self._open(men)
            except _DAMAGES as error:
                with self._lock:
                    self._complaints.append(f"{self._paths[men]} is no sound Syzygy table: {_reason(error)}")

    def _open(self, men: Men) -> None:
        """Read the header of a table, and let kernels see it."""
        path = self._paths[men]
        source = chess.syzygy.WdlTable(str(path))
        if path.stat().st_size == 0:
            raise ValueError("it is empty")
        source.init_table_wdl()
        _check(source, men, path.stat().st_size)
        assert source.data is not None
        data = np.frombuffer(source.data, np.uint8)
        parts = np.zeros(2 * _FILES, PART)
        for file in range(_FILES if source.has_pawns else 1):
            for side in range(2):
                _set_part(parts[2 * file + side], source, file, side, data.ctypes.data, self._kept)
        number = self._numbers[men]
        table = self._tables[number]
        table.men, table.has_pawns, table.is_symmetric = source.num, source.has_pawns, source.symmetric
        if source.has_pawns:
            table.leading_pawns, table.other_pawns = source.pawns
        else:
            table.has_three_unique = source.enc_type == 0
        table.parts = parts.ctypes.data
        self._kept += [source, data, parts]
        self._enter(tuple(sorted(piece ^ 8 for piece in men)), 2 * number + 1)
        self._enter(men, 2 * number)

    def _enter(self, men: Men, number: int) -> None:
        """Put a table into the hash table; for symmetric endings the second entry counts."""
        key = key_of(men)
        slot = key * int(HASH) % (1 << 64) >> HASH_SHIFT
        while self.record["keys"][slot] not in (0, key):
            slot = (slot + 1) % len(self.record["keys"])
        self.record.numbers[slot] = number
        self.record["keys"][slot] = key


def men_named(name: str) -> Men:
    """The men beside the kings of a table's name, as pieces, sorted."""
    white, black = name.split("v")
    return tuple(sorted([*(_LETTERS.index(letter) for letter in white[1:]),
                         *(8 + _LETTERS.index(letter) for letter in black[1:])]))


def key_of(men: Men) -> int:
    """As `material_key` has it."""
    key = 0
    for piece in (1, 2, 3, 4, 5, 9, 10, 11, 12, 13):
        key = key << 3 | men.count(piece)
    return key


def _check(source: Any, men: Men, size: int) -> None:
    """ValueError if the file is not what its name says, or is cut off."""
    pieces = source.files[0].pieces[0] if source.has_pawns else source.pieces[0]
    found = tuple(sorted(piece for piece in pieces if piece % 8 != 6))
    if found not in (men, tuple(sorted(piece ^ 8 for piece in men))):
        raise ValueError("it holds another ending than its name says")
    ends = [part.data + length for part, length in _blocks(source)]
    if max(ends, default=0) > size:
        raise ValueError("it is cut off")


def _blocks(source: Any) -> list[tuple[Any, int]]:
    """The parts that have blocks, and how many bytes those are."""
    places = [(file.precomp, 6 * number) for number, file in enumerate(source.files)] if source.has_pawns else [
        (source.precomp, 0)]
    return [(part, source.size[first + 3 * side + 2]) for precomp, first in places for side, part in precomp.items()
            if part.idxbits]


def _set_part(part: Any, source: Any, file: int, side: int, address: int, kept: list[Any]) -> None:
    """Write what python-chess has read of a part into its record."""
    holder = source.files[file] if source.has_pawns else source
    if side not in holder.precomp:
        return
    pairs = holder.precomp[side]
    for field in ("factor", "norm", "pieces"):
        values = getattr(holder, field)[side]
        part[field][: len(values)] = values
    part.constant = NO_VALUE
    if not pairs.idxbits:
        part.constant = pairs.min_len - 2
        return
    part.index_bits, part.block_bits, part.shortest = pairs.idxbits, pairs.blocksize, pairs.min_len
    part.index, part.sizes, part.blocks = (address + place for place in (pairs.indextable, pairs.sizetable, pairs.data))
    part.first_symbols, part.pairs = address + pairs.offset + 2 * pairs.min_len, address + pairs.sympat
    part["base"][: len(pairs.base)] = np.array(pairs.base, np.uint64)
    lengths = np.array(pairs.symlen, np.uint8)
    part.lengths = lengths.ctypes.data
    kept.append(lengths)


def _reason(error: Exception) -> str:
    return str(error).split(":")[0] if str(error) else type(error).__name__
