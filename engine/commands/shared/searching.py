"""Searches that the user can end."""

from __future__ import annotations

from contextlib import nullcontext

from engine.commands.shared.interruption import check_interruption, stopped_by_user
from engine.core.position import PositionRecord
from engine.search.contract import Interruptible, Search
from engine.search.limits import Limits, Report, Result, ignore


def search(searcher: Search, position: PositionRecord, limits: Limits, report: Report = ignore) -> Result:
    """What the search finds. InterruptionError if the user ended it: what it had found was not what was asked for."""
    with stopped_by_user(searcher.stop) if isinstance(searcher, Interruptible) else nullcontext():
        result = searcher.run(position, limits, report)
    check_interruption()
    return result
