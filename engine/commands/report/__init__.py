"""`report GAMES.pgn --player NAME`: what a player's games have in common, and what to practise first."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from engine.analysis.game_queue import review_queue
from engine.analysis.pgn_reader import ignore_warning
from engine.analysis.review import DEFAULT_HASH, DEFAULT_NODES, SearchEffort
from engine.cli.arguments import OutputFile, OutputFolder, add_games_file, add_review, conflicts_with, text
from engine.cli.output import add_json, print_object, print_warning
from engine.cli.progress import progress_bar
from engine.coach.report import build_report
from engine.coach.report_advice import advice_of
from engine.coach.report_files import Sides, games_of_player, read_report_games, reviewed_game
from engine.coach.report_games import ReportGame, game_of_row
from engine.coach.report_json import report_json
from engine.commands.report.plots import check_plots, draw_plots
from engine.commands.report.tables import print_report
from engine.lab.game_workers import finished_games
from engine.system import host
from engine.system.errors import InputError
from engine.system.files import begins_with, create_folder
from engine.system.resumable_file import ResumableFile, digest_of_file
from engine.version import VERSION

_GAMES_SKIPPED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games_file(parser)
    parser.add_argument("--player", type=text, required=True, metavar="NAME",
                        help="whose games: `Carlsen, Magnus`, `Magnus Carlsen` or `carlsen`")
    parser.add_argument("--out", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE.pgn",
                        help="write the reviewed games with their annotations; an interrupted run is resumed")
    add_review(parser, "review", DEFAULT_NODES, DEFAULT_HASH)
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
    names, sides = games_of_player(arguments.games, arguments.player)
    with progress_bar(len(sides)) as show:
        games, pending, problems = read_report_games(arguments.games, sides, print_warning, show)
    if not games:
        raise InputError(f"none of the games of {names[0]} can be read: {problems[0]}")
    for problem in problems:
        print_warning(f"skipped {problem}")
    if pending and not arguments.no_review:
        games.update(_review(arguments, sides, pending))
    report = build_report(names[0], games.values())
    if arguments.plots is not None:
        create_folder(arguments.plots)
        draw_plots(arguments.plots, report)
    advice = advice_of(report)
    if arguments.json:
        print_object(report_json(report, names, advice))
    else:
        print_report(report, names, advice)
    return _GAMES_SKIPPED if problems else 0


def _review(arguments: argparse.Namespace, sides: Sides, pending: Collection[int]) -> dict[int, ReportGame]:
    """The games in `pending`, reviewed; those of an interrupted run are not searched again."""
    effort = SearchEffort(arguments.movetime, arguments.nodes, arguments.depth, arguments.hash)
    conditions = {"games": digest_of_file(arguments.games), "effort": vars(effort), "what": "report",
                  "player": sorted(sides.items()), "version": VERSION}
    with ResumableFile(arguments.out or _kept_reviews(conditions), conditions) as file:
        last = file.rows[-1]["number"] if file.rows else 0
        queue = review_queue(arguments.games, last, effort, ignore_warning, pending)  # warned of when they were read
        with finished_games(queue, len(file.rows), len(pending), address=arguments.cluster,
                            concurrency=arguments.concurrency) as finished:
            for done in finished:
                assert done is not None  # all of them can be read
                reviewed, review = done
                file.add(*reviewed_game(reviewed.number, reviewed.game, review, sides[reviewed.number]))
        if arguments.out is not None:
            file.finish()
        return {row["number"]: game_of_row(row) for row in file.rows}


def _kept_reviews(conditions: dict[str, Any]) -> Path:
    """Where reviews are kept without `--out`, so that they are searched once: a file in the user's cache."""
    folder = host.user_cache_folder() / "adversary" / "reports"
    create_folder(folder)
    return folder / f"{hashlib.sha256(json.dumps(conditions).encode()).hexdigest()[:24]}.pgn"
