"""The engine's own endgame tables: read when a game approaches them, and probed when it gets there."""

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
from tablebase.files import Bytes, Container, DirectoryEntry, TableKind, bytes_of
from tablebase.indexing import ADDRESS_OF_CELLS, VIEW, set_view
from tablebase.material import (
    MAX_PIECES,
    NEAR,
    Ending,
    Men,
    can_become,
    ending_of,
    in_dependency_order,
    pieces_besides_kings,
)
from tablebase.probe import (
    MATERIALS,
    DirectoryRecord,
    LibraryRecord,
    empty_directory,
    position_code,
    position_outcome,
)
from tablebase.root_ranking import RankedMove, empty_judgement, extend_line, rank_moves, ranked_moves

BUILT_IN = Path(__file__).parent  # the folder of the package's own containers
CLOSE = 7  # men: three captures in a row would need distances, and unpacking them takes a while
FOREVER = float("inf")
_PLIES_AT_A_TIME = 8  # of a line, between two checks of the clock


class TableDirectory:
    """The containers of one kind, and the directory through which kernels find what is loaded."""

    def __init__(self, kind: TableKind) -> None:
        self.kind = kind
        self.directory: DirectoryRecord = empty_directory()
        self._containers: dict[Ending, list[Container]] = {}  # the first sound one counts
        self._numbers: dict[Ending, list[tuple[int, int, Men]]] = {}  # view, side to move, men in their order
        self._views = np.zeros(0, VIEW)
        self._memory: Bytes = np.zeros(0, np.uint8)
        self._offsets: dict[tuple[Ending, int], int] = {}  # [ending, side to move]: where its cells go in memory
        self._is_sound: dict[Ending, bool] = {}  # of what was loaded

    def add(self, container: Container) -> None:
        """Add the endings of a container; earlier containers take precedence."""
        for ending in container.entries:
            self._containers.setdefault(ending, []).append(container)

    def make_directory(self) -> None:
        """Assign a view to every order in which the men of an ending can appear, and a place for its cells."""
        places = [(ending, side, given) for ending in self._containers for side in range(2)
                  for given in _orders(ending)]
        self._views = np.zeros(len(places), VIEW)
        for number, (ending, side, given) in enumerate(places):
            self._numbers.setdefault(ending, []).append((number, side, given))
            material = sum(piece << 4 * place for place, piece in enumerate(given))
            self.directory.numbers[side * MATERIALS + material] = number
        self.directory.views = self._views.ctypes.data
        self._reserve()

    def _reserve(self) -> None:
        """Reserve space for everything in one block, which takes no memory until something is loaded."""
        size = 0
        for ending, containers in self._containers.items():
            for side in range(2):
                if any(container.entries[ending].blocks[side] for container in containers):
                    self._offsets[ending, side] = size
                    size += bytes_of(ending, self.kind)
        self._memory = np.frombuffer(zeroed_memory(size), np.uint8) if size else self._memory

    @property
    def address(self) -> int:
        """Where kernels find the directory."""
        return int(self.directory.__array_interface__["data"][0])

    @property
    def endings(self) -> list[Ending]:
        """All endings, loaded or not."""
        return in_dependency_order(self._containers)

    def entry(self, ending: Ending) -> DirectoryEntry:
        """The directory entry of an ending."""
        return self._containers[ending][0].entries[ending]

    def is_loaded(self, ending: Ending) -> bool:
        """Whether there is nothing left to read for an ending."""
        return ending in self._is_sound or ending not in self._containers

    def is_sound(self, ending: Ending) -> bool:
        """Whether an ending that was loaded could be read."""
        return self._is_sound.get(ending, False)

    def load(self, ending: Ending, complain: Callable[[str], None]) -> None:
        """Read the cells of an ending and publish them to kernels. If a file is damaged, complain and try the next."""
        if self.is_loaded(ending):
            return
        self._is_sound[ending] = False  # if all fail, it is not tried again
        while self._containers[ending] and not self._is_sound[ending]:
            container = self._containers[ending][0]
            try:
                cells = [container.load(ending, side) for side in range(2)]
            except InputError as error:
                complain(str(error))
                if len(self._containers[ending]) == 1:
                    return
                del self._containers[ending][0]
            else:
                self._publish(ending, container.entries[ending], cells)
                self._is_sound[ending] = True

    def _publish(self, ending: Ending, entry: DirectoryEntry, cells: Sequence[Bytes | None]) -> None:
        """Copy the cells to their place; the addresses, which make them visible to kernels, come last."""
        addresses = [0, 0]
        for side, array in enumerate(cells):
            if array is not None:
                place = self._memory[self._offsets[ending, side] :][: array.size]
                place[:] = array
                addresses[side] = place.ctypes.data
        for number, side, given in self._numbers[ending]:
            set_view(self._views[number], given, entry.axes, side)
            self._views[number].longest = entry.longest
        for number, _, _ in self._numbers[ending]:
            for side, address in enumerate(addresses):
                publish(self._views.ctypes.data + number * VIEW.itemsize + ADDRESS_OF_CELLS + 8 * side, address)


