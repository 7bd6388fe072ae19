"""Searches that the user can interrupt."""

from __future__ import annotations

from contextlib import nullcontext

from engine.cli.interruption import check_interruption, stop_on_interrupt
from engine.core.position import PositionRecord
from engine.search.interface import Search, Stoppable
from engine.search.types import Limits, Report, Result, no_report


def search(searcher: Search, position: PositionRecord, limits: Limits, report: Report = no_report) -> Result:
    """Run a search and return its result; InterruptionError if the user interrupted it, since the result is partial."""
    with stop_on_interrupt(searcher.stop) if isinstance(searcher, Stoppable) else nullcontext():
        result = searcher.run(position, limits, report)
    check_interruption()
    return result
