"""Searches that the user can interrupt, or that end after some CPU time; and the tree searches that are compared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

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

_SHORTEST_WAIT = 0.0005  # seconds, between two looks at the CPU time


def search(searcher: Search, position: PositionRecord, limits: Limits, report: Report = no_report) -> Result:
    """Run a search and return its result; InterruptionError if the user interrupted it, since the result is partial."""
    with stop_on_interrupt(searcher.stop) if isinstance(searcher, Stoppable) else nullcontext():
        result = searcher.run(position, limits, report)
    check_interruption()
    return result


@contextmanager
def cpu_limit(search: Stoppable, seconds: float) -> Iterator[None]:
    """Stop the search in this block when it has used so much CPU time.

    One thread searches, so the CPU time left is the least that has to pass.
    """
    is_over, end = threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while not is_over.wait(max(end - time.process_time(), _SHORTEST_WAIT)):
            if time.process_time() >= end:
                search.stop()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
        search.clear_stop()


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
