"""The tables that a player has at hand: read when a game comes near them, and looked up when it is there."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.errors import InputError
from engine.core.game import make_if_legal
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.core.position import PositionRecord
from engine.host import zeroed_memory
from tablebase.codes import worth_of_move
from tablebase.endings import NEAR, Ending, Men, can_become, ending_of, in_order, men_of
from tablebase.files import Bytes, Container, Entry, Kind, bytes_of
from tablebase.geometry import VIEW, set_view
from tablebase.probe import (
    MATERIALS,
    UNKNOWN,
    DirectoryRecord,
    empty_directory,
    move_codes,
    position_code,
    position_outcome,
)

BUILT_IN = Path(__file__).parent  # the folder of the package's own containers
CLOSE = 5  # men: the next capture may end in a table, and then distances are needed


class Shelf:
    """The containers of one kind, and the directory by which kernels find what is loaded of them."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.directory: DirectoryRecord = empty_directory()
        self._containers: dict[Ending, Container] = {}
        self._numbers: dict[Ending, list[int]] = {}
        self._views = np.zeros(0, VIEW)
        self._memory: Bytes = np.zeros(0, np.uint8)
        self._offsets: dict[tuple[Ending, int], int] = {}  # [ending, side to move]: where its cells go in the memory
        self._is_sound: dict[Ending, bool] = {}  # of what was loaded

    def add(self, container: Container) -> None:
        """Offer the endings of a container that are not offered yet."""
        for ending in container.entries:
            self._containers.setdefault(ending, container)

    def make_directory(self) -> None:
        """Find a number for every order in which the men of an ending can be met."""
        places = [(ending, side, given) for ending in self._containers for side in range(2)
                  for given in _orders(ending)]
        self._views = np.zeros(len(places), VIEW)
        for number, (ending, side, given) in enumerate(places):
            entry = self.entry(ending)
            set_view(self._views[number], given, entry.axes, side)
            self._views[number].longest = entry.longest
            self._numbers.setdefault(ending, []).append(number)
            material = sum(piece << 4 * place for place, piece in enumerate(given))
            self.directory.numbers[side * MATERIALS + material] = number
        self.directory.views = self._views.ctypes.data
        self._reserve()

    def _reserve(self) -> None:
        """Find a place for everything, in one piece that takes no memory until something is loaded."""
        size = 0
        for ending in self._containers:
            for side, block in enumerate(self.entry(ending).blocks):
                if block is not None:
                    self._offsets[ending, side] = size
                    size += bytes_of(ending, self.kind)
        self._memory = np.frombuffer(zeroed_memory(size), np.uint8) if size else self._memory

    @property
    def address(self) -> int:
        """Where kernels find the directory."""
        return int(self.directory.__array_interface__["data"][0])

    @property
    def endings(self) -> list[Ending]:
        """What there is, loaded or not."""
        return in_order(self._containers)

    def entry(self, ending: Ending) -> Entry:
        """What the containers say of an ending."""
        return self._containers[ending].entries[ending]

    def is_loaded(self, ending: Ending) -> bool:
        """Whether there is nothing more to be read of an ending."""
        return ending in self._is_sound or ending not in self._containers

    def is_sound(self, ending: Ending) -> bool:
        """Whether an ending that was loaded could be read."""
        return self._is_sound.get(ending, False)

    def load(self, ending: Ending) -> None:
        """Read the cells of an ending, and let kernels see them; InputError if they are damaged."""
        if self.is_loaded(ending):
            return
        self._is_sound[ending] = False  # if it fails, nobody need try again
        for side in range(2):
            cells = self._containers[ending].load(ending, side)
            if cells is None:
                continue
            place = self._memory[self._offsets[ending, side] :][: cells.size]
            place[:] = cells
            for number in self._numbers[ending]:
                self._views[number].address[side] = place.ctypes.data
        self._is_sound[ending] = True


