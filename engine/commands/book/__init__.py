"""`book build | check | show | merge | names`: make a Polyglot book from games, and look into one."""

from __future__ import annotations

import argparse
import importlib

from book.polyglot import BUILT_IN
from engine.commands.shared.arguments import (
    FloatRange,
    IntRange,
    OutputFile,
    add_fen,
    in_file,
    positive,
    requires_option,
    text,
)
from engine.commands.shared.output import add_json
from engine.system.files import begins_with

_DEFAULT_HELP = "(default: the built-in one)"
_LARGEST_YEAR = 9999
# What each subcommand runs, imported when it is asked for.
_ACTIONS = {"build": ("build", "run_build"), "check": ("check", "run"), "show": ("show", "run"),
            "merge": ("build", "run_merge"), "names": ("build", "run_names")}
_LARGEST_ELO = 5000
WORST = 60
_SHOW_NODES = 20_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from book.polyglot import is_book

    book_file, names_file = OutputFile("Polyglot book", is_book), OutputFile("table of names", begins_with(b"\xfd7zXZ"))
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    _configure_build(kinds.add_parser("build", help="a book from games"))
    check = kinds.add_parser("check", help="whether a book is sound: order, legality, the engine's verdict")
    check.add_argument("file", nargs="?", type=in_file, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    check.add_argument("--nodes", type=positive, metavar="N", help="search every position with N nodes")
    requires_option(check.add_argument("--worst", type=IntRange(0, 10_000), metavar="CP",
                                       help=f"how far a line may leave a side behind (default {WORST})"), "--nodes")
    # Only the engine's verdict takes moves out.
    requires_option(check.add_argument("--out", type=book_file, metavar="FILE.bin",
                                       help="write what was judged and loses no "
                                       "more; what cannot be reached is left out"), "--nodes")
    add_fen(check)
    show = kinds.add_parser("show", help="the moves of a position")
    show.add_argument("file", nargs="?", type=in_file, default=BUILT_IN, metavar="FILE.bin", help=_DEFAULT_HELP)
    add_fen(show)
    show.add_argument("--moves", nargs="*", type=text, default=[], metavar="MOVE",
                      help="moves from there, as Nf3 or g1f3")
    show.add_argument("--nodes", type=positive, default=_SHOW_NODES, metavar="N",
                      help=f"search each move with N nodes (default {_SHOW_NODES})")
    add_json(show, "one object with all moves")
    merge = kinds.add_parser("merge", help="one book of several, with the sums of the weights")
    merge.add_argument("files", nargs="+", type=in_file, metavar="FILE.bin")
    merge.add_argument("--out", type=book_file, required=True, metavar="FILE.bin")
    names = kinds.add_parser("names", help="the table of opening names, from lists with the columns eco, name and pgn")
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
                        help=f"plies of a game that count (default {rules.max_ply})")
    parser.add_argument("--min-games", type=positive, default=rules.min_games, metavar="N",
                        help=f"how often a move must have been played (default {rules.min_games})")
    parser.add_argument("--min-score", type=FloatRange(0, 100), default=rules.min_score, metavar="PERCENT",
                        help="percentage of the points that a move must have scored (default 0)")
    parser.add_argument("--min-elo", type=IntRange(0, _LARGEST_ELO), metavar="ELO",
                        help="of both players, by the games' headers")
    parser.add_argument("--since", type=IntRange(0, _LARGEST_YEAR), metavar="YEAR", help="of the game, by its headers")
    parser.add_argument("--weighting", choices=[kind.value for kind in Weighting], default=rules.weighting.value,
                        help="weigh a move by the half points that it scored, or by the number of its games")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked, and return the exit status."""
    module, function = _ACTIONS[arguments.kind]
    status: int = getattr(importlib.import_module(f"engine.commands.book.{module}"), function)(arguments)
    return status
