"""`compare levels ENGINE`: the arguments, and what is printed of the measurement."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from engine.cli.arguments import IntRange, OutputFile, add_concurrency, option_range, positive, text
from engine.cli.output import add_json, print_object
from engine.cli.tables import print_table
from engine.lab.compare import level_match, likeness
from engine.lab.compare.level_games import PlayedLevelGame
from engine.lab.compare.plots import add_plots, save_and_print
from engine.system.files import begins_with

_GAMES = 20
_JUDGED = 100  # moves of each level
_HAS_FORFEITS = 1  # exit status


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("engine", type=text, metavar="ENGINE", help="the command of a UCI engine whose strength can be limited; "
        f"all play at {level_match.CLOCK_TEXT}")
    add("--level", type=option_range("UCI_Elo"), action="append", metavar="ELO",
        help="measure this level; may be repeated (default: every 200)")
    add("--games", type=positive, default=_GAMES, metavar="N", help=f"games of each pairing (default {_GAMES})")
    add("--pgn", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE",
        help="append the games to this file; those in it count and are not played again unless they were forfeited")
    add("--likeness", nargs="?", type=IntRange(0), const=_JUDGED, metavar="N",
        help="also count what people do and do not do, and let the engine judge N moves of each level "
        f"(default {_JUDGED})")
    add_concurrency(parser)
    add_json(parser, "one object for each level")
    add_plots(parser, "Elo by level")


def run(arguments: argparse.Namespace) -> int:
    """Play, print, and return the exit status: 1 if a game was forfeited."""
    match = level_match.LevelMatch(tuple(sorted(set(arguments.level or level_match.LEVELS))), arguments.engine,
                                   arguments.games, width=arguments.concurrency or 0)
    games = level_match.play_levels(match, arguments.pgn, lambda line: print(line, file=sys.stderr, flush=True))
    rows = level_match.rows_of(games, match) if games else []
    if not rows:
        return 0
    if arguments.json:
        for row in rows:
            print_object({**asdict(row), "clock": level_match.CLOCK_TEXT})
    else:
        print_table(level_match.HEADINGS, [row.texts() for row in rows])
        print("Elo on the scale of the engine's UCI_Elo, with 95 % errors; all games begin at the starting position, "
              f"between processes at {level_match.CLOCK_TEXT} with their default options")
    save_and_print(arguments, "levels", ("level", "Elo"), level_match.curves(rows), errors=level_match.errors(rows),
                   title="Measured Elo by level, with 95 % errors")
    if arguments.likeness is not None:
        _show_likeness(games, [row.level for row in rows], arguments)
    return _HAS_FORFEITS if any(row.forfeits for row in rows) else 0


def _show_likeness(games: Sequence[PlayedLevelGame], levels: Sequence[int], arguments: argparse.Namespace) -> None:
    by_level = {}
    for level in levels:
        sides = list(likeness.sides_of(games, level_match.level_name(level)))
        by_level[level] = likeness.count_likeness(sides)
        if arguments.likeness:
            likeness.judge_moves(by_level[level], sides, arguments.engine, arguments.likeness)
    if arguments.json:
        for level, counts in by_level.items():
            print_object({"level": level, **asdict(counts)})
    else:
        print()
        print_table(likeness.HEADINGS, [counts.texts(level) for level, counts in by_level.items()])
