"""What goes into a search and what comes out of it: plain values, shared by every search mode."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

BRIEF_SECONDS = 0.02  # to start and to stop threads may take as long even on a free machine


@dataclass(frozen=True)
class Limits:
    """When to stop. None means no such limit; without any limit the search runs until it is stopped.

    Times are seconds.
    """

    depth: int | None = None
    nodes: int | None = None  # iterations of a tree search, positions of any other
    positions: int | None = None  # of a tree search: all that it visits, in playouts and in searches of leaves too
    movetime: float | None = None
    soft_time: float | None = None  # start no further iteration after about this
    hard_time: float | None = None  # abort the search at this
    mate: int | None = None
    multipv: int = 1
    first_depth: int = 1  # of the first iteration; if it equals `depth` there is no iterative deepening
    search_moves: tuple[int, ...] = ()
    reports_all: bool = False  # reports the iterations, too, that are too quick for a person to read
    brief_time: float = BRIEF_SECONDS  # a search that may take no longer than this starts no threads

    @property
    def longest_time(self) -> float:
        """The most that the search may take; infinite without such a limit."""
        return min((limit for limit in (self.hard_time, self.movetime) if limit is not None), default=math.inf)


class Bound(Enum):
    """What a score says about the true value."""

    EXACT = "exact"
    LOWER = "lower"  # it is at least this
    UPPER = "upper"  # it is at most this


class Counts(NamedTuple):
    """What a search has done so far, besides its nodes."""

    leaf_nodes: int = 0  # positions at the horizon
    beta_cutoffs: int = 0
    first_move_cutoffs: int = 0  # those caused by the first move


ZERO_COUNTS = Counts()


class TreeCounts(NamedTuple):
    """How well the techniques of alpha-beta worked in a search."""

    beta_cutoffs: int = 0
    first_move_cutoffs: int = 0  # those caused by the first move
    tt_probes: int = 0
    tt_hits: int = 0
    reduced_searches: int = 0  # of late moves
    re_searches: int = 0  # of moves whose reduced search failed high


@dataclass(frozen=True)
class Info:
    """What an iteration found: one of the MultiPV lines."""

    depth: int
    seldepth: int
    multipv: int
    score: int
    nodes: int
    seconds: float
    hashfull: int  # thousandths of the transposition table; 0 in a line that was not reported
    pv: tuple[int, ...]
    bound: Bound = Bound.EXACT
    tb_hits: int = 0  # positions found in endgame tables
    counts: Counts = ZERO_COUNTS
    wdl: tuple[int, int, int] | None = None  # wins, draws, losses per thousand games, if not just by the score


@dataclass(frozen=True)
class Progress:
    """Where a long search stands in the middle of an iteration."""

    depth: int
    current_move: int  # the root move that is being searched
    current_move_number: int  # its index in the move order, from 1
    nodes: int
    seconds: float
    hashfull: int


@dataclass(frozen=True)
class InfoString:
    """A message for the user."""

    text: str


Report = Callable[[Info | Progress | InfoString], None]


def no_report(_: Info | Progress | InfoString) -> None:
    """A report that does nothing."""


@dataclass
class Result:
    """The result of a search: best move, PV, score and the reported lines."""

    move: int
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: tuple[int, ...] = ()
    infos: list[Info] = field(default_factory=list)
    iterations: int = 0  # of a tree search: its playouts, where it has any; set where `nodes` counts positions
