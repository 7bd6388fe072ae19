"""`train`: puzzles on a board in the terminal, the due ones first, with a rating of the user's own."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import chess

from engine.analysis.engine import Engine
from engine.analysis.review import DEFAULT_HASH
from engine.cli.arguments import OutputFile, conflicts_with, in_file, text
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import pluralize, print_warning
from engine.cli.plots import plot_file, save_plot
from engine.coach.progress_file import ProgressFile
from engine.coach.puzzle import Puzzle, RefutedTry
from engine.coach.puzzle_files import read_puzzles, starting_puzzles
from engine.coach.puzzle_training import PuzzleFilter, keep_set, kept_puzzles, refute, remove_set
from engine.coach.schedule import check_scheduler
from engine.coach.woodpecker import DEFAULT_SIZE, choose_training
from engine.system.errors import InputError, quote
from engine.system.files import begins_with, read_json, write_file
from engine.ui.terminal.screen import InputLines, screen_for
from engine.ui.terminal.training import TrainingSession


@dataclass(frozen=True)
class RatingLimits:
    """Two ratings, as in 1200-1600."""

    def __call__(self, text: str) -> tuple[int, int]:
        """Parse the range; ArgumentTypeError if it is invalid."""
        low, _, high = text.partition("-")
        if not (low.isdecimal() and high.isdecimal() and len(text) < 12 and int(low) <= int(high)):
            raise argparse.ArgumentTypeError(f"expected two ratings as in 1200-1600, got {quote(text)}")
        return int(low), int(high)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--set", type=in_file, metavar="FILE",
                        help="train these puzzles (.pgn, .epd, .json), which are kept for later")
    parser.add_argument("--theme", type=text, metavar="THEME", help="only puzzles with this theme, such as fork")
    parser.add_argument("--rating", type=RatingLimits(), metavar="LOW-HIGH", help="only puzzles rated from LOW to HIGH")
    parser.add_argument("--woodpecker", action="store_true",
                        help=f"ask {DEFAULT_SIZE} of them in rounds, the same ones again and again")
    parser.add_argument("--ascii", action="store_true", help="letters instead of chess symbols")
    parser.add_argument("--plot", type=plot_file, metavar="FILE",
                        help="draw your rating over time (.png, .svg or .pdf), and do nothing else")
    conflicts_with(parser.add_argument("--export", type=OutputFile("JSON file", begins_with(b"{")), metavar="FILE.json",
                                       help="write your progress to a file, and do nothing else"), "--import", "--plot")
    parser.add_argument("--import", type=in_file, metavar="FILE.json", dest="source",
                        help="add the progress in such a file to yours, and do nothing else")
    conflicts_with(parser.add_argument("--remove", type=text, metavar="NAME",
                                       help="remove the kept set of this name, but no answers, and do nothing else"),
                   "--set", "--export", "--import", "--plot")


def run(arguments: argparse.Namespace) -> int:
    """Train until the user quits."""
    check_scheduler()
    wanted = None if arguments.set is None else read_puzzles(arguments.set)  # reports errors before anything is opened
    progress = ProgressFile()
    if progress.set_aside is not None:
        print_warning(f"{progress.path} was damaged and is kept as {progress.set_aside.name}; a new one begins")
    if arguments.export is not None:
        write_file(arguments.export, json.dumps(progress.export()))
        print(f"{pluralize(len(progress.answers()), 'answer')} in {arguments.export}")
        return 0
    if arguments.source is not None:
        print(f"{pluralize(progress.merge(read_json(arguments.source)), 'new answer')} from {arguments.source}")
        return 0
    if arguments.remove is not None:
        remove_set(progress, arguments.remove)
        print(f"removed the set {arguments.remove}; your answers are kept")
        return 0
    if arguments.plot is not None:
        _plot(progress, arguments.plot)
        return 0
    _train(arguments, progress, wanted)
    return 0


def _plot(progress: ProgressFile, path: Path) -> None:
    ratings = [answer.rating for answer in progress.answers() if answer.rating is not None]
    if not ratings:
        raise InputError("nothing to draw yet: your first answer begins your rating")
    errors = [rating.error for rating in ratings]
    save_plot(path, ("puzzles", "rating"), {"rating": (range(1, len(ratings) + 1), [one.value for one in ratings])},
              title="Your rating, with its 95 % interval", errors={"rating": (errors, errors)})
    print(f"your rating is {ratings[-1]}; {pluralize(len(ratings), 'rated answer')} in {path}")


def _train(arguments: argparse.Namespace, progress: ProgressFile, wanted: list[Puzzle] | None) -> None:
    lowest, highest = arguments.rating or (PuzzleFilter.lowest, PuzzleFilter.highest)
    puzzles = [*starting_puzzles(), *kept_puzzles(progress, print_warning)] if wanted is None else wanted
    name = "" if wanted is None else Path(arguments.set).stem
    training = choose_training(puzzles, PuzzleFilter(arguments.theme or "", lowest, highest), progress,
                               f"set {name}" if name else "", in_rounds=arguments.woodpecker)
    if wanted is not None:
        keep_set(progress, name, wanted)
    session = TrainingSession(training, _refute, screen_for(sys.stdout, False if arguments.ascii
                                                                               else None), InputLines())
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\nyour answers are saved"):
        session.run()


def _refute(puzzle: Puzzle, ply: int, move: chess.Move) -> RefutedTry | None:
    return refute(_engine(), puzzle, ply, move)


@cache
def _engine() -> Engine:
    """The engine, once it is needed: known refutations need none."""
    return Engine(hash=DEFAULT_HASH)
