"""The interface of a search: `Search`, which every mode implements, and capabilities that only some modes have.

A caller asks for a capability (`if isinstance(search, Resizable)`) before using it, so no search needs methods that do
nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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


@runtime_checkable
class Stoppable(Protocol):
    """A search that can be stopped or given a time limit. All methods may be called from any thread."""

    def stop(self) -> None:
        """End the running search soon, or the next one if none is running."""

    def clear_stop(self) -> None:
        """Cancel a `stop` that came too late to stop anything."""

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give a search that was pondering its time limits. The soft one counts from the start of the search."""


@runtime_checkable
class Resizable(Protocol):
    """A search whose memory can be set."""

    def resize(self, megabytes: float) -> None:
        """Use this much memory from now on, and clear what was found. InputError if it cannot be had."""

    def prefault(self) -> None:
        """Have the system provide all of that memory now, so that no search has to wait for it."""


@runtime_checkable
class Threaded(Protocol):
    """A search that several threads can share."""

    def set_threads(self, threads: int) -> None:
        """Search with this many threads from now on; InputError if they cannot be had."""


@runtime_checkable
class Clearable(Protocol):
    """A search that keeps what it learned from one move of a game to the next."""

    def clear(self) -> None:
        """Clear everything, for a new game."""


@runtime_checkable
class Evaluating(Protocol):
    """A search whose evaluator can be chosen."""

    def set_evaluation(self, evaluation: Evaluator) -> None:
        """Use this evaluator from now on, and clear what was found."""


@runtime_checkable
class TbProbing(Protocol):
    """A search that probes endgame tables."""

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these tables from the next search on."""


@runtime_checkable
class Seeded(Protocol):
    """A search that uses random numbers."""

    def set_seed(self, seed: int) -> None:
        """Start the random numbers of the next game here."""


@runtime_checkable
class PositionCounting(Protocol):
    """A tree search: its nodes are iterations, each of which visits several positions."""

    @property
    def positions(self) -> int:
        """All positions of the running or last search: in the tree, in playouts and in searches of leaves."""


def limits_alike(search: Search, positions: int) -> Limits:
    """The limits with which a search of any mode visits so many positions.

    A position counts once for every move that leads to it, in alpha-beta, in a playout or in the search of a leaf. The
    descent of an iteration through a tree, whose positions are known, counts as one.
    """
    return Limits(positions=positions) if isinstance(search, PositionCounting) else Limits(nodes=positions)


@runtime_checkable
class VisitCounting(Protocol):
    """A search that counts the visits of its root moves."""

    def visits(self) -> dict[int, int]:
        """How often each root move has been visited; may be called while the search reports."""
