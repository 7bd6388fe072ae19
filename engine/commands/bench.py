"""`bench [DEPTH]`: search fixed positions to a fixed depth; the node count is the signature of the search.

`bench speed` and its siblings measure the speed of the search, the tree searches, the move generator, the start, the
shipped machine code, the network and the policy.
"""

from __future__ import annotations

import argparse

from engine.cli.arguments import (
    DEEPEST_SEARCH,
    add_hash,
    add_threads,
    conflicts_with,
    in_file,
    milliseconds,
    positive,
    requires_option,
    text,
)
from engine.cli.output import add_json
from engine.system.errors import InputError, quote

_BENCH_DEPTH = 12
_BENCHMARKS = ("speed", "threads", "trees", "perft", "startup", "shipped", "network", "policy")
_WITH_REFERENCE, _WITH_RUNS = ("speed", "perft"), ("perft", "startup", "shipped", "network", "policy")
_TIMED = ("speed", "threads", "trees", "network")
_MOVETIME = 500
_RUNS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", nargs="?", type=text, default=str(_BENCH_DEPTH),
                        metavar="|".join(("DEPTH", *_BENCHMARKS)),
                        help=f"what to measure; a number is a search depth (default {_BENCH_DEPTH})")
    conflicts_with(parser.add_argument("--against", type=text, metavar="ENGINE",
                                       help="speed, perft, --statistics: a UCI engine to measure in the same run"),
                   "what", among=[word for word in _BENCHMARKS if word not in _WITH_REFERENCE])
    conflicts_with(parser.add_argument("--statistics", action="store_true",
                                       help="DEPTH: nodes, branching and selective depth of each iteration, and how "
                                       "often first moves cut off, reduced searches are repeated and the TT hits"),
                   "what", among=_BENCHMARKS)
    requires_option(parser.add_argument("--runs", type=positive, metavar="N", help="perft, startup, shipped, network, "
                                        f"policy: number of runs (default {_RUNS})"), "what", among=_WITH_RUNS)
    for action in (add_threads(parser), add_hash(parser)):
        conflicts_with(action, "what", among=_WITH_RUNS)
    requires_option(parser.add_argument("--movetime", type=milliseconds, metavar="MS",
                                        help="speed, threads, trees, network: "
                                        f"milliseconds per position (default {_MOVETIME})"), "what", among=_TIMED)
    requires_option(parser.add_argument("--network", type=text, metavar="FILE",
                                        help="network: the one to measure (default: the built-in one)"),
                    "what", among=("network",))
    requires_option(parser.add_argument("--policy", type=in_file, metavar="FILE",
                                        help="policy: the one to measure (default: the built-in one)"),
                    "what", among=("policy",))
    conflicts_with(parser.add_argument("--config", type=text, default="default", metavar="CONFIG",
                                       help="DEPTH: the config to search with, as in `match`: NAME=VALUE,..., "
                                       "`features`, a .network or .json file"), "what", among=_BENCHMARKS)
    add_json(parser, "one object per measurement, and a total")


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    depth = None if arguments.what in _BENCHMARKS else _read_depth(arguments.what)
    if depth is not None and arguments.against is not None and not arguments.statistics:
        raise InputError("--against requires speed, perft or --statistics")
    if arguments.what == "startup":
        from engine.lab.bench.startup import print_startup

        return print_startup(arguments.runs or _RUNS, arguments.json)
    if arguments.what == "shipped":
        from engine.lab.bench.shipped import print_shipped

        return print_shipped(arguments.runs or _RUNS, _BENCH_DEPTH, arguments.json)
    return _measure(arguments, depth)


def _read_depth(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 4 and 1 <= int(word) <= DEEPEST_SEARCH):
        raise InputError(f"bench must be {', '.join(_BENCHMARKS)} or a depth from 1 to {DEEPEST_SEARCH}, "
                         f"got {quote(word)}")
    return int(word)


def _measure(arguments: argparse.Namespace, depth: int | None) -> int:
    from engine.lab.arena.configs import parse_alphabeta_config
    from engine.lab.bench import perft, speed
    from engine.lab.bench.speed import print_signature

    movetime, as_json = (arguments.movetime or _MOVETIME) / 1000, arguments.json
    config = parse_alphabeta_config(arguments.config)
    if depth is not None and arguments.statistics:
        from engine.lab.bench.statistics import print_statistics

        return print_statistics(depth, arguments.hash, config, arguments.against, as_json)
    if depth is not None:
        return print_signature(depth, arguments.threads, arguments.hash, config, as_json)
    if arguments.what == "network":
        from engine.lab.bench.models import print_network

        return print_network(arguments.network, arguments.runs or _RUNS, movetime, as_json)
    if arguments.what == "policy":
        from engine.lab.bench.models import print_policy

        return print_policy(arguments.policy, arguments.runs or _RUNS, as_json)
    if arguments.what == "trees":
        return speed.print_trees(movetime, max(arguments.threads, 2), arguments.hash, as_json)
    if arguments.what == "threads":
        return speed.print_threads(movetime, arguments.threads, arguments.hash, as_json)
    if arguments.what == "speed":
        return speed.print_speed(movetime, arguments.threads, arguments.hash, arguments.against, as_json)
    return perft.print_perft(arguments.runs or _RUNS, arguments.against, as_json)
