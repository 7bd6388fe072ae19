"""Searches that the user can end."""

from __future__ import annotations

from typing import Protocol

from engine.commands.shared.interruption import check_interruption, stopped_by_user
from engine.core.position import PositionRecord
from engine.search.limits import Limits, Report, Result


class Stoppable(Protocol):
    """Any kind of search."""

    def run(self, position: PositionRecord, limits: Limits, report: Report = ...) -> Result: ...
    def stop(self) -> None: ...


def search(searcher: Stoppable, position: PositionRecord, limits: Limits, report: Report | None = None) -> Result:
    """What the search finds. InterruptionError if the user ended it: what it had found was not what was asked for."""
    with stopped_by_user(searcher.stop):
        result = searcher.run(position, limits) if report is None else searcher.run(position, limits, report)
    check_interruption()
    return result
