"""`match A B`: a match between two engines or two configs of this one, with Elo and its error.

`match --ablate` plays a match against the default for each technique, with that technique switched off. `match A B
--scaling` plays a match at each of several numbers of nodes: what gains little in short searches may gain more in long.
"""

from __future__ import annotations

import argparse

from engine.cli.arguments import (
    FloatRange,
    OutputFile,
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
from engine.cli.interruption import is_interrupted
from engine.cli.output import add_json, print_object
from engine.cli.tables import GrowingTable
from engine.lab.arena.statistics import Sprt
from engine.lab.match.matches import new_pairing, new_score, pgn_file, play, play_ablation, play_scaling
from engine.lab.match.pairings import DEFAULT_CONTROL, DEFAULT_NODES, HASH
from engine.lab.match.score import SCALING_COLUMNS, as_object, print_ablation, scaling_cells, summary
from engine.system.errors import InputError
from engine.system.files import begins_with

_HAS_FORFEITS = 1
_LARGEST_ELO = 500
_SCALING_NODES = "5000,20000,100000,400000"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", nargs="?", type=text, metavar="A",
                        help="cmd:COMMAND, any UCI engine; or a config of this one: default, features, "
                             "NAME=VALUE,..., or a file: a network, weights or parameters")
    parser.add_argument("second", nargs="?", type=text, metavar="B", help="the same (default: default)")
    parser.add_argument("--ablate", action="store_true", help="instead: play with each technique switched off")
    parser.add_argument("--games", type=positive, default=100, metavar="N",
                        help="games, at most with --sprt (default 100)")
    _add_limits(parser)
    _add_openings_and_players(parser)
    parser.add_argument("--pgn", type=OutputFile("PGN file", begins_with(b"[")), metavar="FILE",
                        help="append the games to this file")
    requires_option(parser.add_argument("--resume", action="store_true", help="continue the match in --pgn"),
                    "--pgn")
    parser.add_argument("--sprt", type=FloatRange(-_LARGEST_ELO, _LARGEST_ELO), nargs=2, metavar=("ELO0", "ELO1"),
                        help="stop when this SPRT is decided")
    parser.add_argument("--no-adjudication", action="store_true", help="play every game to its end")
    add_json(parser, "one object, with --ablate one per technique")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare what ends the search for a move."""
    limits = parser.add_mutually_exclusive_group()
    conflicts_with(limits.add_argument("--scaling", nargs="?", type=text, const=_SCALING_NODES, metavar="NODES,...",
                                       help="instead: play --games at each of these nodes per move; with none "
                                            f"named, at {_SCALING_NODES}"), "--ablate", "--pgn", "--sprt")
    limits.add_argument("--tc", type=text, metavar="[MOVES/]S+INC",
                        help="time control: seconds per game, or per MOVES moves, + seconds per move "
                             f"(default {DEFAULT_CONTROL})")
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help=f"nodes per move instead of a clock (configs: always, default {DEFAULT_NODES})")
    limits.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="milliseconds for each move instead of a clock")
    for side in "ab":
        parser.add_argument(f"--depth-{side}", type=plies, metavar="D",
                            help=f"fixed depth for {side.upper()}, in place of the common limit")


def _add_openings_and_players(parser: argparse.ArgumentParser) -> None:
    """Declare where the games begin, and with what the players play."""
    for side in "ab":
        parser.add_argument(f"--network-{side}", type=text, metavar="FILE", help=f"configs: {side.upper()} evaluates "
                            "with this network, or with `features`")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also compressed (default: random openings)")
    parser.add_argument("--chess960", action="store_true", help="play Chess960")
    add_seed(parser, "the openings")
    conflicts_with(add_concurrency(parser, "1; configs: as many as there are cores"), "--cluster")
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="configs: play on the dask cluster at tcp://...")
    add_hash(parser, HASH)
    for option, whose in (("--option", "both"), ("--option-a", "A"), ("--option-b", "B")):
        parser.add_argument(option, action="append", type=text, default=[], metavar="NAME=VALUE",
                            help=f"UCI option of {whose}")


def run(arguments: argparse.Namespace) -> int:
    """Play, print the result, and return the exit status: 1 if a game was forfeited or an illegal line announced."""
    if arguments.sprt is not None and not arguments.sprt[0] < arguments.sprt[1]:
        raise InputError("--sprt must be a smaller Elo, then a larger one")
    if arguments.ablate:
        return _ablate(arguments)
    if arguments.first is None:
        raise InputError("match needs two players, or --ablate")
    if arguments.scaling is not None:
        return _scale(arguments)
    pairing = new_pairing(arguments)
    score = new_score(pairing)
    file = pgn_file(arguments, score)
    sprt = Sprt(*arguments.sprt) if arguments.sprt is not None else None
    try:
        play(arguments, pairing, score, sprt, file)
    finally:
        if score.outcomes or is_interrupted():
            if arguments.json:
                print_object(as_object(score, sprt))
            else:
                print(summary(score, sprt))
    return _HAS_FORFEITS if any(score.forfeits()) or score.illegal_lines else 0


def _scale(arguments: argparse.Namespace) -> int:
    """A match at each number of nodes; prints each result as soon as it is known."""
    try:
        lengths = [positive(word) for word in arguments.scaling.split(",")]
    except argparse.ArgumentTypeError as error:
        raise InputError(f"--scaling: {error}") from error
    table = None if arguments.json else GrowingTable(SCALING_COLUMNS, left=("result",))
    for nodes, score in play_scaling(arguments, lengths):
        if table is None:
            print_object({"nodes": nodes, **as_object(score, None)})
        else:
            table.add(*scaling_cells(nodes, score))
    return 0


def _ablate(arguments: argparse.Namespace) -> int:
    """A match for each technique, which is switched off, against the default."""
    if arguments.first is not None or arguments.pgn is not None or arguments.sprt is not None:
        raise InputError("--ablate takes no players, no --pgn and no --sprt")
    scores = list(play_ablation(arguments))
    if arguments.json:
        for name, score in scores:
            print_object({"without": name.removeprefix("use_"), **as_object(score, None)})
    else:
        print_ablation(scores)
    return 0
