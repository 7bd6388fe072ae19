"""`train openings`: the moves of a repertoire on a board in the terminal, the due positions first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import cache

import chess

from engine.analysis.engine import Engine
from engine.analysis.review import DEFAULT_HASH
from engine.cli.arguments import conflicts_with, in_file, plies, requires_option, text
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import print_warning
from engine.cli.tables import print_table
from engine.coach.opening_training import OpeningQuestion, OpeningTraining, keep, kept_repertoires, wrong_by_engine
from engine.coach.progress_file import ProgressFile
from engine.coach.repertoire import DEFAULT_PLIES, Repertoire, read_repertoire
from engine.coach.schedule import check_scheduler
from engine.system.errors import InputError, quote
from engine.ui.terminal.openings import OpeningSession
from engine.ui.terminal.screen import InputLines, screen_for

_SIDES = {name: color for color, name in ((chess.WHITE, "white"), (chess.BLACK, "black"))}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", nargs="?", type=in_file, metavar="FILE.pgn",
                        help="games with variations, which are kept for later; without it, the kept ones are trained")
    parser.add_argument("--side", choices=_SIDES, help="the side that you play; required with FILE.pgn")
    requires_option(parser.add_argument("--plies", type=plies, default=DEFAULT_PLIES, metavar="N",
                                        help=f"plies of each line to learn (default {DEFAULT_PLIES})"), "file")
    parser.add_argument("--name", type=text, metavar="NAME", help="train only this kept repertoire; with FILE.pgn, its "
                        "name instead of that of the file")
    parser.add_argument("--no-engine", action="store_true", help="explain wrong moves by the book alone")
    parser.add_argument("--ascii", action="store_true", help="letters instead of chess symbols")
    status = parser.add_argument("--status", action="store_true", help="show how much is known, and ask nothing")
    remove = parser.add_argument("--remove", action="store_true", help="remove the kept repertoire NAME, and ask "
                                 "nothing; what you know of its positions stays")
    requires_option(remove, "--name")
    conflicts_with(remove, "file")
    conflicts_with(status, "--remove")


def run(arguments: argparse.Namespace) -> int:
    """Train until the user quits."""
    check_scheduler()
    given = None
    if arguments.file is not None:
        if arguments.side is None:
            raise InputError("FILE.pgn requires --side white or --side black")
        given = read_repertoire(arguments.file, _SIDES[arguments.side], arguments.plies, print_warning)
        given[0].name = arguments.name or given[0].name
    progress = ProgressFile()
    if progress.set_aside is not None:
        print_warning(f"{progress.path} was damaged and is kept as {progress.set_aside.name}; a new one begins")
    if given is not None:
        keep(progress, *given)
    repertoires = [given[0]] if given is not None else _chosen(kept_repertoires(progress, print_warning), arguments)
    if arguments.remove:
        for repertoire in repertoires:
            progress.remove_repertoire(repertoire.name, chess.COLOR_NAMES[repertoire.side])
            print(f"removed {repertoire.name} ({chess.COLOR_NAMES[repertoire.side]})")
        return 0
    training = OpeningTraining(repertoires, progress)
    if arguments.status:
        print_table(("repertoire", "side", "positions", "known", "due", "new"), [
            (repertoire.name, chess.COLOR_NAMES[repertoire.side], str(standing.positions),
             str(standing.positions - standing.due - standing.new), str(standing.due), str(standing.new))
            for repertoire, standing in training.standings()], left=("side",))
        return 0
    explain = _no_words if arguments.no_engine else _by_engine
    session = OpeningSession(training, explain, screen_for(sys.stdout, False if arguments.ascii else None),
                             InputLines())
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\nyour answers are saved"):
        session.run()
    return 0


def _chosen(kept: list[Repertoire], arguments: argparse.Namespace) -> list[Repertoire]:
    """The kept repertoires that the arguments name."""
    chosen = [repertoire for repertoire in kept if arguments.name in (None, repertoire.name)
              and (arguments.side is None or repertoire.side == _SIDES[arguments.side])]
    if chosen:
        return chosen
    if not kept:
        raise InputError("there are no repertoires yet; name a file of games: train openings FILE.pgn --side white")
    names = ", ".join(f"{repertoire.name} ({chess.COLOR_NAMES[repertoire.side]})" for repertoire in kept)
    wanted = " ".join(filter(None, (arguments.name and quote(arguments.name), arguments.side)))
    raise InputError(f"no repertoire {wanted}; there are {names}")


def _no_words(question: OpeningQuestion, move: chess.Move) -> Iterable[str]:
    return ()


def _by_engine(question: OpeningQuestion, move: chess.Move) -> Iterable[str]:
    return wrong_by_engine(_engine(), question, move)


@cache
def _engine() -> Engine:
    """The engine, once it is needed."""
    return Engine(hash=DEFAULT_HASH)
