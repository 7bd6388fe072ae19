"""`suite NAME` or `suite FILE.epd`: how many positions of a test suite the search solves, and how fast."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.arguments import (
    add_hash,
    add_limits,
    add_threads,
    conflicts_with,
    movetime_of,
    positive,
    text,
)
from engine.cli.output import add_json, pluralize, print_object, print_warning
from engine.cli.progress import map_with_progress
from engine.cli.searches import search
from engine.cli.tables import print_table
from engine.core.game import Game
from engine.lab.arena.configs import parse_alphabeta_config
from engine.lab.suites.built_in import SuiteFile, add_list, suite_rows
from engine.lab.suites.problems import Problem, read_problems
from engine.player.options import Settings
from engine.search.interface import Clearable, Evaluating, PositionCounting, Search, limits_alike
from engine.search.modes import DEFAULT_MODE, MODES, mode_named
from engine.search.scores import mate_distance
from engine.search.types import Bound, Info, Limits
from engine.system.errors import InputError
from engine.text.notation import parse_move, san, to_board
from eval.evaluator import evaluator_named

_DEFAULT_MOVETIME = 1000  # milliseconds
_LINES_SKIPPED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=SuiteFile(), nargs="?", metavar="SUITE",
                        help="the name of a built-in suite, or an EPD file of positions with bm, am, dm or ce")
    add_list(parser)
    add_limits(parser, "position", _DEFAULT_MOVETIME)
    parser.add_argument("--mode", default=DEFAULT_MODE.name, choices=[mode.name for mode in MODES],
                        help=f"the search mode (default {DEFAULT_MODE.name})")
    parser.add_argument("--network", type=text, metavar="FILE",
                        help="the evaluator: a network file, or `features`")
    conflicts_with(parser.add_argument("--config", type=text, metavar="CONFIG",
                                       help="search by alpha-beta with this config, as in `match`: NAME=VALUE,..., "
                                       "`features`, a .network or .json file"), "--mode", "--network")
    add_threads(parser)
    add_hash(parser)
    parser.add_argument("--first", type=positive, metavar="N", help="only the first N positions")
    add_json(parser, "one object per position, and one for all")


@dataclass
class Attempt:
    """The result of a search on a problem."""

    problem: Problem
    move: str  # SAN
    solved: bool
    seconds: float  # until the final solution was found
    mates: int  # announced
    false_mates: int  # of those, with a line that does not end in mate


def run(arguments: argparse.Namespace) -> int:
    """Solve, print, and return the exit status."""
    if arguments.list:
        print_table(("suite", "contents", "source and licence"), suite_rows(is_perft=False),
                    left=("contents", "source and licence"))
        return 0
    if arguments.file is None:
        raise InputError("suite needs a name or FILE.epd; --list shows the names")
    problems, warnings = read_problems(arguments.file)
    for warning in warnings:
        print_warning(f"skipped {warning}")
    if not problems:
        raise InputError(f"suite {arguments.file} contains no positions")
    _solve_all(problems[: arguments.first], arguments)
    return _LINES_SKIPPED if warnings else 0


def _solve_all(problems: list[Problem], arguments: argparse.Namespace) -> None:
    movetime = movetime_of(arguments, _DEFAULT_MOVETIME)
    limits = Limits(depth=arguments.depth, movetime=movetime / 1000 if movetime else None)
    searcher = _new_search(arguments)
    if arguments.nodes is not None:
        limits = limits_alike(searcher, arguments.nodes)
    started = time.perf_counter()

    def attempt(problem: Problem) -> Attempt:
        solved = _solve(searcher, problem, limits)
        if arguments.json:
            print_object(_as_object(solved))
        return solved

    attempts = map_with_progress(problems, attempt, lambda problem: f"{arguments.file.name}, {problem.name}")
    total = _total(attempts, time.perf_counter() - started)
    if arguments.json:
        print_object(total)
    else:
        _print(attempts, total)
        if arguments.nodes is not None and isinstance(searcher, PositionCounting):
            print("nodes of a tree search are all positions that it visits, in playouts and in searches of leaves too, "
                  "as those of alpha-beta are")


def _total(attempts: Sequence[Attempt], seconds: float) -> dict[str, Any]:
    solved = [attempt for attempt in attempts if attempt.solved]
    return {"type": "total", "positions": len(attempts), "solved": len(solved),
            "mean_seconds": sum(attempt.seconds for attempt in solved) / len(solved) if solved else None,
            "seconds": round(seconds, 3), "mates": sum(attempt.mates for attempt in attempts),
            "false_mates": sum(attempt.false_mates for attempt in attempts)}


def _as_object(attempt: Attempt) -> dict[str, Any]:
    problem = attempt.problem
    return {"type": "position", "line": problem.number, "id": problem.label, "fen": problem.fen,
            "solution": _solution_text(problem), "move": attempt.move, "solved": attempt.solved,
            "seconds": round(attempt.seconds, 3) if attempt.solved else None, "mates": attempt.mates,
            "false_mates": attempt.false_mates}


def _print(attempts: Sequence[Attempt], total: Mapping[str, Any]) -> None:
    for attempt in attempts:
        if not attempt.solved:
            problem = attempt.problem
            print(f"{problem.name}: {problem.fen}: expected {_solution_text(problem)}, got {attempt.move}")
    print(f"{total['solved']} of {total['positions']} solved, {total['mean_seconds'] or 0.0:.3f} s on average to the "
          f"solution, {total['seconds']:.1f} s in total")
    if total["mates"]:
        wrong = total["false_mates"]
        print(f"{pluralize(total['mates'], 'line')} announced a mate: "
              + (f"{wrong} DO NOT END IN ONE" if wrong else "each ends in one, at the announced move"))


def _new_search(arguments: argparse.Namespace) -> Search:
    if arguments.config is not None:
        config = parse_alphabeta_config(arguments.config, "name it with --mode")
        return AlphaBetaSearch(arguments.hash, arguments.threads, config.params_record(), config.evaluator())
    searcher = mode_named(arguments.mode).create(Settings(threads=arguments.threads), arguments.hash)
    if arguments.network is not None:
        if not isinstance(searcher, Evaluating):
            raise InputError(f"--network: the mode {arguments.mode} uses no evaluation")
        searcher.set_evaluation(evaluator_named(arguments.network))
    return searcher


def _solution_text(problem: Problem) -> str:
    if problem.mate is not None:
        return f"a mate in {problem.mate}"
    game = Game(problem.fen)
    best, avoid = (sorted(san(game, parse_move(game, text)) for text in texts)
                   for texts in (problem.best, problem.avoid))
    return " or ".join(best) if best else "any but " + ", ".join(avoid)


def _solve(searcher: Search, problem: Problem, limits: Limits) -> Attempt:
    if isinstance(searcher, Clearable):
        searcher.clear()
    game = Game(problem.fen)
    result = search(searcher, game.position, replace(limits, mate=problem.mate))
    seconds = None
    for info in result.infos:
        if not problem.is_solved(game.uci(info.pv[0]), info.score):
            seconds = None
        elif seconds is None:
            seconds = info.seconds
    mates = [info for info in result.infos if mate_distance(info.score) is not None and info.bound is Bound.EXACT]
    return Attempt(problem, san(game, result.move), problem.is_solved(game.uci(result.move), result.score),
                   result.seconds if seconds is None else seconds, len(mates),
                   sum(not _mate_line_is_true(game, info) for info in mates))


def _mate_line_is_true(game: Game, info: Info) -> bool:
    """Whether a line that announces a mate ends in one, at the announced move. Checked with python-chess."""
    distance = mate_distance(info.score)
    assert distance is not None
    board, cursor = to_board(game), game.copy()
    for move in info.pv:
        text = cursor.uci(move)
        cursor.push_uci(text)
        board.push_uci(text)
    return board.is_checkmate() and len(info.pv) == (2 * distance - 1 if distance > 0 else -2 * distance)
