"""`bench speed` and `bench threads`: nodes a second, beside another engine's, and of several threads."""

from __future__ import annotations

import contextlib
import time

from engine.alphabeta.searcher import Searcher
from engine.commands.bench.rival import Rival, opened_rival
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.progress import track
from engine.core.errors import InputError
from engine.core.fen import parse_fen
from engine.search.limits import Limits

_THREAD_POSITIONS = 20


def print_speed(movetime: float, threads: int, megabytes: int, against: str | None) -> int:
    """Nodes a CPU second over the bench positions, both engines in turn for the same time; returns the exit status."""
    with contextlib.ExitStack() as stack:
        rival = opened_rival(stack, against)
        if rival is not None:
            for name, value in (("Threads", "1"), ("Hash", str(megabytes)), ("Use NNUE", "false")):
                rival.set_option(name, value)
        return _measure(Searcher(megabytes, threads), movetime, rival)


def _measure(searcher: Searcher, movetime: float, rival: Rival | None) -> int:
    searcher.run(parse_fen(BENCH_FENS[0]), Limits(depth=1))  # what must be compiled is no part of the measurement
    ours, theirs = [0, 0.0], [0, 0.0]
    for fen in track(BENCH_FENS, lambda fen: fen):
        searcher.clear()
        pos = parse_fen(fen)
        started = time.process_time()
        ours[0] += searcher.run(pos, Limits(movetime=movetime)).nodes
        ours[1] += time.process_time() - started
        if rival is not None:
            nodes, cpu = rival.speed(fen, movetime)
            theirs[0] += nodes
            theirs[1] += cpu
    speed = ours[0] / ours[1]
    print(f"Adversary: {ours[0]} nodes, {ours[1]:.1f} s CPU, {speed / 1e6:.3f} Mnps")
    if rival is not None:
        print(f"{rival.name} without its network: {theirs[0]} nodes, {theirs[1]:.1f} s CPU, "
              f"{theirs[0] / theirs[1] / 1e6:.3f} Mnps; ratio {speed / (theirs[0] / theirs[1]):.2f}")
    return 0


def print_threads(movetime: float, threads: int, megabytes: int) -> int:
    """Nodes a second of one thread and of several, by the wall clock, in turn over the first bench positions."""
    if threads < 2:
        raise InputError("bench threads needs --threads N, at least 2")
    searchers = [Searcher(megabytes, number) for number in (1, threads)]
    nodes, seconds = [0, 0], [0.0, 0.0]
    for fen in track(BENCH_FENS[:_THREAD_POSITIONS], lambda fen: fen):
        for place, searcher in enumerate(searchers):
            searcher.clear()
            result = searcher.run(parse_fen(fen), Limits(movetime=movetime))
            nodes[place] += result.nodes
            seconds[place] += result.seconds
    one, many = (count / time for count, time in zip(nodes, seconds, strict=True))
    print(f"1 thread: {one / 1e6:.3f} Mnps; {threads} threads: {many / 1e6:.3f} Mnps; {many / one:.2f} times")
    return 0
