"""The arguments that `tune network` and `tune teacher` share."""

from __future__ import annotations

import argparse
from collections.abc import Set as AbstractSet
from typing import Any

from engine.cli.arguments import (
    FloatRange,
    IntRange,
    OutputFolder,
    add_seed,
    in_file,
    minutes,
    positive,
    requires_option,
    text,
)
from engine.lab.arena.replay import SampleFilter
from engine.lab.provenance import command_of
from engine.lab.tune.pretraining import PretrainArgument
from engine.lab.tune.report import MILLION
from engine.system.errors import InputError, quote

_NOT_TRAINING = {"data", "out", "plot", "resume", "command", "what"}


def add_training_arguments(parser: argparse.ArgumentParser, epochs: int, batch: int) -> Any:
    """Declare the data and the options of a training run; returns the argument group of the training."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games from `selfplay`, also compressed by xz")
    parser.add_argument("--window", nargs="+", action="extend", type=in_file, default=[], metavar="FILE",
                        help="older games: as many of them as of the others, chosen at random, are mixed in")
    training = parser.add_argument_group("training")
    add = training.add_argument
    add("--epochs", type=positive, default=epochs, metavar="N", help=f"passes over the games (default {epochs})")
    add("--minutes", type=minutes, metavar="X", help="as many passes as fit into this time, reading included")
    add("--batch", type=positive, default=batch, metavar="N", help=f"batch size (default {batch})")
    add("--learning-rate", type=FloatRange(0, 1, above=True), default=1e-3, metavar="X",
        help="learning rate at the start (default 0.001)")
    add("--weight-decay", type=FloatRange(0, 1), default=0.01, metavar="X", help="weight decay (default 0.01)")
    add("--wdl-weight", type=text, default="0.3", metavar="X[:Y]",
        help="weight of the game result in the target, from X at the start to Y at the end (default 0.3)")
    add("--loss-power", type=FloatRange(1, 10), default=2.0, metavar="X",
        help="power of the error in the loss (default 2)")
    add("--average", type=FloatRange(0, 0.9999), default=0.0, metavar="X",
        help="average the parameters over the steps, with this weight of the past at each (default 0: no average)")
    add("--thin", type=positive, default=1, metavar="N", help="in each pass take only two neighbouring positions of "
        "every 2 N, the next two in the next pass (default 1: all of them)")
    add("--scale", type=FloatRange(1, 10_000), metavar="CP",
        help="centipawns for a logit of 1 (default: fitted to the results)")
    add("--pretrain", type=PretrainArgument(), action="append", default=[], metavar="COUNT[:NODES[:EPOCHS]]",
        help="first train on neighbours of the games' positions, labelled by the features' static evaluation, with "
        "NODES by searches, with `material` for NODES by material; may be repeated")
    add("--pretrain-share", type=FloatRange(0, 1, above=True), default=0.3, metavar="X",
        help="share of the minutes for pretraining (default 0.3)")
    requires_option(add("--neighbours", type=OutputFolder(), metavar="FOLDER",
                        help="keep the labelled neighbours here, and use those already there"), "--pretrain")
    add("--games-learning-rate", type=FloatRange(0, 1, above=True), metavar="X",
        help="learning rate for the games after pretraining (default: as --learning-rate)")
    add_seed(parser, "the training")
    add("--device", type=text, metavar="NAME", help="torch device (default: cuda if there is one)")
    _add_samples(parser)
    return training


def _add_samples(parser: argparse.ArgumentParser) -> None:
    defaults = SampleFilter()
    samples = parser.add_argument_group("samples")
    for name, least, what in (("first_ply", 0, "plies of each game to skip"),
                              ("largest_score", 1, "skip positions with larger scores, in centipawns"),
                              ("per_game", 1, "at most about this many positions from one game"),
                              ("held_out", 2, "one game in this many is held out for validation")):
        value = getattr(defaults, name)
        samples.add_argument(f"--{name.replace('_', '-')}", type=IntRange(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--few-pieces-share", type=FloatRange(0, 1), default=defaults.few_pieces_share, metavar="X",
                         help="largest share of positions with nine pieces or fewer "
                         f"(default {defaults.few_pieces_share})")
    samples.add_argument("--lambda", type=FloatRange(0, 1), default=defaults.lambda_, metavar="X",
                         help="mix later scores of the game and its result into the score, each X times as much as "
                         f"the one before (default {defaults.lambda_:g}: only the position's own score)")
    samples.add_argument("--shard", type=FloatRange(1 / MILLION, 10_000), default=100, metavar="X",
                         help="million positions in memory at a time (default 100)")


def command_line_of(name: str, arguments: argparse.Namespace, without: AbstractSet[str] = frozenset()) -> str:
    """The command line of a training run, without options that only name output files, and without `without`."""
    return command_of(name, arguments, sorted(vars(arguments).keys() - _NOT_TRAINING - without))


def parse_wdl_weight(words: str) -> tuple[float, float]:
    """Parse `X` or `X:Y`, the WDL weights at the start and at the end; InputError if they are not from 0 to 1."""
    try:
        first, _, last = words.partition(":")
        pair = float(first), float(last or first)
    except ValueError as error:
        raise InputError(f"--wdl-weight must be X or X:Y, got {quote(words)}") from error
    if not all(0 <= weight <= 1 for weight in pair):
        raise InputError(f"--wdl-weight must be from 0 to 1, got {quote(words)}")
    return pair
