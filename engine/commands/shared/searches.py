"""Searches that the user can interrupt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from engine.commands.shared.interruption import check_interruption, stop_on_interrupt
from engine.core.position import PositionRecord
from engine.mcts.params import (
    Leaf,
    TreeParamsRecord,
    alphago,
    alphazero,
    learned,
    light_uct,
    puct,
    pure_monte_carlo,
    uct,
)
from engine.search.interface import Search, Stoppable
from engine.search.types import Limits, Report, Result, no_report


def search(searcher: Search, position: PositionRecord, limits: Limits, report: Report = no_report) -> Result:
    """Run a search and return its result; InterruptionError if the user interrupted it, since the result is partial."""
    with stop_on_interrupt(searcher.stop) if isinstance(searcher, Stoppable) else nullcontext():
        result = searcher.run(position, limits, report)
    check_interruption()
    return result


TREES: dict[str, Callable[[], TreeParamsRecord]] = {
    "pure Monte Carlo": pure_monte_carlo,
    "UCT, random playouts": uct,
    "UCT, light playouts": light_uct,
    "UCT, cut off": lambda: uct(leaf=Leaf.CUT_OFF),
    "PUCT, quiescence": puct,
    "PUCT, depth 2": lambda: puct(leaf_depth=2),
    "AlphaGo, lambda 1/2": alphago,
    "AlphaZero": alphazero,
    "learned, static": lambda: learned(leaf=Leaf.EVALUATION),
    "learned, quiescence": learned,
}