class OwnTables:
    """All tables in some folders. Problems with files are reported once, by `complaints`; the other files are used."""

    def __init__(self, folders: Sequence[Path] = (BUILT_IN,)) -> None:
        self.shelves = {kind: TableDirectory(kind) for kind in TableKind}
        self._reader = BackgroundReader()
        self.wait, self.take_warnings = self._reader.wait, self._reader.take_warnings
        self._moves, self._judgement = empty_move_list(), empty_judgement()
        self._prepared: Men | None = None
        for path in (path for folder in folders for path in sorted(folder.glob("*.tables"))):
            try:
                container = Container(path)
            except InputError as error:
                self._reader.warn(str(error))
            else:
                self.shelves[container.kind].add(container)
        self._library = new_record(LibraryRecord)
        for kind, shelf in self.shelves.items():
            shelf.make_directory()
            self._library[kind.value] = shelf.address
        self.most_men = max((ending.men for ending in self.outcomes.endings), default=0)  # including kings

    @property
    def outcomes(self) -> TableDirectory:
        """The tables of outcomes, which a search probes."""
        return self.shelves[TableKind.OUTCOMES]

    def prepare(self, position: PositionRecord) -> None:
        """Start reading, in the background, the tables that a game at this position may soon need."""
        men = tuple(sorted(pieces_besides_kings(position)))
        if len(men) + 2 > NEAR or men == self._prepared:
            return
        self._prepared = men
        kinds = TableKind if len(men) + 2 <= CLOSE else (TableKind.OUTCOMES,)
        shelves = [self.shelves[kind] for kind in kinds]
        jobs = [self._job(shelf, ending) for shelf in shelves for ending in shelf.endings
                if not shelf.is_loaded(ending) and can_become(men, ending) and _is_affordable(ending, len(men) + 2)]
        self._reader.read(jobs)

    def load_kernels(self) -> None:
        """Load the kernels that are needed while a clock is running."""
        rank_moves.load()
        extend_line.load()

    def load_outcomes(self) -> None:
        """Read all tables of outcomes now."""
        for ending in self.outcomes.endings:
            self._reader.do(*self._job(self.outcomes, ending))

    def _job(self, shelf: TableDirectory, ending: Ending) -> Job:
        return ending.name, partial(shelf.load, ending, self._reader.warn)

    def code(self, position: PositionRecord) -> int | None:
        """The code of a position, reading tables if need be; None if there is no table for it."""
        if self.why_no_answer(position) is not None:
            return None
        code = int(position_code(position, self._library, self._moves))
        if code == UNKNOWN and self.load_for(position, TableKind.OUTCOMES, TableKind.DISTANCES):
            code = int(position_code(position, self._library, self._moves))
        return None if code == UNKNOWN else code

    def outcome(self, position: PositionRecord) -> int | None:
        """The OUTCOME of a position as a search would get it; None if it is not certain."""
        if self.why_no_answer(position) is not None:
            return None
        self.load_for(position, TableKind.OUTCOMES)
        outcome = int(position_outcome(position, self.outcomes.directory))
        return None if outcome == UNKNOWN else outcome

    def load_for(self, position: PositionRecord, *kinds: TableKind) -> bool:
        """Read everything that the position and its moves need now; returns whether anything was missing."""
        self.wait()
        wanted = {ending_of(pieces_besides_kings(position))[0]} if pieces_besides_kings(position) else set()
        wanted |= {after for ending in wanted for after in ending.next_endings()}
        shelves = [self.shelves[kind] for kind in kinds]
        missing = [(shelf, ending) for ending in wanted for shelf in shelves if not shelf.is_loaded(ending)]
        for shelf, ending in missing:
            self._reader.do(*self._job(shelf, ending))
        return bool(missing)

    def ranked_moves(self, position: PositionRecord) -> list[RankedMove] | None:
        """Every legal move, the best first, under the fifty-move rule and repetition; None if a table is missing.

        Uses only what is loaded, since this is called while a clock is running.
        """
        if self.why_no_answer(position) is not None:
            return None
        count = int(rank_moves(position, self._library, self._moves, self._judgement))
        return None if count == UNKNOWN else ranked_moves(self._judgement, count)

    def line(self, position: PositionRecord, first: int, longest: int, deadline: float = FOREVER) -> tuple[int, ...]:
        """The best play of both sides after the move `first`, up to the mate, `longest` plies or `deadline`.

        The deadline is a time of `time.perf_counter`.
        """
        after, line, length = position.copy(), np.zeros(longest, np.int64), 1
        line[0] = first
        make_if_legal(after, first)
        while length < longest and time.perf_counter() < deadline:
            before = length
            length = int(extend_line(after, self._library, self._moves, self._judgement, line, length,
                                     min(length + _PLIES_AT_A_TIME, longest)))
            if length == before:
                break
        return tuple(line[:length].tolist())

    def why_no_answer(self, position: PositionRecord) -> str | None:
        """Why no table covers a position, whatever is loaded; None if one may."""
        men = len(pieces_besides_kings(position)) + 2
        if men > self.most_men:
            return f"it has {men} men, and the tables go up to {self.most_men}"
        if men == 2:
            return "bare kings need no table"
        if position.castling:
            return "castling is still possible, and tables do not cover that"
        return None


def _is_affordable(ending: Ending, men: int) -> bool:
    """Whether an ending is worth its memory with this many men left: tables of five men take hundreds of MB."""
    return ending.men < MAX_PIECES or men <= ending.men + 1


def _orders(ending: Ending) -> set[Men]:
    """Every order in which its men can appear on the board, in either colour."""
    return {order for pieces in (ending.pieces, tuple(piece ^ 8 for piece in ending.pieces))
            for order in itertools.permutations(pieces)}
