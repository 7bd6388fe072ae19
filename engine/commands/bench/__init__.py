"""`bench`: measure. A number searches fixed positions that deep, and the node count signs a version of the search;
other words measure speed, threads, the tree searches, the move generator, the start, the machine code of the package,
or the network's evaluation.
"""

from __future__ import annotations

import argparse

from engine.commands.shared.arguments import DEEPEST_SEARCH, add_hash, add_threads, milliseconds, positive
from engine.core.errors import InputError, quote

_BENCH_DEPTH = 12
_KINDS = ("speed", "threads", "trees", "perft", "startup", "shipped", "network")
_WITH_RIVAL = ("speed", "perft")
_MOVETIME = 500


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", nargs="?", default=str(_BENCH_DEPTH), metavar="|".join(("DEPTH", *_KINDS)),
                        help=f"what to measure; a number is the depth of the search (default {_BENCH_DEPTH})")
    parser.add_argument("--against", metavar="ENGINE", help="speed, perft: a UCI engine to measure in the same run")
    parser.add_argument("--runs", type=positive, default=3, metavar="N",
                        help="perft, startup, shipped, network: how often (default 3)")
    add_threads(parser)
    add_hash(parser)
    parser.add_argument("--movetime", type=milliseconds, default=_MOVETIME, metavar="MS",
                        help=f"speed, threads, trees, network: milliseconds per position (default {_MOVETIME})")
    parser.add_argument("--network", metavar="FILE", help="network: the one to measure (default: the built-in one)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    from engine.host import run_interruptible

    if arguments.what not in _WITH_RIVAL and arguments.against is not None:
        raise InputError("--against goes with 'bench speed' and 'bench perft' only")
    if arguments.what != "network" and arguments.network is not None:
        raise InputError("--network goes with 'bench network' only")
    depth = None if arguments.what in _KINDS else _read_depth(arguments.what)
    if arguments.what == "startup":
        from engine.commands.bench.startup import print_startup

        return print_startup(arguments.runs)
    if arguments.what == "shipped":
        from engine.commands.bench.shipped import print_shipped

        return print_shipped(arguments.runs, _BENCH_DEPTH)
    return run_interruptible(lambda: _measure(arguments, depth))


def _read_depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= DEEPEST_SEARCH):
        raise InputError(f"bench knows {', '.join(_KINDS)} or a depth from 1 to {DEEPEST_SEARCH}, not {quote(text)}")
    return int(text)


def _measure(arguments: argparse.Namespace, depth: int | None) -> int:
    from engine.commands.bench import perft, speed, trees
    from engine.commands.bench.signature import print_signature

    movetime = arguments.movetime / 1000
    if depth is not None:
        return print_signature(depth, arguments.threads, arguments.hash)
    if arguments.what == "network":
        from engine.commands.bench.network import print_network

        return print_network(arguments.network, arguments.runs, movetime)
    if arguments.what == "trees":
        return trees.print_trees(movetime, max(arguments.threads, 2), arguments.hash)
    if arguments.what == "threads":
        return speed.print_threads(movetime, arguments.threads, arguments.hash)
    if arguments.what == "speed":
        return speed.print_speed(movetime, arguments.threads, arguments.hash, arguments.against)
    return perft.print_perft(arguments.runs, arguments.against)
