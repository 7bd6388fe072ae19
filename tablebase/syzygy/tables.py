"""The user's Syzygy tables: finds the files, reads their headers and passes them to the kernels, memory-mapped.

python-chess parses the headers. An ending may have two files: WDL, and DTZ, which the root needs.
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
from engine.system.errors import InputError, reason_of
from tablebase.background_reader import BackgroundReader, publish
from tablebase.codes import UNKNOWN
from tablebase.material import Pieces, can_turn_into, endings_at_root, pieces_besides_kings
from tablebase.root_ranking import RankedMove, empty_ranking, ranked_moves
from tablebase.syzygy.headers import FILES, check_header, parts_of, set_part
from tablebase.syzygy.probe_dtz import rank_moves_by_dtz
from tablebase.syzygy.probe_wdl import wdl_entry
from tablebase.syzygy.records import (
    ADDRESS_OF_KEYS,
    DTZ_FILE,
    HASH,
    HASH_SHIFT,
    MAX_PIECES,
    NO_WDL,
    PART,
    SLOTS,
    SYZYGY_TB,
    WDL_FILE,
    ScratchRecord,
    SyzygyRecord,
)

_SUFFIXES = {".rtbw": int(WDL_FILE), ".rtbz": int(DTZ_FILE)}
_LETTERS = " PNBRQK"


class SyzygyTables:
    """The tables in some folders. `take_warnings` returns problems with files; the other files are used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths: dict[tuple[Pieces, int], Path] = {}  # [pieces, table kind]
        self._reader = BackgroundReader()
        self.wait, self.take_warnings = self._reader.wait, self._reader.take_warnings
        for folder in folders:
            self._reader.run(str(folder), partial(self._add, folder))
        wdl_endings = [pieces for pieces, table_kind in self._paths if table_kind == WDL_FILE]
        self.count = len(wdl_endings)
        self.max_pieces = max((len(pieces) + 2 for pieces in wdl_endings), default=0)  # including kings
        self.record: SyzygyRecord = _new_record()
        endings = dict.fromkeys(pieces for pieces, _ in self._paths)
        self._numbers = {pieces: number for number, pieces in enumerate(endings)}
        self._tbs = np.zeros((2, max(len(self._numbers), 1)), SYZYGY_TB)
        self.record.tbs[:] = [row.ctypes.data for row in self._tbs]
        self._kept: list[Any] = []  # files and arrays that kernels use by address
        self._opened: set[tuple[Pieces, int]] = set()
        self._prepared: Counter[int] | None = None
        self._moves, self._scratch, self._ranking = empty_move_list(), new_record(ScratchRecord), empty_ranking()

    def _add(self, folder: Path) -> None:
        """Add the tables of a folder; InputError if it cannot be read."""
        try:
            paths = sorted(folder.iterdir())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {folder}: {reason_of(error)}") from error
        for path in paths:
            if path.suffix in _SUFFIXES and chess.syzygy.is_tablename(path.stem, piece_count=MAX_PIECES):
                self._paths.setdefault((pieces_named(path.stem), _SUFFIXES[path.suffix]), path)

    @property
    def address(self) -> int:
        """The address of the record of open tables, for kernels."""
        return int(self.record.__array_interface__["data"][0])

    def prepare(self, position: PositionRecord) -> None:
        """Start opening, in the background, the tables that a game at this position may soon need."""
        have = Counter(pieces_besides_kings(position))
        if have == self._prepared:
            return
        self._prepared = have
        needed = [(pieces, table_kind) for pieces, table_kind in self._paths
                  if (pieces, table_kind) not in self._opened and can_turn_into(have, pieces)]
        at_root = {tuple(sorted(pieces)) for ending in endings_at_root(have.elements())
                   for pieces in (ending.pieces, (piece ^ 8 for piece in ending.pieces))}
        # The next answer needs those; then WDL, because searches need it.
        needed.sort(key=lambda job: (job[0] not in at_root, job[1], len(job[0])))
        self._reader.read([("the kernel", rank_moves_by_dtz.load),
                           *((str(self._paths[job]), partial(self._open, *job)) for job in needed)] if needed else [])

    def value(self, position: PositionRecord, rounds: int = 1) -> int | None:
        """WDL from 2 to -2 for the side to move, opening tables as needed; None if one is missing.

        More than one round only serves to measure the time of a probe.
        """
        self.prepare(position)
        self.wait()
        value = int(wdl_entry(position, self.record, self._moves, self._scratch, rounds))
        return None if value == NO_WDL else value

    def ranked_moves(self, position: PositionRecord, use_rule50: bool) -> list[RankedMove] | None:
        """Every legal move, the best first, with its DTZ as code; None if a file is missing.

        Uses only open tables, because it is called while the clock is running.
        """
        if position.castling:
            return None
        count = int(rank_moves_by_dtz(position, self.record, self._moves, self._scratch, self._ranking,
                                      int(use_rule50)))
        return None if count == UNKNOWN else ranked_moves(self._ranking, count)

    def values(self, game: Game) -> dict[int, int] | None:
        """[move]: WDL from 2 to -2 for the side that moves, as if rule50 were 0; None if a table is missing.

        Uses only open tables, because it is called while the clock is running.
        """
        values = {}
        for move in game.legal_moves():
            after = game.position.copy()
            make_if_legal(after, move)
            if after.castling or after.ep != NO_SQUARE:
                return None
            value = int(wdl_entry(after, self.record, self._moves, self._scratch, 1))
            if value == NO_WDL:
                return None
            values[move] = -value
        return values

    def _open(self, pieces: Pieces, table_kind: int) -> None:
        """Read the header of a file, and publish the file to kernels."""
        path = self._paths[pieces, table_kind]
        self._opened.add((pieces, table_kind))
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty")
        source = _read_header(path, table_kind)
        data = np.frombuffer(source.data, np.uint8)
        parts = parts_of(source)
        is_flipped = check_header(parts, pieces, data)
        records = np.zeros(2 * FILES, PART)
        for part in parts:
            set_part(records[2 * part.file + part.side], part, data, self._kept)
        number = self._numbers[pieces]
        tb = self._tbs[table_kind, number]
        tb.piece_count, tb.has_pawns, tb.is_symmetric = source.num, source.has_pawns, source.symmetric
        if source.has_pawns:
            tb.leading_pawns, tb.other_pawns = source.pawns
        else:
            tb.has_three_unique = source.enc_type == 0
        tb.parts = records.ctypes.data
        self._kept += [source, data, records]
        self._insert(tuple(sorted(piece ^ 8 for piece in pieces)), table_kind, 2 * number + 1 - is_flipped)
        self._insert(pieces, table_kind, 2 * number + is_flipped)

    def _insert(self, pieces: Pieces, table_kind: int, number: int) -> None:
        """Insert a file into the hash table; for symmetric endings the second insertion overwrites the first."""
        key = key_of_pieces(pieces)
        slot = key * int(HASH) % (1 << 64) >> HASH_SHIFT
        while self.record["keys"][table_kind][slot] not in (0, key):
            slot = (slot + 1) % SLOTS
        self.record.numbers[table_kind, slot] = number
        publish(self.address + ADDRESS_OF_KEYS + 8 * (table_kind * SLOTS + slot), key)


