"""`compare position`: search the same positions by minimax, alpha-beta, and each further technique, one by one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from engine.cli.arguments import (
    add_hash,
    conflicts_with,
    in_file,
    milliseconds,
    plies,
    positive,
    requires_option,
    text,
)
from engine.cli.output import add_json, print_object, print_warning
from engine.cli.progress import map_with_progress
from engine.core.game import Game
from engine.lab.compare.plots import add_plots, print_files
from engine.lab.compare.report import (
    PositionResult,
    VariantResults,
    objects_of,
    print_nodes_by_depth,
    print_rows,
    save_plots,
)
from engine.lab.compare.variants import SearchVariant, alphabeta_variants, tree_variants
from engine.lab.suites.problems import Problem, read_problems
from engine.search.types import Limits
from engine.system.errors import InputError
from engine.text.notation import parse_position

_LINES_SKIPPED = 1
_SHARP_FEN = "r1bqk2r/1p1nppbp/p2p1n2/3P2B1/5P2/2NQ1NPP/PPP5/2K1RB1R b kq - 1 13"  # of the bench
_DEPTH = 7
_SUITE_TIME = 100  # milliseconds
_GIVE_UP = 2500  # milliseconds: so that all rows take less than a minute


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--fen", type=text, metavar="FEN",
                       help="the position: a FEN, quoted or not, or `startpos` (default: a sharp one)")
    where.add_argument("--suite", type=in_file, metavar="FILE.epd", help="positions with bm, am, dm or ce")
    requires_option(parser.add_argument("--first", type=positive, metavar="N", help="only the first N of the suite"),
                    "--suite")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--depth", type=plies, metavar="D", help=f"plies to search (default {_DEPTH})")
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help="nodes for every variant: positions, in playouts and searches of leaves too")
    limits.add_argument("--time", type=milliseconds, metavar="MS",
                        help=f"milliseconds for every variant (default with --suite: {_SUITE_TIME})")
    conflicts_with(parser.add_argument("--give-up", type=milliseconds, default=_GIVE_UP, metavar="MS",
                                       help="with a depth: stop after MS milliseconds per position "
                                       f"(default {_GIVE_UP})"), "--nodes", "--time")
    add_hash(parser)
    add_json(parser, "one object for each variant and position")
    add_plots(parser, "nodes by depth and solved by time")


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit status."""
    problems, warnings = _problems(arguments)
    games = [Game(problem.fen) for problem in problems] or [parse_position(arguments.fen or _SHARP_FEN)]
    for game in games:
        if not game.legal_moves():
            raise InputError(f"no move to search in {game.fen()}: the game is over")
    for warning in warnings:
        print_warning(f"skipped {warning}")
    limits = _limits(arguments)
    rows = _search(games, problems, limits, arguments.hash)
    if rows and arguments.json:
        for fields in objects_of(rows, limits):
            print_object(fields)
    elif rows:
        _print_tables(rows, limits)
    if rows and arguments.plots is not None:
        print_files(save_plots(rows, arguments.plots), arguments)
    return _LINES_SKIPPED if warnings else 0


def _problems(arguments: argparse.Namespace) -> tuple[list[Problem], list[str]]:
    """(the problems of the suite, warnings about bad lines); both empty without a suite."""
    if arguments.suite is None:
        return [], []
    problems, warnings = read_problems(arguments.suite)
    if not problems:
        raise InputError(f"suite {arguments.suite} contains no positions")
    return problems[: arguments.first], warnings


def _limits(arguments: argparse.Namespace) -> Limits:
    if arguments.nodes:
        return Limits(nodes=arguments.nodes)
    if arguments.time or (arguments.suite and not arguments.depth):
        return Limits(movetime=(arguments.time or _SUITE_TIME) / 1000)
    return Limits(depth=arguments.depth or _DEPTH, movetime=arguments.give_up / 1000)


def _search(games: Sequence[Game], problems: Sequence[Problem], limits: Limits, megabytes: int) -> list[VariantResults]:
    """Search all positions by all variants; after an interruption, those that were done."""
    variants = [*alphabeta_variants(megabytes), *tree_variants(megabytes)]
    tasks = [(variant, number) for variant in variants for number in range(len(games))]

    def measure(task: tuple[SearchVariant, int]) -> tuple[str, PositionResult]:
        variant, number = task
        outcome = variant.search(games[number].position, limits)
        return variant.name, PositionResult(games[number], outcome, problems[number] if problems else None)

    trials: dict[str, list[PositionResult]] = {}
    for name, trial in map_with_progress(tasks, measure, lambda task: f"{task[0].name}, position {task[1] + 1}"):
        trials.setdefault(name, []).append(trial)
    return [VariantResults(name, tuple(results)) for name, results in trials.items()]


def _print_tables(rows: Sequence[VariantResults], limits: Limits) -> None:
    is_suite = rows[0].trials[0].problem is not None
    if not is_suite:
        print(rows[0].trials[0].game.fen())
    print_rows(rows, limits)
    if not is_suite:
        print()
        print_nodes_by_depth(rows)
