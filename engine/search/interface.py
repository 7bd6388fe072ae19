"""The interface of a search: `Search`, which every mode implements, and capabilities that only some modes have.

A search inherits its capabilities, and a caller asks for one (`if isinstance(search, Resizable)`) before using it, so
no search needs methods that do nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

from engine.core.position import PositionRecord
from engine.search.tb import TbRecord
from engine.search.types import Limits, Report, Result, no_report

if TYPE_CHECKING:
    from eval.evaluator import Evaluator  # a type only: this package depends on no evaluator


class Loadable(Protocol):
    """What has kernels."""

    @abstractmethod
    def load(self) -> None:
        """Compile or load the kernels. This may take seconds."""


class Search(Protocol):
    """What every mode can do. A search has two parts, so that a stop between them is never lost."""

    @abstractmethod
    def load(self) -> None:
        """Compile or load the kernels of the search. This may take seconds; `prepare` does it if it was not done."""

    @abstractmethod
    def prepare(self, position: PositionRecord, limits: Limits) -> None:
        """Prepare a search of `position`; returns quickly."""

    @abstractmethod
    def search(self, report: Report = no_report) -> Result:
        """Run the search that `prepare` prepared, and block until it ends. If there is no legal move, the move is 0.

        `report` is called with every finished line, and in a long search with its progress, maybe from other threads.
        """

    def run(self, position: PositionRecord, limits: Limits, report: Report = no_report) -> Result:
        """`prepare`, then `search`."""
        self.prepare(position, limits)
        return self.search(report)


class Stoppable(ABC):
    """A search that can be stopped or given a time limit. All methods may be called from any thread."""

    @abstractmethod
    def stop(self) -> None:
        """End the running search soon, or the next one if none is running."""

    @abstractmethod
    def clear_stop(self) -> None:
        """Cancel a `stop` that came too late to stop anything."""

    @abstractmethod
    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give a search that was pondering its time limits. The soft one counts from the start of the search."""


class Resizable(ABC):
    """A search whose memory can be set."""

    @abstractmethod
    def resize(self, megabytes: float) -> None:
        """Use this much memory from now on, and clear what was found. InputError if it cannot be had."""

    @abstractmethod
    def prefault(self) -> None:
        """Have the system provide all of that memory now, so that no search has to wait for it."""


class Threaded(ABC):
    """A search that several threads can share."""

    @abstractmethod
    def set_threads(self, threads: int) -> None:
        """Search with this many threads from now on; InputError if they cannot be had."""


class Clearable(ABC):
    """A search that keeps what it learned from one move of a game to the next."""

    @abstractmethod
    def clear(self) -> None:
        """Clear everything, for a new game."""


class Evaluating(ABC):
    """A search whose evaluator can be chosen."""

    @abstractmethod
    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on, and clear what was found."""


class TbProbing(ABC):
    """A search that probes endgame tables."""

    @abstractmethod
    def set_tb(self, tb: TbRecord) -> None:
        """Probe these tables from the next search on."""


class Seeded(ABC):
    """A search that uses random numbers."""

    @abstractmethod
    def set_seed(self, seed: int) -> None:
        """Start the random numbers of the next game here."""


class PositionCounting(ABC):
    """A tree search: its nodes are iterations, each of which visits several positions."""

    @property
    @abstractmethod
    def positions(self) -> int:
        """All positions of the running or last search: in the tree, in playouts and in searches of leaves."""


def limits_alike(search: Search, positions: int) -> Limits:
    """The limits with which a search of any mode visits so many positions.

    A position counts once for every move that leads to it, in alpha-beta, in a playout or in the search of a leaf. The
    descent of an iteration through a tree, whose positions are known, counts as one.
    """
    return Limits(positions=positions) if isinstance(search, PositionCounting) else Limits(nodes=positions)


class VisitCounting(ABC):
    """A search that counts the visits of its root moves."""

    @abstractmethod
    def visits(self) -> dict[int, int]:
        """How often each root move has been visited; may be called while the search reports."""


class FullSearch(Search, Stoppable, Resizable, Threaded, Clearable, Evaluating, TbProbing, Seeded, PositionCounting,
                 VisitCounting):
    """A search with every capability."""
