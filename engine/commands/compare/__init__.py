"""`compare`: search the same positions by minimax, alpha-beta, and each further technique, added one by one.

`compare --bound` measures how close alpha-beta comes to the leaves of perfect move ordering; with `--tournament` all
modes play each other, with equal CPU time or equal nodes; `--evaluations` measures how much the evaluator matters at
each depth; `--levels` measures how strong the levels are on the scale of another engine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.commands.compare import bound, levels, standings, tournament
from engine.commands.compare.contestants import MODE_NAMES, MoveBudget, parse_contestants
from engine.commands.compare.report import (
    PLOT_FORMATS,
    PositionResult,
    VariantResults,
    objects_of,
    print_nodes_by_depth,
    print_rows,
    save,
    save_plots,
)
from engine.commands.compare.variants import SearchVariant, alphabeta_variants, tree_variants
from engine.commands.shared.arguments import (
    IntList,
    OutputFile,
    OutputFolder,
    add_concurrency,
    add_hash,
    add_seed,
    conflicts_with,
    in_file,
    milliseconds,
    plies,
    positive,
    requires_option,
    text,
)
from engine.commands.shared.bench_positions import BENCH_FENS
from engine.commands.shared.output import add_json, pluralize, print_object, print_warning
from engine.commands.shared.plots import check_plot
from engine.commands.shared.progress import map_with_progress
from engine.commands.shared.suites import Problem, read_problems
from engine.commands.shared.tables import print_table
from engine.core.game import Game
from engine.mcts.params import LADDER
from engine.search.types import Limits
from engine.system.errors import InputError
from engine.system.files import create_folder
from engine.text.notation import parse_position

_LINES_SKIPPED = 1
_HAS_FORFEITS = 1
_SHARP_FEN = "r1bqk2r/1p1nppbp/p2p1n2/3P2B1/5P2/2NQ1NPP/PPP5/2K1RB1R b kq - 1 13"  # of the bench
_DEPTH = 7
_SUITE_TIME = 100  # milliseconds
_MOVE_TIME = 100  # milliseconds, in a tournament
_GAMES = 2  # of each pairing, in a tournament
_EVALUATION_GAMES = 40
_PLAYED = ("--tournament", "--evaluations", "--levels")
_GIVE_UP = 2500  # milliseconds: so that all rows take less than a minute
_BOUND_GIVE_UP = 20_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--fen", type=text, metavar="FEN",
                       help="the position: a FEN, quoted or not, or `startpos` (default: a sharp one)")
    where.add_argument("--suite", type=in_file, metavar="FILE.epd", help="positions with bm, am, dm or ce")
    where.add_argument("--bound", action="store_true", help="instead: alpha-beta's leaves compared with 2 b^(d/2), "
                       "about what perfect move ordering visits")
    where.add_argument("--tournament", action="store_true", help="instead: all modes play each other with equal CPU "
                       "time or nodes")
    where.add_argument("--evaluations", action="store_true", help="instead: Elo by depth with richer and poorer "
                       "evaluations")
    where.add_argument("--levels", type=text, metavar="ENGINE", help="instead: the Elo of each level on the scale of "
                       "this engine's UCI_Elo, by one fit over all games")
    levels.configure(parser)
    limits = parser.add_mutually_exclusive_group()
    depth = limits.add_argument("--depth", type=plies, metavar="D",
                                help=f"plies to search (default {_DEPTH}, with --bound {bound.LAST_DEPTH})")
    nodes = limits.add_argument("--nodes", type=IntList(positive), metavar="N[,N...]",
                                help="nodes for every variant: positions, in playouts and searches of leaves too; "
                                "with --tournament for every move, and there may be several")
    time = limits.add_argument("--time", type=IntList(milliseconds), metavar="MS[,MS...]",
                               help=f"milliseconds for every variant (default with --suite: {_SUITE_TIME}); with "
                               f"--tournament CPU time for every move (default {_MOVE_TIME}), and there may be several")
    give_up = parser.add_argument("--give-up", type=milliseconds, metavar="MS", help="with a depth: stop after MS "
                                  "milliseconds per position "
                                  f"(default {_GIVE_UP}, with --bound {_BOUND_GIVE_UP})")
    requires_option(parser.add_argument("--games", type=positive, metavar="N",
                                        help="with --tournament, --evaluations and --levels: games of each pairing "
                                       f"(default {_GAMES}, {_EVALUATION_GAMES} and {levels.GAMES})"), *_PLAYED)
    _configure_tournament(parser)
    requires_option(add_concurrency(parser, "the number of cores; with --tournament, --evaluations and --levels"),
                    *_PLAYED)
    requires_option(parser.add_argument("--full-width", action="store_true",
                                        help="with --evaluations: search every move to the full depth"),
                    "--evaluations")
    requires_option(parser.add_argument("--first", type=positive, metavar="N",
                                        help="with --suite: only the first N positions"), "--suite")
    requires_option(parser.add_argument("--positions", type=positive, metavar="N",
                                        help="with --bound: only the first N of the bench positions"), "--bound")
    add_json(parser, "one object for each variant and position, with --bound for each position and depth, with "
                     "--levels for each level, and with --tournament and --evaluations for each pairing and rating")
    plots = parser.add_argument("--plots", type=OutputFolder(), metavar="DIR",
                                help="draw nodes by depth, solved by time, or Elo by depth, budget or level, as "
                                f"{' and '.join(PLOT_FORMATS)}; needs the extra `lab`")
    for action in (give_up, add_hash(parser)):
        conflicts_with(action, *_PLAYED)
    conflicts_with(depth, "--tournament")
    for action in (depth, nodes, time):
        conflicts_with(action, "--levels")
    for action in (nodes, time, plots):
        conflicts_with(action, "--bound")
    for action in (nodes, time):
        conflicts_with(action, "--evaluations")
    conflicts_with(give_up, "--nodes", "--time")


def _configure_tournament(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `--tournament` alone."""
    add = parser.add_argument
    player = add("--player", action="append", type=text, default=[], metavar="PLAYER",
                 help="with --tournament: a mode, or a config as in `match`; may be repeated (default: all modes)")
    conflicts_with(player, "--ladder")
    for action in (
            player,
            add("--ladder", action="store_true", help="with --tournament: the family of tree searches, from pure Monte "
                "Carlo to today's, each of which adds an idea"),
            add("--network", type=text, metavar="FILE", help="with --tournament: what all evaluate with, a network "
                "file or `features`"),
            add("--openings", type=in_file, metavar="FILE",
                help="with --tournament: EPD or PGN, also compressed (default: random openings)"),
            add("--out", type=OutputFile("tournament", tournament.FORMAT.is_ours), metavar="FILE",
                help="with --tournament: keep the results, written as games end; if the file exists, its tournament is "
                "continued"),
            add_seed(parser, "with --tournament: openings and random numbers")):
        requires_option(action, "--tournament")


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit status."""
    _check(arguments)
    if arguments.bound:
        return _compare_with_bound(arguments)
    if arguments.tournament:
        return _run_tournament(arguments)
    if arguments.evaluations:
        return _rate_evaluations(arguments)
    if arguments.levels:
        return levels.run(arguments, _print_files)
    problems, warnings = _problems(arguments)
    games = [Game(problem.fen) for problem in problems] or [parse_position(arguments.fen or _SHARP_FEN)]
    for game in games:
        if not game.legal_moves():
            raise InputError(f"no move to search in {game.fen()}: the game is over")
    for warning in warnings:
        print_warning(f"skipped {warning}")
    _compare(games, problems, arguments)
    return _LINES_SKIPPED if warnings else 0


def _check(arguments: argparse.Namespace) -> None:
    """InputError if the arguments are invalid, before any work is done."""
    for name in ("nodes", "time"):
        if len(getattr(arguments, name) or ()) > 1 and not arguments.tournament:
            raise InputError(f"several values of --{name} require --tournament")
    if arguments.plots is not None:
        create_folder(arguments.plots)
        check_plot(arguments.plots / f"nodes.{PLOT_FORMATS[0]}")


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
        return Limits(nodes=arguments.nodes[0])
    if arguments.time or (arguments.suite and not arguments.depth):
        return Limits(movetime=(arguments.time[0] if arguments.time else _SUITE_TIME) / 1000)
    return Limits(depth=arguments.depth or _DEPTH, movetime=(arguments.give_up or _GIVE_UP) / 1000)


def _compare(games: Sequence[Game], problems: Sequence[Problem], arguments: argparse.Namespace) -> None:
    """Search all positions by all variants, and print the results."""
    limits = _limits(arguments)
    variants = [*alphabeta_variants(arguments.hash), *tree_variants(arguments.hash)]
    tasks = [(variant, number) for variant in variants for number in range(len(games))]

    def measure(task: tuple[SearchVariant, int]) -> tuple[str, PositionResult]:
        variant, number = task
        outcome = variant.search(games[number].position, limits)
        return variant.name, PositionResult(games[number], outcome, problems[number] if problems else None)

    trials: dict[str, list[PositionResult]] = {}
    for name, trial in map_with_progress(tasks, measure, lambda task: _describe(*task)):
        trials.setdefault(name, []).append(trial)
    if trials:
        _show([VariantResults(name, tuple(results)) for name, results in trials.items()], limits, arguments)


def _show(rows: Sequence[VariantResults], limits: Limits, arguments: argparse.Namespace) -> None:
    """Print the results, and draw them with --plots."""
    if arguments.json:
        for fields in objects_of(rows, limits):
            print_object(fields)
    else:
        _print_tables(rows, limits)
    if arguments.plots is not None:
        _print_files(save_plots(rows, arguments.plots), arguments)


def _print_tables(rows: Sequence[VariantResults], limits: Limits) -> None:
    is_suite = rows[0].trials[0].problem is not None
    if not is_suite:
        print(rows[0].trials[0].game.fen())
    print_rows(rows, limits)
    if not is_suite:
        print()
        print_nodes_by_depth(rows)


def _print_files(files: Iterable[Path], arguments: argparse.Namespace) -> None:
    """Print the names of the files that were written."""
    for file in files:
        print(file, file=sys.stderr if arguments.json else sys.stdout)


def _describe(variant: SearchVariant, number: int) -> str:
    return f"{variant.name}, position {number + 1}"


def _compare_with_bound(arguments: argparse.Namespace) -> int:
    depth = arguments.depth or bound.LAST_DEPTH
    if depth < bound.FIRST_DEPTH:
        raise InputError(f"--bound requires a --depth of at least {bound.FIRST_DEPTH}, got {depth}")
    counts = bound.measure(arguments.positions or len(BENCH_FENS), depth, arguments.hash,
                           (arguments.give_up or _BOUND_GIVE_UP) / 1000)
    if arguments.json:
        for count in counts:
            print_object({**asdict(count), "ratio": count.ratio})
    elif counts:
        print_table(bound.HEADINGS, bound.rows(counts))
        print("medians over the positions; ratio: leaves of the iteration to 2 b^(d/2), the median, over all positions "
              "together, and the worst")
        if any(count.ratio < 1 for count in counts):
            print("a ratio below 1 is no error: 2 b^(d/2) is for a tree with the same number of moves everywhere, and "
                  "the transposition table visits a position once that a tree contains several times")
        if not bound.is_complete(counts):
            print("not all positions reached the last depth in time; rows with fewer positions have the easier ones")
    return 0


def _run_tournament(arguments: argparse.Namespace) -> int:
    planned = _tournament(arguments)
    results = tournament.play(planned, arguments.games or _GAMES, arguments.concurrency or 0, arguments.out)
    if not any(result.games for result in results):
        return 0
    rated = tournament.ratings(results)
    if arguments.json:
        for fields in standings.objects(results, rated):
            print_object(fields)
    else:
        standings.print_standings(results, rated, planned.budgets)
    if arguments.plots is not None:
        curves, errors = standings.curves(results, rated)
        unit = "milliseconds of CPU time" if planned.budgets[0].is_time else "nodes"
        _print_files(save(arguments.plots / "budgets", (f"{unit} per move", "Elo"), curves, errors=errors,
                          x_scale="log", title="Elo by budget, with 95 % errors"), arguments)
    forfeits = sum(sum(result.forfeits) for result in results)
    if forfeits:
        print(f"{pluralize(forfeits, 'game')} forfeited by an illegal move; they count for neither side",
              file=sys.stderr if arguments.json else sys.stdout)
    return _HAS_FORFEITS if forfeits else 0


def _tournament(arguments: argparse.Namespace) -> tournament.Tournament:
    """The tournament that the arguments describe."""
    texts = list(LADDER) if arguments.ladder else arguments.player or list(MODE_NAMES)
    amounts = arguments.nodes or arguments.time or (_MOVE_TIME,)
    budgets = tuple(MoveBudget(amount, is_time=not arguments.nodes) for amount in amounts)
    contestants = parse_contestants(texts, arguments.network)
    return tournament.Tournament(contestants, budgets, arguments.seed, arguments.openings)


def _rate_evaluations(arguments: argparse.Namespace) -> int:
    from engine.commands.compare import evaluations

    points = evaluations.play_pairings(arguments.depth or evaluations.LAST_DEPTH, arguments.games or _EVALUATION_GAMES,
                                       arguments.concurrency or 0, is_full_width=arguments.full_width)
    if arguments.json:
        for (first, second), (scored, games) in points.items():
            print_object({"first": asdict(first), "second": asdict(second), "points": scored, "games": games})
    if points:
        rated = evaluations.ratings(points)
        if not arguments.json:
            print_table(evaluations.headings(rated), evaluations.rows(rated))
            print(f"Elo with material at depth 1 as 0, from {sum(games for _, games in points.values()):,} games at "
                  "fixed depth; gain: Elo over the evaluation to its left at the same depth")
        if arguments.plots is not None:
            _print_files(save(arguments.plots / "evaluations", ("depth in plies", "Elo"), evaluations.curves(rated),
                             errors=evaluations.errors(rated), title="Elo by depth and evaluation, with 95 % errors"),
                        arguments)
    return 0
