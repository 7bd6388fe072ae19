"""`tablebase build | probe | stats | verify | speed | latency`: build, probe, check and measure endgame tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

from engine.cli.arguments import (
    IntRange,
    OutputFolder,
    add_seed,
    add_threads,
    conflicts_with,
    folder,
    positive,
    requires_option,
    text,
)
from engine.cli.output import add_json
from engine.cli.progress import progress_bar
from engine.system.host import usable_cores

_PIECES = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = actions.add_parser("build", help="build tables, and the tables that they depend on")
    build.add_argument("endings", nargs="*", type=text, metavar="ENDING",
                       help="such as KQvKR (default: all of --pieces)")
    conflicts_with(build.add_argument("--pieces", type=IntRange(3, 5), default=_PIECES, metavar="N",
                                      help=f"all endings with up to N pieces, 3 to 5 (default {_PIECES})"), "endings")
    build.add_argument("--out", type=OutputFolder(), default=Path("tables"), metavar="DIR",
                       help="the folder; tables already there are kept (default: tables)")
    add_threads(build, usable_cores(), ", all cores")
    probe = actions.add_parser("probe", help="show who wins a position, how soon, and by which moves")
    probe.add_argument("position", nargs="+", type=text, metavar="FEN",
                       help="the position: a FEN, quoted or not; optionally followed by `moves Kb1 ...`")
    add_json(probe, "one object with all moves")
    stats = actions.add_parser("stats", help="show the contents of the tables")
    add_json(stats, "one object for each ending and side to move")
    check = actions.add_parser("verify", help="check that the files are sound and agree with Syzygy's")
    check.add_argument("--syzygy", type=folder, metavar="DIR", help="a folder with Syzygy tables")
    requires_option(check.add_argument("--positions", type=positive, default=20_000, metavar="N",
                                       help="random positions to compare (default 20000)"), "--syzygy")
    requires_option(add_seed(check, "the positions"), "--syzygy")
    speed = actions.add_parser("speed", help="measure how long a probe takes, and what it costs a search")
    speed.add_argument("--syzygy", type=folder, metavar="DIR", help="a folder with Syzygy tables, to measure as well")
    latency = actions.add_parser("latency", help="measure how long an answer takes with few pieces, compared with the "
                                 "time available")
    latency.add_argument("--positions", type=positive, default=100, metavar="N",
                         help="positions for each time control and piece count (default 100)")
    latency.add_argument("--syzygy", type=folder, metavar="DIR", help="use Syzygy tables instead of the engine's own")
    add_seed(latency, "the positions")
    for action in (probe, stats, check, speed):
        action.add_argument("--tables", type=folder, metavar="DIR", help="made by build (default: the built-in ones)")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action and return the exit status."""
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "build": _build, "probe": _probe, "stats": _stats, "verify": _verify, "speed": _speed,
        "latency": _latency}
    return actions[arguments.action](arguments)


def _build(arguments: argparse.Namespace) -> int:
    from tablebase.generator.builder import VALUES, TableBuilder
    from tablebase.material import Ending, all_endings, parse_ending

    endings = [parse_ending(name) for name in arguments.endings]
    endings = endings or [ending for pieces in range(3, arguments.pieces + 1) for ending in all_endings(pieces)]
    builder = TableBuilder(arguments.out, arguments.threads)
    total = 0.0
    with progress_bar(None) as show:
        def report(ending: Ending, step: str) -> None:
            show(0, f"{ending.name}: {step}")

        for ending, seconds in builder.generate(endings, report):
            total += seconds
            print(f"{ending.name}: {seconds:.1f} s CPU, every position checked", flush=True)
        print(f"{total:.1f} s CPU in total", flush=True)
        built = " ".join(arguments.endings) or f"--pieces {arguments.pieces}"
        provenance = f"adversary tablebase build {built}, {date.today()}"  # noqa: DTZ011  the user's date
        for path in builder.pack(endings, provenance, report):
            print(f"{path}: {path.stat().st_size} bytes")
    print(f"{arguments.out / VALUES} lets other builds continue from these; it may be deleted")
    return 0


def _probe(arguments: argparse.Namespace) -> int:
    from engine.commands.tablebase.report import print_verdicts
    from engine.text.notation import parse_position

    print_verdicts(parse_position(" ".join(arguments.position)), _folders(arguments), arguments.json)
    return 0


def _stats(arguments: argparse.Namespace) -> int:
    from engine.commands.tablebase.report import print_stats

    print_stats(_folders(arguments), arguments.json)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from engine.lab.tablebase.verify import verify

    return verify(_folders(arguments), arguments.syzygy, arguments.positions, arguments.seed)


def _speed(arguments: argparse.Namespace) -> int:
    from engine.lab.tablebase.speed import print_speed

    print_speed(_folders(arguments), arguments.syzygy)
    return 0


def _latency(arguments: argparse.Namespace) -> int:
    from engine.lab.tablebase.latency import print_latencies

    print_latencies(arguments.syzygy, arguments.positions, arguments.seed)
    return 0


def _folders(arguments: argparse.Namespace) -> list[Path]:
    from tablebase.tables import BUILT_IN

    return [BUILT_IN] if arguments.tables is None else [arguments.tables]
