"""`tablebase build | probe | stats | verify | speed | clock`: make endgame tables, look into them, and measure them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

from engine.commands.shared.arguments import (
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
from engine.commands.shared.output import add_json
from engine.commands.shared.progress import progress_bar
from engine.system.host import usable_cores

_MEN = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    build = kinds.add_parser("build", help="make tables, with all that they need")
    build.add_argument("endings", nargs="*", type=text, metavar="ENDING", help="such as KQvKR (default: all of --men)")
    conflicts_with(build.add_argument("--men", type=IntRange(3, 5), default=_MEN, metavar="N",
                                      help=f"all endings with up to this many men, 3 to 5 (default {_MEN})"), "endings")
    build.add_argument("--out", type=OutputFolder(), default=Path("tables"), metavar="DIR",
                       help="where they are made; what is there is not made again (default: tables)")
    add_threads(build, usable_cores(), ", all cores")
    probe = kinds.add_parser("probe", help="who wins a position, how soon, and by which moves")
    probe.add_argument("position", nargs="+", type=text, metavar="FEN",
                       help="the position: a FEN, quoted or not; then maybe `moves Kb1 ...`")
    add_json(probe, "one object with all moves")
    stats = kinds.add_parser("stats", help="what the tables hold")
    add_json(stats, "one object for each ending and side to move")
    check = kinds.add_parser("verify", help="whether the files are sound, and agree with Syzygy's")
    check.add_argument("--syzygy", type=folder, metavar="DIR", help="a folder with Syzygy tables")
    requires_option(check.add_argument("--positions", type=positive, default=20_000, metavar="N",
                                       help="compared (default 20000)"), "--syzygy")
    requires_option(add_seed(check, "the positions"), "--syzygy")
    speed = kinds.add_parser("speed", help="how long a lookup takes in the kernel, and what it costs a search")
    speed.add_argument("--syzygy", type=folder, metavar="DIR", help="a folder with Syzygy tables, to measure them too")
    clock = kinds.add_parser("clock", help="how long an answer takes with few men, beside the time it was given")
    clock.add_argument("--positions", type=positive, default=100, metavar="N",
                       help="for each control and number of men (default 100)")
    clock.add_argument("--syzygy", type=folder, metavar="DIR", help="answer by Syzygy tables instead of our own")
    add_seed(clock, "the positions")
    for kind in (probe, stats, check, speed):
        kind.add_argument("--tables", type=folder, metavar="DIR", help="made by build (default: the built-in ones)")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked, and return the exit status."""
    kinds: dict[str, Callable[[argparse.Namespace], int]] = {
        "build": _build, "probe": _probe, "stats": _stats, "verify": _verify, "speed": _speed,
        "clock": _clock}
    return kinds[arguments.kind](arguments)


def _build(arguments: argparse.Namespace) -> int:
    from tablebase.generator.builder import TableBuilder
    from tablebase.material import Ending, all_endings, parse_ending

    endings = [parse_ending(name) for name in arguments.endings]
    endings = endings or [ending for men in range(3, arguments.men + 1) for ending in all_endings(men)]
    workshop = TableBuilder(arguments.out, arguments.threads)
    total = 0.0
    with progress_bar(None) as show:
        def report(ending: Ending, what: str) -> None:
            show(0, f"{ending.name}: {what}")

        for ending, seconds in workshop.generate(endings, report):
            total += seconds
            print(f"{ending.name}: {seconds:.1f} s CPU, every position checked", flush=True)
        print(f"{total:.1f} s CPU in all", flush=True)
        what = " ".join(arguments.endings) or f"--men {arguments.men}"
        provenance = f"adversary tablebase build {what}, {date.today()}"  # noqa: DTZ011  the user's day
        for path in workshop.pack(endings, provenance, report):
            print(f"{path}: {path.stat().st_size} bytes")
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
    from engine.commands.tablebase.verify import verify

    return verify(_folders(arguments), arguments.syzygy, arguments.positions, arguments.seed)


def _speed(arguments: argparse.Namespace) -> int:
    from engine.commands.tablebase.report import print_speed

    print_speed(_folders(arguments), arguments.syzygy)
    return 0


def _clock(arguments: argparse.Namespace) -> int:
    from engine.commands.tablebase.latency import print_answers

    print_answers(arguments.syzygy, arguments.positions, arguments.seed)
    return 0


def _folders(arguments: argparse.Namespace) -> list[Path]:
    from tablebase.tables import BUILT_IN

    return [BUILT_IN] if arguments.tables is None else [arguments.tables]
