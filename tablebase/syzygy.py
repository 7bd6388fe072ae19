"""Syzygy tables that the user owns: found, their headers read, and handed to the kernels as they lie on disk.

python-chess reads the headers and knows the distances to the next capture or pawn's move, which the root needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np

from engine.core.bits import NO_SQUARE
from engine.core.errors import InputError
from engine.core.game import Game, make_if_legal
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
from tablebase.files import Bytes
from tablebase.reader import BackgroundReader

_SUFFIX = ".rtbw"
_FILES = 4
_WORD = 8  # bytes that are read at once
_LETTERS = " PNBRQK"
_HIGHEST_VALUE = 4  # as files write a win
_LEAF = 0xFFF  # the second symbol of one that stands for a value


class Syzygy:
    """The tables of some folders. A file that is broken is told of once, by `complaints`, and the others are used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[Men, Path] = {}
        self._reader = BackgroundReader()
        self.wait, self.complaints = self._reader.wait, self._reader.complaints
        self._judge = chess.syzygy.Tablebase()
        for folder in folders:
            self._reader.do(str(folder), partial(self._add, folder))
        self.record: Any = _new_record()
        self._tables = np.zeros(max(len(self._paths), 1), SYZYGY_TABLE)
        self._numbers = {men: number for number, men in enumerate(self._paths)}
        self._kept: list[Any] = []  # files and arrays that kernels know by their addresses
        self.record.tables = self._tables.ctypes.data
        self._opened: set[Men] = set()
        self._moves, self._scratch = empty_move_list(), np.zeros(1, SCRATCH)[0]

    def _add(self, folder: Path) -> None:
        """Find the tables of a folder; InputError if it cannot be read."""
        try:
            paths = sorted(folder.iterdir())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {folder}: {getattr(error, 'strerror', None) or error}") from error
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

    def prepare(self, position: PositionRecord) -> None:
        """Begin to open, in the background, what a game that has come to this position may soon need."""
        have = Counter(men_of(position))
        self._reader.read([(str(path), partial(self._open, men)) for men, path in self._paths.items()
                           if men not in self._opened and can_turn_into(have, men)])

    def value(self, position: PositionRecord, rounds: int = 1) -> int | None:
        """2 to -2 for the side to move, by tables that are opened if need be; None if one is missing.

        More than one round is for measuring the time that one takes.
        """
        self.prepare(position)
        self.wait()
        value = int(position_value(position, self.record, self._moves, self._scratch, rounds))
        return None if value == NO_VALUE else value

    def distances(self, board: chess.Board) -> dict[chess.Move, int] | None:
        """[move]: plies to the next capture or pawn's move, signed for the mover, 0 for a draw; None if one is missing.

        A win that the fifty-move rule spoils is more than 100 plies away. A damaged file is complained of.
        """
        if board.castling_rights or chess.popcount(board.occupied) > self.most_men:
            return None
        found = {}
        for move in list(board.legal_moves):
            board.push(move)
            try:
                found[move] = self._distance_after(board)
            except KeyError:
                return None
            except Exception as error:  # noqa: BLE001  a file may be damaged in any way
                self._reader.complain(f"a Syzygy table of distances is damaged: {error!r}")
                return None
            finally:
                board.pop()
        return found

    def values(self, game: Game) -> dict[int, int] | None:
        """[move]: 2 to -2 for the mover, as if a capture had just been made; None if a table is missing.

        Only what is open counts: this is asked while a clock runs. It takes microseconds.
        """
        found = {}
        for move in game.legal_moves():
            after = game.position.copy()
            make_if_legal(after, move)
            if after.castling or after.ep != NO_SQUARE:
                return None
            value = int(position_value(after, self.record, self._moves, self._scratch, 1))
            if value == NO_VALUE:
                return None
            found[move] = -value
        return found

    def _distance_after(self, board: chess.Board) -> int:
        """Signed for the side that has just moved; the move itself counts."""
        if board.is_checkmate():
            return 1
        if board.halfmove_clock == 0:
            return -chess.syzygy.dtz_before_zeroing(self._judge.probe_wdl(board))
        left = -self._judge.probe_dtz(board)
        return left + (1 if left > 0 else -1 if left < 0 else 0)

    def _open(self, men: Men) -> None:
        """Read the header of a table, and let kernels see it."""
        path = self._paths[men]
        self._opened.add(men)
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty")
        source = chess.syzygy.WdlTable(str(path))
        source.init_table_wdl()
        assert source.data is not None
        data = np.frombuffer(source.data, np.uint8)
        is_exchanged = _check(source, men, data)
        parts = np.zeros(2 * _FILES, PART)
        for file in range(_FILES if source.has_pawns else 1):
            for side in range(2):
                _set_part(parts[2 * file + side], source, file, side, data, self._kept)
        number = self._numbers[men]
        table = self._tables[number]
        table.men, table.has_pawns, table.is_symmetric = source.num, source.has_pawns, source.symmetric
        if source.has_pawns:
            table.leading_pawns, table.other_pawns = source.pawns
        else:
            table.has_three_unique = source.enc_type == 0
        table.parts = parts.ctypes.data
        self._kept += [source, data, parts]
        self._enter(tuple(sorted(piece ^ 8 for piece in men)), 2 * number + 1 - is_exchanged)
        self._enter(men, 2 * number + is_exchanged)

    def _enter(self, men: Men, number: int) -> None:
        """Put a table into the hash table; for symmetric endings the second entry counts."""
        key = key_of(men)
        slot = key * int(HASH) % (1 << 64) >> HASH_SHIFT
        while self.record["keys"][slot] not in (0, key):
            slot = (slot + 1) % len(self.record["keys"])
        self.record.numbers[slot] = number
        self.record["keys"][slot] = key


def _new_record() -> Any:
    """A record without tables. The numbering of squares is a part of the format; python-chess has the lists."""
    record = np.zeros(1, SYZYGY)[0]
    for field, numbers in (("triangle", chess.syzygy.TRIANGLE), ("lower", chess.syzygy.LOWER),
                           ("diagonal", chess.syzygy.DIAG), ("flap", chess.syzygy.FLAP),
                           ("pawn_twist", chess.syzygy.PTWIST), ("king_pairs", chess.syzygy.KK_IDX),
                           ("pawn_index", chess.syzygy.PAWNIDX)):
        record[field] = numbers
    record["choose"] = [[comb(n, k) for k in range(MOST_MEN)] for n in range(64)]
    return record


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


def _check(source: Any, men: Men, data: Bytes) -> bool:
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


def _set_part(part: Any, source: Any, file: int, side: int, data: Bytes, kept: list[Any]) -> None:
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
