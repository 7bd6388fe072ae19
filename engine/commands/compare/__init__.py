"""`compare`: the same positions under minimax, alpha-beta, and each technique that was built upon it, one by one.

`compare --bound` measures how near alpha-beta comes to the fewest leaves that it could visit; with `--tournament` all
modes play each other; `--evaluations` shows how much the evaluation matters at each depth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from engine.arena.records import GameRecord
from engine.chesstext import read_position
from engine.commands.compare import bound
from engine.commands.compare.contenders import Contender, contenders
from engine.commands.compare.report import (
    PLOT_KINDS,
    Row,
    Trial,
    as_json,
    print_nodes_by_depth,
    print_rows,
    save,
    save_plots,
    write_json,
)
from engine.commands.compare.trees import tree_contenders
from engine.commands.shared.arguments import add_concurrency, add_hash, milliseconds, plies, positive
from engine.commands.shared.plots import check_plot
from engine.commands.shared.positions import BENCH_FENS
from engine.commands.shared.progress import track
from engine.commands.shared.suites import Problem, read_problems
from engine.commands.shared.tables import print_table
from engine.core.errors import InputError
from engine.core.game import Game
from engine.host import INTERRUPTED_STATUS, run_interruptible
from engine.search.limits import Limits

_LINES_LEFT_OUT = 1
_FAULTS_SEEN = 1
_SHARP_FEN = "r1bqk2r/1p1nppbp/p2p1n2/3P2B1/5P2/2NQ1NPP/PPP5/2K1RB1R b kq - 1 13"  # of the bench
_DEPTH = 7
_SUITE_TIME = 100  # milliseconds
_MOVE_TIME = 100  # milliseconds, in a tournament
_GAMES = 2  # of each pairing, in a tournament
_EVALUATION_GAMES = 40
_GIVE_UP = 2500  # milliseconds: so that all rows take less than a minute
_BOUND_GIVE_UP = 20_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--fen", metavar="FEN",
                       help="the position: a FEN, quoted or not, or `startpos` (default: a sharp one)")
    where.add_argument("--suite", type=Path, metavar="FILE.epd", help="positions with bm, am, dm or ce")
    where.add_argument("--bound", action="store_true", help="instead: alpha-beta's leaves beside the fewest possible")
    where.add_argument("--tournament", action="store_true", help="instead: all modes play each other at equal time")
    where.add_argument("--evaluations", action="store_true", help="instead: Elo by depth with richer and poorer "
                       "evaluations")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--depth", type=plies, metavar="D", help=f"plies to search (default {_DEPTH})")
    limits.add_argument("--nodes", type=positive, metavar="N", help="nodes for everyone")
    limits.add_argument("--time", type=milliseconds, metavar="MS",
                        help=f"milliseconds for everyone (default with --suite: {_SUITE_TIME})")
    parser.add_argument("--give-up", type=milliseconds, metavar="MS", help="with a depth: what is not finished after "
                        f"MS milliseconds a position is given up (default {_GIVE_UP}, with --bound {_BOUND_GIVE_UP})")
    parser.add_argument("--games", type=positive, metavar="N",
                        help="with --tournament and --evaluations: games of each pairing "
                             f"(default {_GAMES} and {_EVALUATION_GAMES})")
    add_concurrency(parser, "with --tournament and --evaluations, as many as there are cores")
    parser.add_argument("--full-width", action="store_true", help="with --evaluations: search every move to the full "
                        "depth")
    parser.add_argument("--first", type=positive, metavar="N", help="with --suite: only the first N positions")
    parser.add_argument("--positions", type=positive, default=len(BENCH_FENS), metavar="N",
                        help="with --bound: only the first N of the bench positions")
    add_hash(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw nodes by depth, solved by time, or Elo by "
                        f"depth, as {' and '.join(PLOT_KINDS)}; needs the extra `lab`")


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit status."""
    _check(arguments)
    if arguments.bound:
        return _compare_with_bound(arguments)
    if arguments.tournament:
        return _hold_tournament(arguments)
    if arguments.evaluations:
        return _rate_evaluations(arguments)
    problems, complaints = _problems(arguments)
    games = [Game(problem.fen) for problem in problems] or [read_position(arguments.fen or _SHARP_FEN)]
    for game in games:
        if not game.legal_moves():
            raise InputError(f"the game is over in {game.fen()}: there is no move to find")
    for complaint in complaints:
        print(f"error: {complaint}; left out", file=sys.stderr)
    if _compare(games, problems, arguments):
        return INTERRUPTED_STATUS
    return _LINES_LEFT_OUT if complaints else 0