def _read_header(path: Path, table_kind: int) -> Any:
    """Parse a file with python-chess, which may raise any exception if the header is damaged."""
    if table_kind == WDL_FILE:
        wdl = chess.syzygy.WdlTable(str(path))
        wdl.init_table_wdl()
        return wdl
    dtz = chess.syzygy.DtzTable(str(path))
    dtz.init_table_dtz()
    return dtz


def pieces_named(name: str) -> Pieces:
    """The pieces besides the kings in the name of a table, sorted."""
    white, black = name.split("v")
    return tuple(sorted([*(_LETTERS.index(letter) for letter in white[1:]),
                         *(8 + _LETTERS.index(letter) for letter in black[1:])]))


def key_of_pieces(pieces: Pieces) -> int:
    """The `material_key` of these pieces."""
    key = 0
    for piece in (1, 2, 3, 4, 5, 9, 10, 11, 12, 13):
        key = key << 3 | pieces.count(piece)
    return key


def _new_record() -> SyzygyRecord:
    """Return a record without tables; the index tables of the format come from python-chess."""
    record = new_record(SyzygyRecord)
    for field, numbers in (("triangle", chess.syzygy.TRIANGLE), ("lower", chess.syzygy.LOWER),
                           ("diagonal", chess.syzygy.DIAG), ("flap", chess.syzygy.FLAP),
                           ("pawn_twist", chess.syzygy.PTWIST), ("king_pairs", chess.syzygy.KK_IDX),
                           ("pawn_index", chess.syzygy.PAWNIDX)):
        record[field] = numbers
    record["choose"] = [[comb(n, k) for k in range(MAX_PIECES)] for n in range(64)]
    return record
