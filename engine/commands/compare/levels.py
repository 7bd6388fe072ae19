"""`compare --levels ENGINE`: the arguments, and what is printed of the measurement."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.commands.compare import level_match, likeness
from engine.commands.compare.level_games import PlayedLevelGame
from engine.commands.compare.report import save
from engine.commands.shared.arguments import IntRange, OutputFile, option_range, requires_option
from engine.commands.shared.output import print_object
from engine.commands.shared.tables import print_table
from engine.system.files import begins_with

GAMES = 20
_JUDGED = 100  # moves of each level
_HAS_FORFEITS = 1  # exit status


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `--levels` alone."""
    add = parser.add_argument
    for action in (
            add("--level", type=option_range("UCI_Elo"), action="append", metavar="ELO",
                help="with --levels: measure this level; may be repeated (default: every 200)"),
            add("--pgn", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE",
                help="with --levels: append the games to this file; those in it count and are not played again"),
            add("--likeness", nargs="?", type=IntRange(0), const=_JUDGED, metavar="N",
                help="with --levels: also count what people do and do not do, and let the engine judge N moves of each "
                f"level (default {_JUDGED})")):
        requires_option(action, "--levels")


def run(arguments: argparse.Namespace, show_files: Callable[[Iterable[Path], argparse.Namespace], None]) -> int:
    """Play, print, and return the exit status: 1 if a game was forfeited."""
    match = level_match.LevelMatch(tuple(sorted(set(arguments.level or level_match.LEVELS))), arguments.levels,
                                   arguments.games or GAMES, width=arguments.concurrency or 0)
    games = level_match.play_levels(match, arguments.pgn, lambda text: print(text, file=sys.stderr, flush=True))
    rows = level_match.rows_of(games, match) if games else []
    if arguments.json:
        for row in rows:
            print_object(asdict(row))
    elif rows:
        print_table(level_match.HEADINGS, [row.texts() for row in rows])
        print("Elo on the scale of the engine's UCI_Elo, with 95 % errors; all games begin at the starting position")
    if rows and arguments.plots is not None:
        show_files(save(arguments.plots / "levels", ("level", "Elo"), level_match.curves(rows),
                        errors=level_match.errors(rows), title="Measured Elo by level, with 95 % errors"), arguments)
    if rows and arguments.likeness is not None:
        _show_likeness(games, [row.level for row in rows], arguments)
    return _HAS_FORFEITS if any(row.forfeits for row in rows) else 0


def _show_likeness(games: Sequence[PlayedLevelGame], levels: Sequence[int], arguments: argparse.Namespace) -> None:
    found = {}
    for level in levels:
        sides = list(likeness.sides_of(games, level_match.level_name(level)))
        found[level] = likeness.count_likeness(sides)
        if arguments.likeness:
            likeness.judge_moves(found[level], sides, arguments.levels, arguments.likeness)
    if arguments.json:
        for level, counts in found.items():
            print_object({"level": level, **asdict(counts)})
    else:
        print()
        print_table(likeness.HEADINGS, [counts.texts(level) for level, counts in found.items()])
