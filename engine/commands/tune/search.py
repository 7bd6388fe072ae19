"""`tune search`: SPSA over the parameters of the search, by games against itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.alphabeta.params import PARAMETERS
from engine.arena import executors
from engine.arena.cancellation import cancel_games
from engine.arena.cluster import cluster
from engine.arena.kernel_games import FairnessTest
from engine.arena.openings import Openings, RandomOpenings
from engine.arena.records import Adjudication, Opening
from engine.arena.shards import in_order
from engine.arena.spsa import SpsaConfig, SpsaRun
from engine.commands.shared.arguments import (
    FloatRange,
    OutputStem,
    add_concurrency,
    add_seed,
    conflicts_with,
    in_file,
    positive,
    text,
)
from engine.commands.shared.interruption import is_interrupted, stop_on_interrupt
from engine.commands.shared.plots import plot_file, save_plot
from engine.commands.shared.tables import live_table
from engine.mcts import params as of_trees
from engine.search.modes import DEFAULT_MODE
from engine.system.errors import InputError
from engine.system.files import write_file
from engine.system.host import usable_cores

if TYPE_CHECKING:
    from concurrent.futures import Executor

_ALL = "all"
_HEADINGS = ("parameter", "default", "now", "steps moved")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--params", type=text, default=_ALL, metavar="NAME,...",
                        help="which ones (default: all but switches)")
    parser.add_argument("--mode", default=DEFAULT_MODE.name, choices=(DEFAULT_MODE.name, "mcts"),
                        help=f"the kind of search (default {DEFAULT_MODE.name})")
    parser.add_argument("--pairs", type=positive, default=10_000, metavar="N",
                        help="pairs of games in all (default 10000)")
    parser.add_argument("--batch", type=positive, default=32, metavar="N",
                        help="pairs with the same values (default 32)")
    parser.add_argument("--nodes", type=positive, default=5000, metavar="N", help="nodes per move (default 5000)")
    parser.add_argument("--rate", type=FloatRange(0, 1, above=True), default=0.002, metavar="X",
                        help="how far a won game moves a value at the end, in shares of its step (default 0.002; "
                             "fewer pairs need more)")
    add_seed(parser, "openings and changes")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also packed (default: random ones)")
    conflicts_with(add_concurrency(parser), "--cluster")
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="play on the dask cluster at tcp://...")
    parser.add_argument("--out", type=OutputStem((".json", ".txt")), required=True, metavar="NAME",
                        help="NAME.json is the checkpoint, NAME.txt holds the values, for `match NAME.txt default`")
    conflicts_with(parser.add_argument("--resume", action="store_true",
                                       help="go on from the checkpoint, as it was begun"),
                   "--params", "--mode", "--pairs", "--batch", "--nodes", "--rate", "--seed")
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help="draw the course of the values")


def run(arguments: argparse.Namespace) -> int:
    """Tune, print the values, and return the exit status."""
    checkpoint, values_file = (arguments.out.with_name(arguments.out.name + ending) for ending in (".json", ".txt"))
    if values_file.exists() and not arguments.resume:
        raise InputError(f"{values_file} exists, and would be overwritten")
    course = _course(arguments, checkpoint)
    with _executor(arguments, course) as (executor, width):
        _follow(course, checkpoint, executor, width, islice(_openings(arguments, course), course.played, None))
    if not course.is_over:
        print(f"{course.played} of {course.plan.pairs} pairs played; --resume goes on. The values so far:")
    values = course.rounded()
    if course.is_over:
        kind = f"{course.plan.tree}\n" if course.plan.tree else ""
        write_file(values_file, kind + "".join(f"{name}={value}\n" for name, value in values))
    for name, value in values:
        print(f"{name}={value}")
    if arguments.plot is not None and course.history:
        _plot(course, arguments.plot)
    return 0


def _course(arguments: argparse.Namespace, checkpoint: Path) -> SpsaRun:
    openings = "" if arguments.openings is None else arguments.openings.name
    if arguments.resume:
        course = SpsaRun.load(checkpoint)
        if course.plan.openings != openings:
            raise InputError(f"{checkpoint} was begun with other openings: {course.plan.openings or 'random ones'}")
        return course
    if checkpoint.exists():
        raise InputError(f"{checkpoint} exists; --resume goes on with it")
    tree = "" if arguments.mode == DEFAULT_MODE.name else arguments.mode
    names = tuple(arguments.params.split(",")) if arguments.params != _ALL else tuple(
        row.name for row in (of_trees.PARAMETERS if tree else PARAMETERS) if row.step)
    return SpsaRun.begin(SpsaConfig(names, arguments.pairs, arguments.batch, arguments.nodes, arguments.seed,
                                    arguments.rate, openings, tree))


def _openings(arguments: argparse.Namespace, course: SpsaRun) -> Iterator[Opening]:
    source = (RandomOpenings(is_fair=FairnessTest()) if arguments.openings is None else Openings(arguments.openings))
    return source.draw(course.plan.pairs, course.plan.seed, lambda text: print(f"error: {text}", file=sys.stderr))


def _executor(arguments: argparse.Namespace, course: SpsaRun) -> AbstractContextManager[tuple[Executor, int]]:
    if arguments.cluster is not None:
        return cluster(arguments.cluster)
    here = executors.processes if course.plan.tree else executors.threads  # trees are played by Python code
    return here(arguments.concurrency or usable_cores())


def _follow(course: SpsaRun, checkpoint: Path, executor: Executor, width: int, openings: Iterator[Opening]) -> None:
    """Play batch after batch, with a table of the values on a terminal, and a checkpoint after each."""
    with live_table() as show, stop_on_interrupt(cancel_games):
        while not course.is_over and not is_interrupted():
            show(f"{course.played} of {course.plan.pairs} pairs", _HEADINGS, _rows(course))
            batch = course.batch(openings, Adjudication())
            results = list(in_order(executor, [perturbation.pair for perturbation in batch], width))
            if len(results) < len(batch):
                return
            course.update(batch, results)
            course.save(checkpoint)


def _rows(course: SpsaRun) -> list[tuple[str, ...]]:
    """Where each parameter stands, under _HEADINGS."""
    return [(row.name, str(row.default), f"{course.values[row.name]:.4g}",
             f"{(course.values[row.name] - row.default) / row.step:+.2f}") for row in course.plan.rows()]


def _plot(course: SpsaRun, path: Path) -> None:
    """Each parameter's course, in steps from its default."""
    places = [min((number + 1) * course.plan.batch, course.plan.pairs) for number in range(len(course.history))]
    save_plot(path, ("pairs of games", "steps from the default"), {
        row.name: (places, [(values[row.name] - row.default) / row.step for values in course.history])
        for row in course.plan.rows()}, title="Where the parameters went")
