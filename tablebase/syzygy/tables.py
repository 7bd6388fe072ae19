"""The user's Syzygy tables: found, their headers read, and passed to the kernels as they are on disk.

python-chess reads the headers. For each ending there may be two files: values, and distances, which the root needs.
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
from engine.core.game import Game, make_if_legal
from engine.core.movegen import empty_move_list
from engine.core.position import PositionRecord
from engine.kernel.records import new_record
from engine.system.errors import InputError
from tablebase.background_reader import BackgroundReader, publish
from tablebase.codes import UNKNOWN
from tablebase.material import Men, can_turn_into, pieces_besides_kings
from tablebase.root_ranking import RankedMove, empty_judgement, ranked_moves
from tablebase.syzygy.headers import FILES, check_header, parts_of, set_part
from tablebase.syzygy.probe_dtz import rank_moves_by_dtz
from tablebase.syzygy.probe_wdl import wdl_entry
from tablebase.syzygy.records import (
    ADDRESS_OF_KEYS,
    DISTANCES,
    HASH,
    HASH_SHIFT,
    MOST_MEN,
    NO_VALUE,
    PART,
    SLOTS,
    SYZYGY_TB,
    VALUES,
    ScratchRecord,
    SyzygyRecord,
)

_SUFFIXES = {".rtbw": int(VALUES), ".rtbz": int(DISTANCES)}
_LETTERS = " PNBRQK"


class SyzygyTables:
    """The tables in some folders. Broken files are reported once, by `complaints`; the other files are used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[tuple[Men, int], Path] = {}  # [men, kind of file]
        self._reader = BackgroundReader()
        self.wait, self.take_warnings = self._reader.wait, self._reader.take_warnings
        for folder in folders:
            self._reader.do(str(folder), partial(self._add, folder))
        values = [men for men, kind in self._paths if kind == VALUES]
        self.count = len(values)  # endings
        self.most_men = max((len(men) + 2 for men in values), default=0)  # of the largest, including kings
        self.record: SyzygyRecord = _new_record()
        self._numbers = {men: number for number, men in enumerate(dict.fromkeys(men for men, _ in self._paths))}
        self._tbs = np.zeros((2, max(len(self._numbers), 1)), SYZYGY_TB)
        self.record.tbs[:] = [row.ctypes.data for row in self._tbs]
        self._kept: list[Any] = []  # files and arrays that kernels know by their addresses
        self._opened: set[tuple[Men, int]] = set()
        self._prepared: Counter[int] | None = None
        self._moves, self._scratch, self._judgement = empty_move_list(), new_record(ScratchRecord), empty_judgement()

    def _add(self, folder: Path) -> None:
        """Find the tables of a folder; InputError if it cannot be read."""
        try:
            paths = sorted(folder.iterdir())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {folder}: {getattr(error, 'strerror', None) or error}") from error
        for path in paths:
            if path.suffix in _SUFFIXES and chess.syzygy.is_tablename(path.stem, piece_count=MOST_MEN):
                self._paths.setdefault((men_named(path.stem), _SUFFIXES[path.suffix]), path)

    @property
    def address(self) -> int:
        """Where kernels find the open tables."""
        return int(self.record.__array_interface__["data"][0])

    def prepare(self, position: PositionRecord) -> None:
        """Start opening, in the background, the tables that a game at this position may soon need."""
        have = Counter(pieces_besides_kings(position))
        if have == self._prepared:
            return
        self._prepared = have
        wanted = [(men, kind) for men, kind in self._paths
                  if (men, kind) not in self._opened and can_turn_into(have, men)]
        wanted.sort(key=lambda job: (job[1], len(job[0])))  # values first: searches need them
        self._reader.read([("the kernel", rank_moves_by_dtz.load),
                           *((str(self._paths[job]), partial(self._open, *job)) for job in wanted)] if wanted else [])

    def value(self, position: PositionRecord, rounds: int = 1) -> int | None:
        """2 to -2 for the side to move, opening tables if need be; None if one is missing.

        More than one round is for measuring the time of a probe.
        """
        self.prepare(position)
        self.wait()
        value = int(wdl_entry(position, self.record, self._moves, self._scratch, rounds))
        return None if value == NO_VALUE else value

    def ranked_moves(self, position: PositionRecord, fifty_moves_count: bool) -> list[RankedMove] | None:
        """Every legal move, the best first; its code is the distance. None if a file is missing.

        Uses only what is open, since this is called while a clock is running.
        """
        if position.castling:
            return None
        count = int(rank_moves_by_dtz(position, self.record, self._moves, self._scratch, self._judgement,
                                      int(fifty_moves_count)))
        return None if count == UNKNOWN else ranked_moves(self._judgement, count)

    def values(self, game: Game) -> dict[int, int] | None:
        """[move]: 2 to -2 for the mover, as if a capture had just been made; None if a table is missing.

        Uses only what is open, since this is called while a clock is running.
        """
        found = {}
        for move in game.legal_moves():
            after = game.position.copy()
            make_if_legal(after, move)
            if after.castling or after.ep != NO_SQUARE:
                return None
            value = int(wdl_entry(after, self.record, self._moves, self._scratch, 1))
            if value == NO_VALUE:
                return None
            found[move] = -value
        return found

    def _open(self, men: Men, kind: int) -> None:
        """Read the header of a file, and publish it to kernels."""
        path = self._paths[men, kind]
        self._opened.add((men, kind))
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty")
        source = _read_header(path, kind)
        data = np.frombuffer(source.data, np.uint8)
        parts = parts_of(source)
        is_exchanged = check_header(parts, men, data)
        records = np.zeros(2 * FILES, PART)
        for part in parts:
            set_part(records[2 * part.file + part.side], part, data, self._kept)
        number = self._numbers[men]
        tb = self._tbs[kind, number]
        tb.men, tb.has_pawns, tb.is_symmetric = source.num, source.has_pawns, source.symmetric
        if source.has_pawns:
            tb.leading_pawns, tb.other_pawns = source.pawns
        else:
            tb.has_three_unique = source.enc_type == 0
        tb.parts = records.ctypes.data
        self._kept += [source, data, records]
        self._enter(tuple(sorted(piece ^ 8 for piece in men)), kind, 2 * number + 1 - is_exchanged)
        self._enter(men, kind, 2 * number + is_exchanged)

    def _enter(self, men: Men, kind: int, number: int) -> None:
        """Enter a table into the hash table; for symmetric endings the second entry counts."""
        key = key_of_pieces(men)
        slot = key * int(HASH) % (1 << 64) >> HASH_SHIFT
        while self.record["keys"][kind][slot] not in (0, key):
            slot = (slot + 1) % SLOTS
        self.record.numbers[kind, slot] = number
        publish(self.address + ADDRESS_OF_KEYS + 8 * (kind * SLOTS + slot), key)


