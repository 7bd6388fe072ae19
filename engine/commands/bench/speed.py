"""`bench speed` and `bench threads`: nodes a second, beside another engine's, and of several threads."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.alphabeta.searcher import Searcher
from engine.commands.bench.rival import Rival, opened_rival
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.progress import each
from engine.commands.shared.searching import search
from engine.commands.shared.wording import amount
from engine.core.errors import InputError
from engine.core.fen import parse_fen
from engine.search.limits import Limits, Result

_THREAD_POSITIONS = 20
_SHORTEST_TIME = 1e-3  # seconds; nothing is measured finer


def print_speed(movetime: float, threads: int, megabytes: int, against: str | None) -> int:
    """Nodes a CPU second over the bench positions, both engines in turn for the same time; returns the exit status."""
    with contextlib.ExitStack() as stack:
        rival = opened_rival(stack, against)
        if rival is not None:
            for name, value in (("Threads", "1"), ("Hash", str(megabytes)), ("Use NNUE", "false")):
                rival.set_option(name, value)
        return _measure(Searcher(megabytes, threads), movetime, rival)


@dataclass(frozen=True)
class Spent:
    """What a position cost both engines: nodes, and CPU seconds."""

    ours: tuple[int, float]
    theirs: tuple[int, float] = (0, 0.0)


def _measure(searcher: Searcher, movetime: float, rival: Rival | None) -> int:
    search(searcher, parse_fen(BENCH_FENS[0]), Limits(depth=1))  # what must be compiled is no part of the measurement

    def measure(fen: str) -> Spent:
        searcher.clear()
        position, started = parse_fen(fen), time.process_time()
        nodes = search(searcher, position, Limits(movetime=movetime)).nodes
        ours = nodes, time.process_time() - started
        return Spent(ours) if rival is None else Spent(ours, rival.speed(fen, movetime))

    found = each(BENCH_FENS, measure, lambda fen: fen)
    if not found:
        return 0
    nodes, seconds = _sums([spent.ours for spent in found])
    print(f"Adversary: {amount(len(found), 'position')}, {nodes} nodes, {seconds:.1f} s CPU, "
          f"{nodes / seconds / 1e6:.3f} Mnps")
    if rival is not None:
        their_nodes, their_seconds = _sums([spent.theirs for spent in found])
        print(f"{rival.name} without its network: {their_nodes} nodes, {their_seconds:.1f} s CPU, "
              f"{their_nodes / their_seconds / 1e6:.3f} Mnps; "
              f"ratio {nodes / seconds / (their_nodes / their_seconds):.2f}")
    return 0


def _sums(spent: Sequence[tuple[int, float]]) -> tuple[int, float]:
    return sum(nodes for nodes, _ in spent), max(sum(seconds for _, seconds in spent), _SHORTEST_TIME)


def print_threads(movetime: float, threads: int, megabytes: int) -> int:
    """Nodes a second of one thread and of several, by the wall clock, in turn over the first bench positions."""
    if threads < 2:
        raise InputError("bench threads needs --threads N, at least 2")
    searchers = [Searcher(megabytes, number) for number in (1, threads)]

    def measure(fen: str) -> list[Result]:
        results = []
        for searcher in searchers:
            searcher.clear()
            results.append(search(searcher, parse_fen(fen), Limits(movetime=movetime)))
        return results

    found = each(BENCH_FENS[:_THREAD_POSITIONS], measure, lambda fen: fen)
    if found:
        one, many = (nodes / seconds for nodes, seconds in (
            _sums([(results[place].nodes, results[place].seconds) for results in found]) for place in (0, 1)))
        print(f"1 thread: {one / 1e6:.3f} Mnps; {threads} threads: {many / 1e6:.3f} Mnps; {many / one:.2f} times")
    return 0
