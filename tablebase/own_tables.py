"""Endgame tables of our own at a player's hand: read when a game comes near them, and looked up when it is there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.errors import InputError
from engine.core.game import make_if_legal
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.core.position import PositionRecord
from engine.host import zeroed_memory
from tablebase.codes import UNKNOWN, rank_of_move
from tablebase.files import Bytes, Container, Entry, Kind, bytes_of
from tablebase.geometry import ADDRESS_OF_CELLS, VIEW, set_view
from tablebase.material import MOST_MEN, NEAR, Ending, Men, can_become, ending_of, in_order, men_of
from tablebase.probe import (
    MATERIALS,
    DirectoryRecord,
    empty_directory,
    move_codes,
    position_code,
    position_outcome,
)
from tablebase.publishing import publish
from tablebase.reader import BackgroundReader, Job

BUILT_IN = Path(__file__).parent  # the folder of the package's own containers
CLOSE = 6  # men: two captures may end in a table before it is our turn again, and then distances are needed


class Shelf:
    """The containers of one kind, and the directory by which kernels find what is loaded of them."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.directory: DirectoryRecord = empty_directory()
        self._containers: dict[Ending, list[Container]] = {}  # the first one that is sound counts
        self._numbers: dict[Ending, list[tuple[int, int, Men]]] = {}  # view, side to move, men in their order
        self._views = np.zeros(0, VIEW)
        self._memory: Bytes = np.zeros(0, np.uint8)
        self._offsets: dict[tuple[Ending, int], int] = {}  # [ending, side to move]: where its cells go in the memory
        self._is_sound: dict[Ending, bool] = {}  # of what was loaded

    def add(self, container: Container) -> None:
        """Offer the endings of a container, after those of the containers before."""
        for ending in container.entries:
            self._containers.setdefault(ending, []).append(container)

    def make_directory(self) -> None:
        """Find a number for every order in which the men of an ending can be met, and a place for its cells."""
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
        """Find a place for everything, in one piece that takes no memory until something is loaded."""
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
        """What there is, loaded or not."""
        return in_order(self._containers)

    def entry(self, ending: Ending) -> Entry:
        """What the containers say of an ending."""
        return self._containers[ending][0].entries[ending]

    def is_loaded(self, ending: Ending) -> bool:
        """Whether there is nothing more to be read of an ending."""
        return ending in self._is_sound or ending not in self._containers

    def is_sound(self, ending: Ending) -> bool:
        """Whether an ending that was loaded could be read."""
        return self._is_sound.get(ending, False)

    def load(self, ending: Ending, complain: Callable[[str], None]) -> None:
        """Read the cells of an ending, and let kernels see them. What is damaged is told, and the next file tried."""
        if self.is_loaded(ending):
            return
        self._is_sound[ending] = False  # if all fail, nobody need try again
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

    def _publish(self, ending: Ending, entry: Entry, cells: Sequence[Bytes | None]) -> None:
        """Put the cells into their place; the addresses, by which kernels see them, come last."""
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
    """All tables of some folders. What is wrong with a file is told once, by `complaints`, and the others are used."""

    def __init__(self, folders: Sequence[Path] = (BUILT_IN,)) -> None:
        self.outcomes, self.distances = Shelf(Kind.OUTCOMES), Shelf(Kind.DISTANCES)
        self._reader = BackgroundReader()
        self.wait, self.complaints = self._reader.wait, self._reader.complaints
        self._moves, self._codes = empty_move_list(), np.zeros(MAX_MOVES, np.int64)
        for path in (path for folder in folders for path in sorted(folder.glob("*.tables"))):
            try:
                container = Container(path)
            except InputError as error:
                self._reader.complain(str(error))
            else:
                (self.outcomes if container.kind is Kind.OUTCOMES else self.distances).add(container)
        for shelf in (self.outcomes, self.distances):
            shelf.make_directory()

    @property
    def most_men(self) -> int:
        """How many men the largest ending has, kings included; 0 if there is none."""
        return max((ending.men for ending in self.outcomes.endings), default=0)

    def prepare(self, position: PositionRecord) -> None:
        """Begin to read, in the background, what a game that has come to this position may soon need."""
        men = men_of(position)
        if len(men) + 2 > NEAR:
            return
        shelves = (self.outcomes, self.distances) if len(men) + 2 <= CLOSE else (self.outcomes,)
        jobs = [self._job(shelf, ending) for shelf in shelves for ending in shelf.endings
                if not shelf.is_loaded(ending) and can_become(men, ending) and _is_affordable(ending, len(men) + 2)]
        self._reader.read([("the kernel", move_codes.load), *jobs] if jobs else [])

    def load_outcomes(self) -> None:
        """Read every outcome, now."""
        for ending in self.outcomes.endings:
            self._reader.do(*self._job(self.outcomes, ending))

    def _job(self, shelf: Shelf, ending: Ending) -> Job:
        return ending.name, partial(shelf.load, ending, self._reader.complain)

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
        if not self._may_know(position):
            return None
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
            self._reader.do(*self._job(shelf, ending))
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
            line.append(max(known, key=lambda pair: rank_of_move(pair[1]))[0])
            make_if_legal(after, line[-1])
        return tuple(line)

    def _may_know(self, position: PositionRecord) -> bool:
        return 3 <= len(men_of(position)) + 2 <= self.most_men and not position.castling


def _is_affordable(ending: Ending, men: int) -> bool:
    """Whether an ending is worth its memory when so many men are left: tables with five men take hundreds of MB."""
    return ending.men < MOST_MEN or men <= ending.men + 1


def _orders(ending: Ending) -> set[Men]:
    """Every order in which its men can be met on the board, in either colour."""
    return {order for pieces in (ending.pieces, tuple(piece ^ 8 for piece in ending.pieces))
            for order in itertools.permutations(pieces)}