def _read_header(path: Path, kind: int) -> Any:
    """The file as python-chess sees it; it may raise anything if the header is damaged."""
    if kind == VALUES:
        values = chess.syzygy.WdlTable(str(path))
        values.init_table_wdl()
        return values
    distances = chess.syzygy.DtzTable(str(path))
    distances.init_table_dtz()
    return distances


def men_named(name: str) -> Men:
    """The men besides the kings in a table's name, as pieces, sorted."""
    white, black = name.split("v")
    return tuple(sorted([*(_LETTERS.index(letter) for letter in white[1:]),
                         *(8 + _LETTERS.index(letter) for letter in black[1:])]))


def key_of_pieces(men: Men) -> int:
    """The same key as `material_key`."""
    key = 0
    for piece in (1, 2, 3, 4, 5, 9, 10, 11, 12, 13):
        key = key << 3 | men.count(piece)
    return key


def _new_record() -> SyzygyRecord:
    """A record without tables. The numbering of squares is part of the format; python-chess has the lists."""
    record = new_record(SyzygyRecord)
    for field, numbers in (("triangle", chess.syzygy.TRIANGLE), ("lower", chess.syzygy.LOWER),
                           ("diagonal", chess.syzygy.DIAG), ("flap", chess.syzygy.FLAP),
                           ("pawn_twist", chess.syzygy.PTWIST), ("king_pairs", chess.syzygy.KK_IDX),
                           ("pawn_index", chess.syzygy.PAWNIDX)):
        record[field] = numbers
    record["choose"] = [[comb(n, k) for k in range(MOST_MEN)] for n in range(64)]
    return record