class Tables:
    """All tables of some folders. What is wrong with a file is told once, by `complaints`, and the others are used."""

    def __init__(self, folders: Sequence[Path] = (BUILT_IN,)) -> None:
        self.outcomes, self.distances = Shelf(Kind.OUTCOMES), Shelf(Kind.DISTANCES)
        self._complaints: list[str] = []
        self._waiting: list[tuple[Shelf, Ending]] = []
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._moves, self._codes = empty_move_list(), np.zeros(MAX_MOVES, np.int64)
        for path in (path for folder in folders for path in sorted(folder.glob("*.tables"))):
            try:
                container = Container(path)
            except InputError as error:
                self._complaints.append(str(error))
            else:
                (self.outcomes if container.kind is Kind.OUTCOMES else self.distances).add(container)
        for shelf in (self.outcomes, self.distances):
            shelf.make_directory()

    @property
    def most_men(self) -> int:
        """How many men the largest ending has, kings included; 0 if there is none."""
        return max((ending.men for ending in self.outcomes.endings), default=0)

    def complaints(self) -> list[str]:
        """What was found to be wrong since the last time."""
        with self._lock:
            complaints, self._complaints = self._complaints, []
        return complaints

    def prepare(self, position: PositionRecord) -> None:
        """Begin to read, in the background, what a game that has come to this position may soon need."""
        men = men_of(position)
        if len(men) + 2 > NEAR:
            return
        with self._lock:
            shelves = (self.outcomes, self.distances) if len(men) + 2 <= CLOSE else (self.outcomes,)
            wanted = [(shelf, ending) for shelf in shelves for ending in shelf.endings
                      if not shelf.is_loaded(ending) and can_become(men, ending)]
            self._waiting = wanted
            if wanted and self._reader is None:
                self._reader = threading.Thread(target=self._read_on, daemon=True)
                self._reader.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything that was begun is read, but no longer than this; returns whether it is."""
        reader = self._reader
        if reader is not None:
            reader.join(seconds)
        return self._reader is None

    def code(self, position: PositionRecord) -> int | None:
        """The code of a position, by tables that are read if they are not yet; None if there is none for it."""
        if not self._may_know(position):
            return None
        code = int(position_code(position, self.outcomes.directory, self.distances.directory, self._moves))
        if code == UNKNOWN and self.load_for(position, self.outcomes, self.distances):
            code = int(position_code(position, self.outcomes.directory, self.distances.directory, self._moves))
        return None if code == UNKNOWN else code

    def outcome(self, position: PositionRecord) -> int | None:
        """What a search hears of a position: WIN, DRAW or LOSS; None if that is not certain."""
        self.load_for(position, self.outcomes)
        outcome = int(position_outcome(position, self.outcomes.directory))
        return None if outcome == UNKNOWN else outcome

    def load_for(self, position: PositionRecord, *shelves: Shelf) -> bool:
        """Read everything that the position and its moves need, now; returns whether anything was missing."""
        self.wait()
        wanted = {ending_of(men_of(position))[0]} if men_of(position) else set()
        wanted |= {after for ending in wanted for after in ending.next_endings()}
        missing = [(shelf, ending) for ending in wanted for shelf in shelves if not shelf.is_loaded(ending)]
        for shelf, ending in missing:
            self._load(shelf, ending)
        return bool(missing)

    def moves(self, position: PositionRecord) -> list[tuple[int, int]] | None:
        """Every legal move with the code that it leaves to the other side; None if a table is missing.

        Only what is loaded counts: this is asked while a clock runs.
        """
        if not self._may_know(position):
            return None
        count = int(move_codes(position, self.outcomes.directory, self.distances.directory, self._moves, self._codes))
        if count == UNKNOWN:
            return None
        return list(zip(self._moves.moves[:count].tolist(), self._codes[:count].tolist(), strict=True))

    def line(self, position: PositionRecord, first: int, plies: int) -> tuple[int, ...]:
        """The best play of both sides after the move `first`, up to the mate or so many plies."""
        after, line = position.copy(), [first]
        make_if_legal(after, first)
        while len(line) < plies and (known := self.moves(after)):
            line.append(max(known, key=lambda pair: int(worth_of_move(pair[1])))[0])
            make_if_legal(after, line[-1])
        return tuple(line)

    def _may_know(self, position: PositionRecord) -> bool:
        return 3 <= len(men_of(position)) + 2 <= self.most_men and not position.castling

    def _read_on(self) -> None:
        move_codes.load()  # with the first question it would be too late
        while True:
            with self._lock:
                if not self._waiting:
                    self._reader = None
                    return
                shelf, ending = self._waiting.pop(0)
            self._load(shelf, ending)

    def _load(self, shelf: Shelf, ending: Ending) -> None:
        try:
            shelf.load(ending)
        except InputError as error:
            with self._lock:
                self._complaints.append(str(error))


def _orders(ending: Ending) -> set[Men]:
    """Every order in which its men can be met on the board, in either colour."""
    return {order for pieces in (ending.pieces, tuple(piece ^ 8 for piece in ending.pieces))
            for order in itertools.permutations(pieces)}
