"""More threads than cores: the clock is obeyed all the same. Measures; run it on a machine that does nothing else."""

from __future__ import annotations

import statistics
import threading
import time

import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.search.types import Limits
from tests.client import Client

SEARCHES = 30
MILLISECONDS = 1000


def answers(threads: int, order: str, searches: int) -> list[float]:
    """How many milliseconds each answer took, from `go` to `bestmove`."""
    client = Client()
    client.say(f"setoption name Threads value {threads}", "setoption name Hash value 16")
    client.load()
    client.best("position startpos", "go movetime 100")
    found = []
    for _ in range(searches):
        client.ask("ucinewgame", "position startpos moves e2e4 c7c5 g1f3")
        started = time.perf_counter()
        client.best(order)
        found.append((time.perf_counter() - started) * MILLISECONDS)
    assert client.quit() == 0
    return found


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_a_short_clock(threads):
    found = answers(threads, "go wtime 50 btime 50 winc 5 binc 5", SEARCHES)
    print(f"\n{threads} threads: median {statistics.median(found):.1f} ms, worst {max(found):.1f} ms")
    assert statistics.median(found) < 25 and max(found) < 50


@pytest.mark.slow
def test_a_thousand_threads():
    found = answers(1024, "go movetime 1000", 3)
    print(f"\n1,024 threads: {', '.join(f'{taken:.0f}' for taken in found)} ms")
    assert max(found) < 2000


def test_a_brief_search_needs_no_helpers():
    searcher, game, counts = AlphaBetaSearch(4, threads=4), Game(), []
    for limits in (Limits(soft_time=0.001, hard_time=0.01), Limits(movetime=0.01),
                   Limits(soft_time=0.001, hard_time=0.2, brief_time=0.3), Limits(soft_time=0.001, hard_time=0.2)):
        before = threading.active_count()
        searcher.prepare(game.position, limits)
        assert searcher.search().move in game.legal_moves()
        counts.append(threading.active_count() - before)
    assert counts == [0, 0, 0, 3]