def _check(arguments: argparse.Namespace) -> None:
    """InputError if the arguments cannot be used: before any work is done."""
    if arguments.tournament and (arguments.depth or arguments.nodes or arguments.plots):
        raise InputError("--tournament goes with --time, --games, --concurrency and --json only")
    if arguments.evaluations and (arguments.nodes or arguments.time):
        raise InputError("--evaluations goes with --depth, --games, --concurrency, --json and --plots only")
    if arguments.bound and (arguments.nodes or arguments.time or arguments.plots):
        raise InputError("--bound goes with --depth, --positions, --give-up, --hash and --json only")
    if arguments.json is not None and not arguments.json.absolute().parent.is_dir():
        raise InputError(f"--json: no folder {arguments.json.parent}")
    if arguments.plots is not None:
        if not arguments.plots.is_dir():
            raise InputError(f"--plots: no folder {arguments.plots}")
        check_plot(arguments.plots / f"nodes.{PLOT_KINDS[0]}", "--plots")


def _problems(arguments: argparse.Namespace) -> tuple[list[Problem], list[str]]:
    """Those of the suite, and what is wrong with other lines of it; none without a suite."""
    if arguments.suite is None:
        return [], []
    problems, complaints = read_problems(arguments.suite)
    if not problems:
        raise InputError(f"suite {arguments.suite} holds no positions")
    return problems[: arguments.first], complaints


def _limits(arguments: argparse.Namespace) -> Limits:
    if arguments.nodes:
        return Limits(nodes=arguments.nodes)
    if arguments.time or (arguments.suite and not arguments.depth):
        return Limits(movetime=(arguments.time or _SUITE_TIME) / 1000)
    return Limits(depth=arguments.depth or _DEPTH, movetime=(arguments.give_up or _GIVE_UP) / 1000)


def _until_interrupted(work: Callable[[], None]) -> bool:
    """Do the work; returns whether the user broke it off. What was found so far is then worth printing."""
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted before the end", file=sys.stderr)
        return True
    return False


def _compare(games: Sequence[Game], problems: Sequence[Problem], arguments: argparse.Namespace) -> bool:
    """Search, and print what was found; returns whether the user broke it off."""
    limits = _limits(arguments)
    trials: dict[str, list[Trial]] = {}

    def search_all() -> None:
        everyone = run_interruptible(lambda: [*contenders(arguments.hash), *tree_contenders(arguments.hash)])
        tasks = [(contender, number) for contender in everyone for number in range(len(games))]
        for contender, number in track(tasks, lambda task: _describe(*task)):
            outcome = run_interruptible(lambda search=contender.search, game=games[number]:  # type: ignore[misc]
                                        search(game.position, limits))
            problem = problems[number] if problems else None
            trials.setdefault(contender.name, []).append(Trial(games[number], outcome, problem))

    is_broken_off = _until_interrupted(search_all)
    if trials:
        _show([Row(name, tuple(made)) for name, made in trials.items()], limits, arguments)
    return is_broken_off


def _show(rows: Sequence[Row], limits: Limits, arguments: argparse.Namespace) -> None:
    """Print the rows, and write what else is asked for."""
    is_suite = rows[0].trials[0].problem is not None
    if not is_suite:
        print(rows[0].trials[0].game.fen())
    print_rows(rows, limits)
    if not is_suite:
        print()
        print_nodes_by_depth(rows)
    if arguments.json is not None:
        write_json(arguments.json, as_json(rows, limits))
    if arguments.plots is not None:
        for file in save_plots(rows, arguments.plots):
            print(file)


