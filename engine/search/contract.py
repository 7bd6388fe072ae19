"""What a search is to those who use it: a `Search`, and the capabilities that some kinds have and others do not.

A caller asks for a capability (`if isinstance(search, Resizable)`) and leaves alone what is not there: no search has
methods that do nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from engine.core.position import PositionRecord
from engine.search.limits import Limits, Report, Result, ignore
from engine.search.tb import TbRecord

if TYPE_CHECKING:
    from eval.choice import Evaluation  # no search of its own kind is known here, nor what it judges by


class Search(Protocol):
    """What every kind can do. A search comes in two parts, so that signals given after the first are never lost."""

    @abstractmethod
    def load(self) -> None:
        """Compile or load the kernels that the search runs. It may take seconds; `begin` does it too if need be."""

    @abstractmethod
    def begin(self, position: PositionRecord, limits: Limits) -> None:
        """Make everything ready for a search of `position`, quickly."""

    @abstractmethod
    def finish(self, report: Report = ignore) -> Result:
        """Search as `begin` was told, and block until that has ended. Without a legal move the result's move is 0.

        `report` hears of every finished line, and in a long search of its progress, maybe from other threads.
        """

    def run(self, position: PositionRecord, limits: Limits, report: Report = ignore) -> Result:
        """`begin`, then `finish`."""
        self.begin(position, limits)
        return self.finish(report)


@runtime_checkable
class Interruptible(Protocol):
    """A search that takes time, and so can be told to hurry. All methods may be called from any thread."""

    def stop(self) -> None:
        """End the running search soon, or the next one if none is running."""

    def forget_stop(self) -> None:
        """Take back a `stop` that came too late to stop anything."""

    def set_time(self, soft_time: float, hard_time: float) -> None:
        """Give the running search limits that it did not have: it was pondering. The soft one counts from its start."""


@runtime_checkable
class Resizable(Protocol):
    """A search that makes use of as much memory as it is given."""

    def resize(self, megabytes: float) -> None:
        """Use so much memory from now on; what was found is forgotten. InputError if there is not so much."""


@runtime_checkable
class Parallel(Protocol):
    """A search that several threads can share."""

    def set_threads(self, threads: int) -> None:
        """Search with that many threads from now on; InputError if they cannot be had."""


@runtime_checkable
class Remembering(Protocol):
    """A search that learns from one move of a game to the next."""

    def clear(self) -> None:
        """Forget everything: a new game begins."""


@runtime_checkable
class Judging(Protocol):
    """A search that values positions by an evaluation of choice."""

    def set_evaluation(self, evaluation: Evaluation) -> None:
        """Judge positions by another evaluation from now on; what was found is forgotten."""


@runtime_checkable
class TablebaseProber(Protocol):
    """A search that looks positions up in endgame tables."""

    def set_tb(self, tb: TbRecord) -> None:
        """Probe these tables from the next search on."""


@runtime_checkable
class Spreading(Protocol):
    """A search that gives its root moves unequal shares of its work."""

    def visits(self) -> dict[int, int]:
        """How often each root move has been visited; may be asked for while the search reports."""
