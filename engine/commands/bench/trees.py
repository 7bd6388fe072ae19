"""`bench trees`: how fast the tree searches grow, and what a second thread brings them."""

from __future__ import annotations

import time
from typing import Any

from engine.commands.shared.objects import print_object
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.progress import map_with_progress
from engine.commands.shared.searching import search
from engine.commands.shared.tables import print_table
from engine.commands.shared.trees import TREES
from engine.core.fen import parse_fen
from engine.mcts.params import TreeParamsRecord
from engine.mcts.searcher import MctsSearch
from engine.search.limits import Limits

_POSITIONS = BENCH_FENS[::6]


def print_trees(movetime: float, threads: int, megabytes: int, as_json: bool) -> int:
    """Iterations a second of each kind, with one thread and with several; returns the exit status."""
    def measure(name: str) -> dict[str, Any]:
        alone, of_cpu = _speed(TREES[name](), 1, movetime, megabytes)
        together, _ = _speed(TREES[name](), threads, movetime, megabytes)
        fields = {"search": name, "iterations_per_second": round(alone), "iterations_per_cpu_second": round(of_cpu),
                  "threads": threads, "iterations_per_second_together": round(together),
                  "ratio": round(together / alone, 3)}
        if as_json:
            print_object(fields)
        return fields

    found = map_with_progress(list(TREES), measure, lambda name: name)
    if not as_json:
        rows = [(row["search"], f"{row['iterations_per_second']:,}", f"{row['iterations_per_cpu_second']:,}",
                 f"{row['iterations_per_second_together']:,}", f"{row['ratio']:.2f}") for row in found]
        print_table(("search", "iterations/s", "of CPU time", f"{threads} threads", "ratio"), rows)
    return 0


def _speed(params: TreeParamsRecord, threads: int, movetime: float, megabytes: int) -> tuple[float, float]:
    """Iterations a second of time, and of CPU time, over some positions of the bench."""
    searcher = MctsSearch(params, megabytes, threads)
    search(searcher, parse_fen(_POSITIONS[0]), Limits(nodes=1))  # compile, or load
    iterations, seconds, spent = 0, 0.0, time.process_time()
    for fen in _POSITIONS:
        searcher.clear()
        result = search(searcher, parse_fen(fen), Limits(movetime=movetime))
        iterations, seconds = iterations + result.nodes, seconds + result.seconds
    return iterations / seconds, iterations / (time.process_time() - spent)
