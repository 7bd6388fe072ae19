"""`book build | check | show | merge | names`: build Polyglot books from games, check and show them."""

from __future__ import annotations

import argparse
import importlib

from book.polyglot import BUILT_IN
from engine.cli.arguments import (
    FloatRange,
    IntRange,
    OutputFile,
    add_fen,
    in_file,
    positive,
    requires_option,
    text,
)
from engine.cli.output import add_json
from engine.system.files import begins_with

_DEFAULT_HELP = "(default: the built-in one)"
_LARGEST_YEAR = 9999
# The module and function of each action, imported when needed.
_ACTIONS = {"build": ("build", "run_build"), "check": ("check", "run"), "show": ("show", "run"),
            "merge": ("build", "run_merge"), "names": ("build", "run_names")}
_LARGEST_ELO = 5000
WORST = 60
_SHOW_NODES = 20_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from book.polyglot import is_book

    book_file, names_file = OutputFile("Polyglot book", is_book), OutputFile("table of names", begins_with(b"\xfd7zXZ"))
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _configure_build(actions.add_parser("build", help="build a book from games"))
    check = actions.add_parser("check", help="check a book: order, legality, the engine's evaluation")
    check.add_argument("file", nargs="?", type=in_file, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    check.add_argument("--nodes", type=positive, metavar="N", help="search every position with N nodes")
    requires_option(check.add_argument("--worst", type=IntRange(0, 10_000), metavar="CP",
                                       help=f"largest disadvantage of a side (default {WORST})"), "--nodes")
    # Only the engine's evaluation removes moves.
    requires_option(check.add_argument("--out", type=book_file, metavar="FILE.bin",
                                       help="write the lines that pass, without unreachable positions"),
                    "--nodes")
    add_fen(check)
    show = actions.add_parser("show", help="show the moves of a position")
    show.add_argument("file", nargs="?", type=in_file, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    add_fen(show)
    show.add_argument("--moves", nargs="*", type=text, default=[], metavar="MOVE",
                      help="moves from there: Nf3 or g1f3")
    show.add_argument("--nodes", type=positive, default=_SHOW_NODES, metavar="N",
                      help=f"search each move with N nodes (default {_SHOW_NODES})")
    add_json(show, "one object with all moves")
    merge = actions.add_parser("merge", help="merge several books, adding their weights")
    merge.add_argument("files", nargs="+", type=in_file, metavar="FILE.bin")
    merge.add_argument("--out", type=book_file, required=True, metavar="FILE.bin")
    names = actions.add_parser("names", help="build the table of opening names from lists of eco, name and pgn")
    names.add_argument("files", nargs="+", type=in_file, metavar="FILE.tsv")
    names.add_argument("--out", type=names_file, required=True, metavar="FILE.xz")


def _configure_build(parser: argparse.ArgumentParser) -> None:
    from book.build import BookFilter, Weighting
    from book.polyglot import is_book

    rules = BookFilter()
    parser.add_argument("files", nargs="+", type=in_file, metavar="GAMES.pgn",
                        help="games, also as .gz, .xz, .bz2, .zip")
    parser.add_argument("--out", type=OutputFile("Polyglot book", is_book), required=True, metavar="FILE.bin")
    parser.add_argument("--max-ply", type=positive, default=rules.max_ply, metavar="N",
                        help=f"plies of a game to use (default {rules.max_ply})")
    parser.add_argument("--min-games", type=positive, default=rules.min_games, metavar="N",
                        help=f"how often a move must have been played (default {rules.min_games})")
    parser.add_argument("--min-score", type=FloatRange(0, 100), default=rules.min_score, metavar="PERCENT",
                        help="percentage of the points that a move must have scored (default 0)")
    parser.add_argument("--min-elo", type=IntRange(0, _LARGEST_ELO), metavar="ELO",
                        help="minimum Elo of both players, by the headers")
    parser.add_argument("--since", type=IntRange(0, _LARGEST_YEAR), metavar="YEAR",
                        help="earliest year of a game, by its headers")
    parser.add_argument("--weighting", choices=[choice.value for choice in Weighting], default=rules.weighting.value,
                        help="weigh a move by the half points that it scored, or by the number of its games")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action and return the exit status."""
    module, function = _ACTIONS[arguments.action]
    status: int = getattr(importlib.import_module(f"engine.commands.book.{module}"), function)(arguments)
    return status