def _describe(contender: Contender, number: int) -> str:
    return f"{contender.name}, position {number + 1}"


def _compare_with_bound(arguments: argparse.Namespace) -> int:
    depth = arguments.depth or bound.LAST_DEPTH
    if depth < bound.FIRST_DEPTH:
        raise InputError(f"--bound looks at depths from {bound.FIRST_DEPTH}, not {depth}")
    found: list[bound.Measured] = []
    give_up = (arguments.give_up or _BOUND_GIVE_UP) / 1000
    is_broken_off = _until_interrupted(lambda: bound.measure(found, arguments.positions, depth, arguments.hash,
                                                             give_up))
    if found:
        print_table(bound.HEADINGS, bound.rows(found))
        print("medians over the positions; ratio: leaves of the depth's iteration to 2 b^(d/2), the median, of all "
              "positions together, and the worst")
    if arguments.json is not None:
        write_json(arguments.json, {"bound": [{**asdict(measured), "ratio": measured.ratio} for measured in found]})
    return INTERRUPTED_STATUS if is_broken_off else 0


def _hold_tournament(arguments: argparse.Namespace) -> int:
    from engine.commands.compare import tournament

    conditions = tournament.Conditions(arguments.games or _GAMES, arguments.time or _MOVE_TIME,
                                       width=arguments.concurrency or 0)
    all_games: dict[tournament.Pairing, list[GameRecord]] = {}
    belief_games: dict[tournament.Pairing, list[GameRecord]] = {}
    is_broken_off = _until_interrupted(lambda: tournament.play(tournament.everyone(), conditions, all_games))
    meetings = tournament.meetings(all_games)
    if meetings:
        print_table(tournament.HEADINGS, tournament.cross_table_rows(meetings))
        print(f"points of {meetings[0].games} games at {conditions.milliseconds} ms a move; the score is of all "
              "games\n")
    if not is_broken_off:
        is_broken_off = _until_interrupted(lambda: tournament.play(tournament.believers(), conditions, belief_games))
    beliefs = tournament.meetings(belief_games)
    if beliefs:
        print_table(tournament.BELIEF_HEADINGS, tournament.belief_rows(beliefs))
        print("minimax believes in an adversary, expectimax in a random mover; games are played to their end")
    if arguments.json is not None:
        write_json(arguments.json, {"tournament": [asdict(meeting) for meeting in (*meetings, *beliefs)]})
    faults = sum(meeting.faults for meeting in (*meetings, *beliefs))
    if faults:
        print(f"{faults} games were lost by a fault: a move out of time or against the rules, or an engine that ended")
    if is_broken_off:
        return INTERRUPTED_STATUS
    return _FAULTS_SEEN if faults else 0


def _rate_evaluations(arguments: argparse.Namespace) -> int:
    from engine.commands.compare import evaluations

    points: evaluations.Points = {}
    is_broken_off = _until_interrupted(lambda: evaluations.play(
        points, arguments.depth or evaluations.LAST_DEPTH, arguments.games or _EVALUATION_GAMES,
        arguments.concurrency or 0, is_full_width=arguments.full_width))
    if points:
        rated = evaluations.ratings(points)
        print_table(evaluations.headings(rated), evaluations.rows(rated))
        print(f"Elo, material at depth 1 being 0, from {sum(games for _, games in points.values()):,} games at fixed "
              "depth; worth: by how much it is stronger at the same depth than the evaluation to its left")
        if arguments.plots is not None:
            for file in save(arguments.plots / "evaluations", ("depth in plies", "Elo"), evaluations.curves(rated),
                             title="Elo by depth and evaluation"):
                print(file)
    if arguments.json is not None:
        write_json(arguments.json, {"evaluations": [
            {"first": asdict(first), "second": asdict(second), "points": scored, "games": games}
            for (first, second), (scored, games) in points.items()]})
    return INTERRUPTED_STATUS if is_broken_off else 0
