"""Searches that the user can end."""

from __future__ import annotations

from contextlib import nullcontext

from engine.commands.shared.interruption import check_interruption, stop_on_interrupt
from engine.core.position import PositionRecord
from engine.search.contract import Search, Stoppable
from engine.search.limits import Limits, Report, Result, no_report


def search(searcher: Search, position: PositionRecord, limits: Limits, report: Report = no_report) -> Result:
    """What the search finds. InterruptionError if the user ended it: what it had found was not what was asked for."""
    with stop_on_interrupt(searcher.stop) if isinstance(searcher, Stoppable) else nullcontext():
        result = searcher.run(position, limits, report)
    check_interruption()
    return result
