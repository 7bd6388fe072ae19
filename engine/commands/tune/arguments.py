"""The arguments that `tune network` and `tune teacher` share."""

from __future__ import annotations

import argparse
from collections.abc import Set as AbstractSet
from typing import Any

from engine.arena.replay import SampleFilter
from engine.commands.shared.arguments import (
    FloatRange,
    IntRange,
    add_seed,
    folder,
    in_file,
    minutes,
    positive,
    requires_option,
    text,
)
from engine.commands.shared.provenance import command_of
from engine.commands.tune.pretraining import PretrainArgument
from engine.commands.tune.report import MILLION
from engine.system.errors import InputError, quote

_NOT_OF_THE_COURSE = {"data", "out", "plot", "resume", "command", "what"}


def add_training_arguments(parser: argparse.ArgumentParser, epochs: int, batch: int) -> Any:
    """Declare what is learned from, and how; returns the group for the course."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games, from `selfplay`, also packed by xz")
    course = parser.add_argument_group("the course")
    add = course.add_argument
    add("--epochs", type=positive, default=epochs, metavar="N", help=f"passes over the games (default {epochs})")
    add("--minutes", type=minutes, metavar="X", help="as many passes as fit into this, reading included")
    add("--batch", type=positive, default=batch, metavar="N", help=f"(default {batch})")
    add("--rate", type=FloatRange(0, 1, above=True), default=1e-3, metavar="X",
        help="of learning, at first (default 0.001)")
    add("--decay", type=FloatRange(0, 1), default=0.01, metavar="X", help="of weights (default 0.01)")
    add("--share", type=text, default="0.3", metavar="X[:Y]",
        help="of the result in the target, from X at first to Y at last (default 0.3)")
    add("--loss-power", type=FloatRange(1, 10), default=2.0, metavar="X", help="of the error in the loss (default 2)")
    add("--thin", type=positive, default=1, metavar="N", help="in each pass take only two neighbouring positions of "
        "every 2 N, the next two in the next pass (default 1: all of them)")
    add("--scale", type=FloatRange(1, 10_000), metavar="CP", help="for a logit of 1 (default: fitted to the results)")
    add("--pretrain", type=PretrainArgument(), action="append", default=[], metavar="COUNT[:NODES[:EPOCHS]]",
        help="first teach neighbours of the games' positions, labelled by the features' static evaluation or, with "
        "NODES, by searches; may be given several times")
    add("--pretrain-part", type=FloatRange(0, 1, above=True), default=0.3, metavar="X",
        help="of the minutes (default 0.3)")
    requires_option(add("--neighbours", type=folder, metavar="FOLDER",
                        help="keep the labelled neighbours here, and use "
                        "those that are there"), "--pretrain")
    add("--games-rate", type=FloatRange(0, 1, above=True), metavar="X",
        help="of learning from the games, after neighbours (default: as --rate)")
    add_seed(parser, "the course")
    add("--device", type=text, metavar="NAME", help="torch's name for it (default: cuda where there is one)")
    _add_samples(parser)
    return course


def _add_samples(parser: argparse.ArgumentParser) -> None:
    defaults = SampleFilter()
    samples = parser.add_argument_group("the samples")
    for name, least, what in (("first_ply", 0, "plies of a game to leave out"), ("largest_score", 1, "centipawns"),
                              ("per_game", 1, "the most positions from one game, roughly"),
                              ("held_out", 2, "one game in this many is held out for validation")):
        value = getattr(defaults, name)
        samples.add_argument(f"--{name.replace('_', '-')}", type=IntRange(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--few-men-share", type=FloatRange(0, 1), default=defaults.few_men_share, metavar="X",
                         help=f"of positions with nine men or fewer, at most (default {defaults.few_men_share})")
    samples.add_argument("--decay-of-returns", type=FloatRange(0, 1), default=defaults.decay, metavar="X",
                         help="take returns for scores: a score counts X times as much as the one before it in the "
                         f"game, down to the result (default {defaults.decay:g}: only a position's own score)")
    samples.add_argument("--shard", type=FloatRange(1 / MILLION, 10_000), default=100, metavar="X",
                         help="million positions at a time in memory (default 100)")


def command_line_of(name: str, arguments: argparse.Namespace, without: AbstractSet[str] = frozenset()) -> str:
    """The command without what only says where things go, and without some other options."""
    return command_of(name, arguments, sorted(vars(arguments).keys() - _NOT_OF_THE_COURSE - without))


def read_wdl_weight(words: str) -> tuple[float, float]:
    try:
        first, _, last = words.partition(":")
        pair = float(first), float(last or first)
    except ValueError as error:
        raise InputError(f"--share is X or X:Y, not {quote(words)}") from error
    if not all(0 <= share <= 1 for share in pair):
        raise InputError("--share must lie from 0 to 1")
    return pair
