"""`report GAMES.pgn --player NAME`: what a player's games have in common, and what to practise first."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Container
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from engine.analysis.annotation import annotate, pgn_text
from engine.analysis.game_queue import GameQueue
from engine.analysis.move_verdicts import classify_game
from engine.analysis.pgn_reader import read_games, read_headers
from engine.analysis.review import DEFAULT_HASH, DEFAULT_NODES, SearchEffort
from engine.analysis.review_driver import ReviewDriver
from engine.analysis.workers import cancel_all, resume
from engine.cli.arguments import (
    OutputFile,
    OutputFolder,
    add_concurrency,
    add_hash,
    conflicts_with,
    in_file,
    milliseconds,
    plies,
    positive,
    text,
)
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import add_json, print_object, print_warning
from engine.cli.progress import progress_bar
from engine.coach.player_names import find_player
from engine.coach.report import build_report
from engine.coach.report_advice import advice_of
from engine.coach.report_games import ReportGame, annotated_verdicts, game_facts, game_of_row, judged
from engine.coach.report_json import report_json
from engine.commands.report.plots import check_plots, draw_plots
from engine.commands.report.tables import print_report
from engine.lab.arena.cluster import cluster
from engine.lab.arena.executors import threads
from engine.system import host
from engine.system.errors import InputError
from engine.system.files import begins_with, create_folder
from engine.system.resumable_file import ResumableFile, digest_of_file
from engine.version import VERSION

_GAMES_SKIPPED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("games", type=in_file, metavar="GAMES.pgn",
                        help="the games, also compressed (.gz, .xz, .bz2, .zip)")
    parser.add_argument("--player", type=text, required=True, metavar="NAME",
                        help="whose games: `Carlsen, Magnus`, `Magnus Carlsen` or `carlsen`")
    parser.add_argument("--out", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE.pgn",
                        help="write the reviewed games with their annotations; an interrupted run is resumed")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help=f"nodes per position (default {DEFAULT_NODES}); moves in doubt get four times as many and "
                             "more: the same result every time")
    limits.add_argument("--depth", type=plies, metavar="D", help="plies per position instead: as reproducible")
    parser.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="at most so many milliseconds per position: the result then depends on the machine")
    add_hash(parser, DEFAULT_HASH)
    add_concurrency(parser)
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="review on the dask cluster at tcp://...")
    conflicts_with(parser.add_argument("--no-review", action="store_true", help="search nothing: moves are judged only "
                                       "in games that have evaluations"), "--out", "--cluster", "--nodes", "--depth",
                   "--movetime")
    parser.add_argument("--plots", type=OutputFolder(), metavar="DIR",
                        help="draw the trend, the openings, the phases, the time left and the themes")
    add_json(parser, "one object")


def run(arguments: argparse.Namespace) -> int:
    """Review what is not annotated, print the report, and return the exit status: 1 if a game was skipped."""
    if arguments.plots is not None:
        check_plots()
    names, numbers = _player(arguments.games, arguments.player)
    found, pending, problems = _read(arguments.games, numbers)
    if not found:
        raise InputError(f"none of the games of {names[0]} can be read: {problems[0]}")
    for problem in problems:
        print_warning(f"skipped {problem}")
    if pending and not arguments.no_review:
        found.update(_review(arguments, numbers, pending))
    report = build_report(names[0], found.values())
    if arguments.plots is not None:
        create_folder(arguments.plots)
        draw_plots(arguments.plots, report)
    advice = advice_of(report)
    if arguments.json:
        print_object(report_json(report, names, advice))
    else:
        print_report(report, names, advice)
    return _GAMES_SKIPPED if problems else 0


def _player(path: Path, wanted: str) -> tuple[list[str], dict[int, chess.Color]]:
    """The spellings of the player, the most frequent first, and the player's side in each game of the player."""
    sides, games = list[tuple[int, chess.Color, str]](), Counter[str]()
    number = 0
    for number, headers in read_headers(path):
        for color, header in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
            name = headers.get(header, "?").strip()
            if name.strip("?"):
                games[name] += 1
                sides.append((number, color, name))
    if not number:
        raise InputError(f"{path} contains no games")
    names = find_player(wanted, games)
    return (sorted(names, key=lambda name: (-games[name], name)),
            {number: color for number, color, name in reversed(sides) if name in names})


def _read(path: Path, numbers: dict[int, chess.Color]) -> tuple[dict[int, ReportGame], set[int], list[str]]:
    """The player's games, those among them to be reviewed, and what is wrong with others."""
    found, pending, problems = dict[int, ReportGame](), set[int](), list[str]()
    with progress_bar(len(numbers)) as show:
        for done, (number, game) in enumerate(read_games(path, print_warning, numbers), 1):
            show(done, "games read")
            if isinstance(game, str):
                problems.append(game)
                continue
            found[number] = game_facts(number, game, numbers[number])
            verdicts = annotated_verdicts(game)
            if verdicts is None:
                pending.add(number)
            else:
                found[number] = judged(found[number], game, verdicts)
    return found, pending, problems


def _review(arguments: argparse.Namespace, numbers: dict[int, chess.Color],
            pending: Container[int]) -> dict[int, ReportGame]:
    """The games in `pending`, reviewed; those of an interrupted run are not searched again."""
    effort = SearchEffort(arguments.movetime, arguments.nodes, arguments.depth, arguments.hash)
    conditions = {"games": digest_of_file(arguments.games), "effort": vars(effort), "what": "report",
                  "player": sorted(numbers.items()), "version": VERSION}
    with ResumableFile(arguments.out or _kept_reviews(conditions), conditions) as file:
        _review_games(arguments, effort, file, numbers, pending)
        if arguments.out is not None:
            file.finish()
        return {row["number"]: game_of_row(row) for row in file.rows}


def _kept_reviews(conditions: dict[str, Any]) -> Path:
    """Where reviews are kept without `--out`, so that they are searched once: a file in the user's cache."""
    folder = host.user_cache_folder() / "adversary" / "reports"
    create_folder(folder)
    return folder / f"{hashlib.sha256(json.dumps(conditions).encode()).hexdigest()[:24]}.pgn"


def _review_games(arguments: argparse.Namespace, effort: SearchEffort, file: ResumableFile,
                  numbers: dict[int, chess.Color], wanted: Container[int]) -> None:
    def begin(game: chess.pgn.Game) -> ReviewDriver:
        return ReviewDriver(game.board(), list(game.mainline_moves()), effort)

    queue = GameQueue(arguments.games, file.rows[-1]["number"] if file.rows else 0, begin, lambda _: None, wanted)
    total = sum(number in wanted for number in numbers)
    with _workers(arguments) as (executor, width), progress_bar(total) as show, stop_on_interrupt(cancel_all):
        try:
            for pending in queue.pending(executor, width):
                if isinstance(pending, str):
                    continue  # reported when it was read
                review, game = pending.finish(executor), pending.game
                verdicts = classify_game(game.board(), list(game.mainline_moves()), review)
                facts = game_facts(pending.number, game, numbers[pending.number])
                row = judged(facts, game, verdicts).as_row()
                annotate(game, review)
                file.add(pgn_text(game), row)
                show(len(file.rows), "games reviewed")
        finally:
            cancel_all()


def _workers(arguments: argparse.Namespace) -> AbstractContextManager[tuple[Executor, int]]:
    resume()
    if arguments.cluster is not None:
        return cluster(arguments.cluster)
    return threads(arguments.concurrency or host.usable_cores())
