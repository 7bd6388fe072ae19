"""Measuring: `bench [DEPTH]` searches fixed positions and prints the node count that signs a version of the search;
`bench speed` its nodes a second beside another engine's; `bench threads` what more threads bring; `bench trees` the
tree searches; `bench perft` the move generator; `bench startup` the start; `bench shipped` the machine
code of the package; `bench network` the network's evaluation.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from engine.alphabeta.searcher import Searcher
from engine.commands._display import track
from engine.commands._positions import BENCH_FENS
from engine.commands._startup import print_startup
from engine.core.errors import InputError, quote
from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.core.movegen import empty_move_list
from engine.core.perft import COUNT_LAST_PLY, KNOWN, MAKE_EVERY_MOVE, KnownPerft, perft
from engine.host import run_interruptible
from engine.kernel import Int
from engine.search.limits import Limits
from engine.search.scores import MAX_PLY

if TYPE_CHECKING:
    from engine.commands._rival import Rival

_FAILED = 1
_BENCH_DEPTH = 12
_THREAD_POSITIONS = 20
_SHORTEST_TIME = 1e-3  # seconds; nothing is measured finer


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", nargs="?", default=str(_BENCH_DEPTH),
                        metavar="DEPTH|speed|threads|trees|perft|startup|shipped|network",
                        help=f"what to measure; a number is the depth of the search (default {_BENCH_DEPTH})")
    parser.add_argument("--against", metavar="ENGINE", help="speed, perft: a UCI engine to measure in the same run")
    parser.add_argument("--runs", type=int, default=3, metavar="N",
                        help="perft, startup, shipped, network: how often (default 3)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="search with N threads (default 1)")
    parser.add_argument("--hash", type=int, default=64, metavar="MB", help="size of the table (default 64)")
    parser.add_argument("--network", metavar="FILE", help="network: the one to measure (default: the built-in one)")
    parser.add_argument("--movetime", type=float, default=0.5, metavar="S",
                        help="speed, trees, network: seconds a position")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    for name in ("runs", "threads", "hash"):
        if getattr(arguments, name) < 1:
            raise InputError(f"--{name} must be at least 1, not {getattr(arguments, name)}")
    if arguments.what not in ("speed", "perft") and arguments.against is not None:
        raise InputError("--against goes with 'bench speed' and 'bench perft' only")
    if arguments.what == "network":
        from engine.commands._bench_network import print_network

        return run_interruptible(lambda: print_network(arguments.network, arguments.runs, arguments.movetime))
    if arguments.network is not None:
        raise InputError("--network goes with 'bench network' only")
    if arguments.what == "startup":
        return print_startup(arguments.runs)
    if arguments.what == "shipped":
        from engine.commands._shipped import print_shipped

        return print_shipped(arguments.runs, _BENCH_DEPTH)
    if arguments.what == "trees":
        from engine.commands._trees import print_trees

        return run_interruptible(lambda: print_trees(arguments.movetime, max(arguments.threads, 2), arguments.hash))
    if arguments.what == "threads":
        return run_interruptible(lambda: _bench_threads(arguments))
    if arguments.what not in ("speed", "perft"):
        return run_interruptible(lambda: _bench_search(_parse_depth(arguments.what), arguments.threads, arguments.hash))
    with contextlib.ExitStack() as stack:
        rival = None
        if arguments.against is not None:
            from engine.commands._rival import Rival

            rival = stack.enter_context(Rival(arguments.against))
        if arguments.what == "speed":
            return run_interruptible(lambda: _bench_speed(arguments, rival))
        try:
            return run_interruptible(lambda: _bench_perft(arguments.runs, rival))
        except WrongCountError as error:
            print(f"error: {error}", file=sys.stderr)
            return _FAILED


def _parse_depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) < MAX_PLY):
        raise InputError("bench knows speed, threads, trees, perft, startup, shipped, network or a depth from 1 to "
                         f"{MAX_PLY - 1}, not {quote(text)}")
    return int(text)


def _bench_search(depth: int, threads: int, megabytes: int) -> int:
    """Search every position to the same depth; the sum of nodes is the signature of the search."""
    searcher = Searcher(megabytes, threads)
    nodes, seconds = 0, 0.0
    for number, fen in enumerate(BENCH_FENS, start=1):
        searcher.clear()
        game = Game(fen)
        result = searcher.run(game.position, Limits(depth=depth))
        nodes += result.nodes
        seconds += result.seconds
        print(f"{number:2} {result.nodes:10} {game.text(result.move):5} {result.score:6} {fen}", flush=True)
    print(f"{nodes} nodes {round(nodes / max(seconds, _SHORTEST_TIME))} nps")
    return 0


def _bench_speed(arguments: argparse.Namespace, rival: Rival | None) -> int:
    """Nodes a CPU second over the bench positions, both engines in turn for the same time."""
    searcher = Searcher(arguments.hash, arguments.threads)
    searcher.run(parse_fen(BENCH_FENS[0]), Limits(depth=1))  # what must be compiled is no part of the measurement
    if rival:
        for name, value in (("Threads", "1"), ("Hash", str(arguments.hash)), ("Use NNUE", "false")):
            rival.set_option(name, value)
    ours, theirs = [0, 0.0], [0, 0.0]
    for fen in track(BENCH_FENS, lambda fen: fen):
        searcher.clear()
        pos = parse_fen(fen)
        started = time.process_time()
        ours[0] += searcher.run(pos, Limits(movetime=arguments.movetime)).nodes
        ours[1] += time.process_time() - started
        if rival:
            nodes, cpu = rival.speed(fen, arguments.movetime)
            theirs[0] += nodes
            theirs[1] += cpu
    speed = ours[0] / ours[1]
    print(f"Adversary: {ours[0]} nodes, {ours[1]:.1f} s CPU, {speed / 1e6:.3f} Mnps")
    if rival:
        print(f"{rival.name} without its network: {theirs[0]} nodes, {theirs[1]:.1f} s CPU, "
              f"{theirs[0] / theirs[1] / 1e6:.3f} Mnps; ratio {speed / (theirs[0] / theirs[1]):.2f}")
    return 0


def _bench_threads(arguments: argparse.Namespace) -> int:
    """Nodes a second of one thread and of several, by the wall clock, in turn over the first bench positions."""
    if arguments.threads < 2:
        raise InputError("bench threads needs --threads N, at least 2")
    numbers = (1, arguments.threads)
    searchers = [Searcher(arguments.hash, number) for number in numbers]
    nodes, seconds = [0, 0], [0.0, 0.0]
    for fen in track(BENCH_FENS[:_THREAD_POSITIONS], lambda fen: fen):
        for place, searcher in enumerate(searchers):
            searcher.clear()
            result = searcher.run(parse_fen(fen), Limits(movetime=arguments.movetime))
            nodes[place] += result.nodes
            seconds[place] += result.seconds
    one, many = (count / time for count, time in zip(nodes, seconds, strict=True))
    print(f"1 thread: {one / 1e6:.3f} Mnps; {arguments.threads} threads: {many / 1e6:.3f} Mnps; {many / one:.2f} times")
    return 0


class WrongCountError(Exception):
    """An engine counted leaves that are not there: it must not be measured, but mended."""


@dataclass
class PerftSpeed:
    """The best speeds seen for one position, in million leaves a CPU second."""

    position: KnownPerft
    counted: float = 0.0
    made: float = 0.0
    rival: float = 0.0


def _bench_perft(runs: int, rival: Rival | None) -> int:
    speeds = [_measure_position(position, runs, rival) for position in KNOWN]
    table = Table(title=f"perft, Mnodes per CPU second, best of {runs}")
    table.add_column("position")
    for heading in ("depth", "leaves", "counted", "made", *((rival.name, "ratio") if rival else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        counts = speed.position.counts
        compared = (f"{speed.rival:.1f}", f"{speed.counted / speed.rival:.2f}") if rival else ()
        table.add_row(speed.position.name, str(len(counts)), f"{counts[-1]:,}", f"{speed.counted:.1f}",
                      f"{speed.made:.1f}", *compared)
    Console().print(table)
    counted, made = _mean([speed.counted for speed in speeds]), _mean([speed.made for speed in speeds])
    print("counted: the last ply is counted, not made; made: every move made and taken back, one ply less deep")
    print(f"geometric means: counted {counted:.1f}, made {made:.1f} Mnodes/s; made / counted {made / counted:.2f}")
    if rival:
        theirs = _mean([speed.rival for speed in speeds])
        print(f"{rival.name}: {theirs:.1f} Mnodes/s; ratio {counted / theirs:.2f}")
    return 0


def _measure_position(position: KnownPerft, runs: int, rival: Rival | None) -> PerftSpeed:
    """Alternate the runs of both engines, so that a change of the machine's speed meets both."""
    depth = len(position.counts)
    speed = PerftSpeed(position)
    perft(parse_fen(position.fen), empty_move_list(), 1, COUNT_LAST_PLY)  # load it before the clock starts
    for _ in range(runs):
        speed.counted = max(speed.counted, _speed(position, depth, COUNT_LAST_PLY))
        speed.made = max(speed.made, _speed(position, depth - 1, MAKE_EVERY_MOVE))
        if rival:
            leaves, seconds = rival.perft(position.fen, depth)
            _check(position, depth, leaves, rival.name)
            speed.rival = max(speed.rival, leaves / seconds / 1e6)
    return speed


def _speed(position: KnownPerft, depth: int, counted_plies: Int) -> float:
    pos, out = parse_fen(position.fen), empty_move_list()
    started = time.process_time()
    leaves = perft(pos, out, depth, counted_plies)
    seconds = max(time.process_time() - started, _SHORTEST_TIME)
    _check(position, depth, leaves, "Adversary")
    return leaves / seconds / 1e6


def _check(position: KnownPerft, depth: int, leaves: int, counter: str) -> None:
    known = position.counts[depth - 1]
    if leaves != known:
        raise WrongCountError(f"{counter} counts {leaves} leaves in {position.name} at depth {depth}, not {known}")


def _mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))
