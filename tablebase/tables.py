"""The engine's own tables: loaded in the background as a game approaches them, then probed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.game import make_if_legal
from engine.core.movegen import empty_move_list
from engine.core.position import PositionRecord
from engine.kernel.records import new_record
from engine.system.errors import InputError
from engine.system.host import zeroed_memory
from tablebase.background_reader import BackgroundReader, Job, publish
from tablebase.codes import UNKNOWN
from tablebase.files import Bytes, Container, DirectoryEntry, TableKind, block_size
from tablebase.indexing import ADDRESS_OF_CELLS, VIEW, set_view
from tablebase.material import (
    MAX_PIECES,
    PREFETCH_PIECES,
    Ending,
    Pieces,
    can_become,
    endings_at_root,
    in_dependency_order,
    pieces_besides_kings,
)
from tablebase.probe import (
    MATERIALS,
    DirectoryRecord,
    OwnTablesRecord,
    empty_directory,
    position_code,
    position_outcome,
)
from tablebase.root_ranking import RankedMove, empty_ranking, extend_line, rank_moves, ranked_moves

BUILT_IN = Path(__file__).parent  # the folder of the package's own containers
ALL_KINDS_PIECES = 7  # load DTM and DTZ tables from this piece count on, since unpacking them takes a while
NO_DEADLINE = float("inf")
_PLIES_PER_STEP = 8  # plies of a line between two checks of the clock


class TableDirectory:
    """The containers of one kind, and the directory of their loaded tables for kernels."""

    def __init__(self, table_kind: TableKind) -> None:
        self.table_kind = table_kind
        self.directory: DirectoryRecord = empty_directory()
        self.address = int(self.directory.__array_interface__["data"][0])  # of the directory, for kernels
        self._containers: dict[Ending, list[Container]] = {}  # the first sound one is used
        self._view_orders: dict[Ending, list[tuple[int, int, Pieces]]] = {}  # view index, side to move, piece order
        self._views = np.zeros(0, VIEW)
        self._memory: Bytes = np.zeros(0, np.uint8)
        self._offsets: dict[tuple[Ending, int], int] = {}  # [ending, side to move]: of its cells in `_memory`
        self._is_sound: dict[Ending, bool] = {}  # whether loading an ending succeeded

    def add(self, container: Container) -> None:
        """Add the endings of a container; earlier containers take precedence."""
        for ending in container.entries:
            self._containers.setdefault(ending, []).append(container)

    def build(self) -> None:
        """Assign a view to every order in which the pieces of an ending can appear, and reserve memory for cells."""
        orders = [(ending, side, given) for ending in self._containers for side in range(2)
                  for given in _orders(ending)]
        self._views = np.zeros(len(orders), VIEW)
        for number, (ending, side, given) in enumerate(orders):
            self._view_orders.setdefault(ending, []).append((number, side, given))
            material = sum(piece << 4 * index for index, piece in enumerate(given))
            self.directory.view_indices[side * MATERIALS + material] = number
        self.directory.views = self._views.ctypes.data
        self._reserve()

    def _reserve(self) -> None:
        """Reserve address space for all cells; the system provides memory only when tables are loaded."""
        size = 0
        for ending, containers in self._containers.items():
            for side in range(2):
                if any(container.entries[ending].blocks[side] for container in containers):
                    self._offsets[ending, side] = size
                    size += block_size(ending, self.table_kind)
        self._memory = np.frombuffer(zeroed_memory(size), np.uint8) if size else self._memory

    @property
    def endings(self) -> list[Ending]:
        """All endings, loaded or not, in dependency order."""
        return in_dependency_order(self._containers)

    def entry(self, ending: Ending) -> DirectoryEntry:
        """The directory entry of an ending."""
        return self._containers[ending][0].entries[ending]

    def is_loaded(self, ending: Ending) -> bool:
        """Whether loading an ending would read nothing: it is loaded, damaged or missing."""
        return ending in self._is_sound or ending not in self._containers

    def is_sound(self, ending: Ending) -> bool:
        """Whether an ending was loaded without errors."""
        return self._is_sound.get(ending, False)

    def load(self, ending: Ending, warn: Callable[[str], None]) -> None:
        """Load an ending and publish it to kernels. If a file is damaged, call `warn` and try the next one."""
        if self.is_loaded(ending):
            return
        self._is_sound[ending] = False  # so that an ending without a sound file is not tried again
        while self._containers[ending] and not self._is_sound[ending]:
            container = self._containers[ending][0]
            try:
                cells = [container.load(ending, side) for side in range(2)]
            except InputError as error:
                warn(str(error))
                if len(self._containers[ending]) == 1:
                    return
                del self._containers[ending][0]
            else:
                self._publish(ending, container.entries[ending], cells)
                self._is_sound[ending] = True

    def _publish(self, ending: Ending, entry: DirectoryEntry, cells: Sequence[Bytes | None]) -> None:
        """Copy the cells to their memory; write the addresses, which make them visible to kernels, last."""
        addresses = [0, 0]
        for side, array in enumerate(cells):
            if array is not None:
                target = self._memory[self._offsets[ending, side] :][: array.size]
                target[:] = array
                addresses[side] = target.ctypes.data
        for number, side, given in self._view_orders[ending]:
            set_view(self._views[number], given, entry.axes, side)
            self._views[number].longest = entry.longest
        for number, _, _ in self._view_orders[ending]:
            for side, address in enumerate(addresses):
                publish(self._views.ctypes.data + number * VIEW.itemsize + ADDRESS_OF_CELLS + 8 * side, address)


class OwnTables:
    """All tables in some folders. `take_warnings` returns problems with files; the other files are used."""

    def __init__(self, folders: Sequence[Path] = (BUILT_IN,)) -> None:
        self.directories = {table_kind: TableDirectory(table_kind) for table_kind in TableKind}
        self._reader = BackgroundReader()
        self.wait, self.take_warnings = self._reader.wait, self._reader.take_warnings
        self._moves, self._ranking = empty_move_list(), empty_ranking()
        self._prepared: Pieces | None = None
        for path in (path for folder in folders for path in sorted(folder.glob("*.tables"))):
            try:
                container = Container(path)
            except InputError as error:
                self._reader.warn(str(error))
            else:
                self.directories[container.table_kind].add(container)
        self._record = new_record(OwnTablesRecord)
        for table_kind, directory in self.directories.items():
            directory.build()
            self._record[table_kind.value] = directory.address
        self.max_pieces = max((ending.piece_count for ending in self.outcomes.endings), default=0)  # including kings

    @property
    def outcomes(self) -> TableDirectory:
        """The WDL tables, which a search probes."""
        return self.directories[TableKind.WDL]

    def prepare(self, position: PositionRecord) -> None:
        """Start loading, in the background, the tables that a game at this position may soon need."""
        pieces = tuple(sorted(pieces_besides_kings(position)))
        piece_count = len(pieces) + 2
        if piece_count > PREFETCH_PIECES or pieces == self._prepared:
            return
        self._prepared = pieces
        table_kinds = TableKind if piece_count <= ALL_KINDS_PIECES else (TableKind.WDL,)
        directories = [self.directories[table_kind] for table_kind in table_kinds]
        missing = [(directory, ending) for directory in directories for ending in directory.endings
                   if not directory.is_loaded(ending) and can_become(pieces, ending)
                   and _is_affordable(ending, piece_count)]
        at_root = endings_at_root(pieces)
        missing.sort(key=lambda table: table[1] not in at_root)  # the next answer needs those; stable for the others
        self._reader.read([self._job(directory, ending) for directory, ending in missing])

    def load_kernels(self) -> None:
        """Load the kernels that are needed while the clock is running."""
        rank_moves.load()
        extend_line.load()

    def load_outcomes(self) -> None:
        """Load all WDL tables now."""
        for ending in self.outcomes.endings:
            self._reader.run(*self._job(self.outcomes, ending))

    def _job(self, directory: TableDirectory, ending: Ending) -> Job:
        return ending.name, partial(directory.load, ending, self._reader.warn)

    def code(self, position: PositionRecord) -> int | None:
        """The code of a position, loading tables as needed; None if there is no table for it."""
        if self.reason_not_covered(position) is not None:
            return None
        code = int(position_code(position, self._record, self._moves))
        if code == UNKNOWN and self.load_for(position, TableKind.WDL, TableKind.DTM):
            code = int(position_code(position, self._record, self._moves))
        return None if code == UNKNOWN else code

    def outcome(self, position: PositionRecord) -> int | None:
        """OUTCOME_WIN, _DRAW or _LOSS as a search gets it, loading tables as needed; None if it is not certain."""
        if self.reason_not_covered(position) is not None:
            return None
        self.load_for(position, TableKind.WDL)
        outcome = int(position_outcome(position, self.outcomes.directory))
        return None if outcome == UNKNOWN else outcome

    def load_for(self, position: PositionRecord, *table_kinds: TableKind) -> bool:
        """Load the tables of the position and of those its moves lead to; return whether any were missing."""
        self.wait()
        endings = endings_at_root(pieces_besides_kings(position))
        directories = [self.directories[table_kind] for table_kind in table_kinds]
        missing = [(directory, ending) for ending in endings for directory in directories
                   if not directory.is_loaded(ending)]
        for directory, ending in missing:
            self._reader.run(*self._job(directory, ending))
        return bool(missing)

    def ranked_moves(self, position: PositionRecord) -> list[RankedMove] | None:
        """Every legal move, the best first, respecting the fifty-move rule and repetitions; None if a table is missing.

        Uses only loaded tables, because it is called while the clock is running.
        """
        if self.reason_not_covered(position) is not None:
            return None
        count = int(rank_moves(position, self._record, self._moves, self._ranking))
        return None if count == UNKNOWN else ranked_moves(self._ranking, count)

    def line(self, position: PositionRecord, first: int, longest: int,
             deadline: float = NO_DEADLINE) -> tuple[int, ...]:
        """The best play of both sides, starting with the move `first`, up to mate, `longest` plies or `deadline`.

        The deadline is a time of `time.perf_counter`.
        """
        after, line, length = position.copy(), np.zeros(longest, np.int64), 1
        line[0] = first
        make_if_legal(after, first)
        while length < longest and time.perf_counter() < deadline:
            before = length
            length = int(extend_line(after, self._record, self._moves, self._ranking, line, length,
                                     min(length + _PLIES_PER_STEP, longest)))
            if length == before:
                break
        return tuple(line[:length].tolist())

    def reason_not_covered(self, position: PositionRecord) -> str | None:
        """Why no table can cover this position; None if one may, loaded or not."""
        piece_count = int(np.count_nonzero(position.board))
        if piece_count > self.max_pieces:
            return f"it has {piece_count} pieces, and the tables go up to {self.max_pieces}"
        if piece_count == 2:
            return "bare kings need no table"
        if position.castling:
            return "castling is still possible, which tables do not cover"
        return None


def _is_affordable(ending: Ending, piece_count: int) -> bool:
    """Whether an ending is worth its memory at this piece count: tables of five pieces take hundreds of MB."""
    return ending.piece_count < MAX_PIECES or piece_count <= ending.piece_count + 1


def _orders(ending: Ending) -> set[Pieces]:
    """Every order in which the pieces of an ending can appear on the board, in either colour."""
    return {order for pieces in (ending.pieces, tuple(piece ^ 8 for piece in ending.pieces))
            for order in itertools.permutations(pieces)}
