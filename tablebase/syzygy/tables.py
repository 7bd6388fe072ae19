"""Syzygy tables that the user owns: found, their headers read, and handed to the kernels as they lie on disk.

python-chess reads the headers and knows the distances to the next capture or pawn's move, which the root needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
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
from tablebase.material import Men, can_turn_into, men_of
from tablebase.publishing import publish
from tablebase.reader import BackgroundReader
from tablebase.syzygy.headers import check_header, set_part
from tablebase.syzygy.probe import position_value
from tablebase.syzygy.records import (
    ADDRESS_OF_KEYS,
    HASH,
    HASH_SHIFT,
    MOST_MEN,
    NO_VALUE,
    PART,
    SCRATCH,
    SYZYGY,
    SYZYGY_TB,
    SyzygyRecord,
)

_SUFFIX = ".rtbw"
_FILES = 4
_LETTERS = " PNBRQK"


class SyzygyTables:
    """The tables of some folders. A file that is broken is told of once, by `complaints`, and the others are used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[Men, Path] = {}
        self._reader = BackgroundReader()
        self.wait, self.complaints = self._reader.wait, self._reader.complaints
        self._judge = chess.syzygy.Tablebase()
        for folder in folders:
            self._reader.do(str(folder), partial(self._add, folder))
        self.record: SyzygyRecord = _new_record()
        self._tbs = np.zeros(max(len(self._paths), 1), SYZYGY_TB)
        self._numbers = {men: number for number, men in enumerate(self._paths)}
        self._kept: list[Any] = []  # files and arrays that kernels know by their addresses
        self.record.tbs = self._tbs.ctypes.data
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
        is_exchanged = check_header(source, men, data)
        parts = np.zeros(2 * _FILES, PART)
        for file in range(_FILES if source.has_pawns else 1):
            for side in range(2):
                set_part(parts[2 * file + side], source, file, side, data, self._kept)
        number = self._numbers[men]
        tb = self._tbs[number]
        tb.men, tb.has_pawns, tb.is_symmetric = source.num, source.has_pawns, source.symmetric
        if source.has_pawns:
            tb.leading_pawns, tb.other_pawns = source.pawns
        else:
            tb.has_three_unique = source.enc_type == 0
        tb.parts = parts.ctypes.data
        self._kept += [source, data, parts]
        self._enter(tuple(sorted(piece ^ 8 for piece in men)), 2 * number + 1 - is_exchanged)
        self._enter(men, 2 * number + is_exchanged)

    def _enter(self, men: Men, number: int) -> None:
        """Put an endgame table into the hash; for symmetric endings the second entry counts."""
        key = key_of(men)
        slot = key * int(HASH) % (1 << 64) >> HASH_SHIFT
        while self.record["keys"][slot] not in (0, key):
            slot = (slot + 1) % len(self.record["keys"])
        self.record.numbers[slot] = number
        publish(self.address + ADDRESS_OF_KEYS + 8 * slot, key)


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


def _new_record() -> SyzygyRecord:
    """A record without tables. The numbering of squares is a part of the format; python-chess has the lists."""
    record = np.zeros(1, SYZYGY)[0]
    for field, numbers in (("triangle", chess.syzygy.TRIANGLE), ("lower", chess.syzygy.LOWER),
                           ("diagonal", chess.syzygy.DIAG), ("flap", chess.syzygy.FLAP),
                           ("pawn_twist", chess.syzygy.PTWIST), ("king_pairs", chess.syzygy.KK_IDX),
                           ("pawn_index", chess.syzygy.PAWNIDX)):
        record[field] = numbers
    record["choose"] = [[comb(n, k) for k in range(MOST_MEN)] for n in range(64)]
    return record
