"""`tune search`: tune the search parameters by SPSA, in games of the engine against itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.alphabeta.params import PARAMETERS
from engine.cli.arguments import (
    FloatRange,
    OutputStem,
    add_concurrency,
    add_seed,
    conflicts_with,
    in_file,
    positive,
    text,
)
from engine.cli.interruption import is_interrupted, stop_on_interrupt
from engine.cli.output import print_warning
from engine.cli.plots import plot_file, save_plot
from engine.cli.tables import live_table
from engine.lab.arena import executors
from engine.lab.arena.cancellation import cancel_games
from engine.lab.arena.cluster import cluster
from engine.lab.arena.kernel_games import FairnessTest
from engine.lab.arena.openings import Openings, RandomOpenings
from engine.lab.arena.records import Adjudication, Opening
from engine.lab.arena.shards import in_order
from engine.lab.arena.spsa import SpsaConfig, SpsaRun
from engine.mcts import params as tree_params
from engine.search.modes import DEFAULT_MODE
from engine.system.errors import InputError
from engine.system.files import write_file
from engine.system.host import usable_cores

if TYPE_CHECKING:
    from concurrent.futures import Executor

_ALL = "all"
_LEAST_DRIFT = 0.1  # steps that a value must have moved to be named in a report
_HEADINGS = ("parameter", "default", "now", "steps moved")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--params", type=text, default=_ALL, metavar="NAME,...",
                        help="parameters to tune (default: all except switches)")
    parser.add_argument("--mode", default=DEFAULT_MODE.name, choices=(DEFAULT_MODE.name, "mcts"),
                        help=f"the search mode (default {DEFAULT_MODE.name})")
    parser.add_argument("--pairs", type=positive, default=10_000, metavar="N",
                        help="pairs of games in total (default 10000)")
    parser.add_argument("--batch", type=positive, default=32, metavar="N",
                        help="pairs played with the same values (default 32)")
    parser.add_argument("--nodes", type=positive, default=5000, metavar="N", help="nodes per move (default 5000)")
    parser.add_argument("--rate", type=FloatRange(0, 1, above=True), default=0.002, metavar="X",
                        help="how far a won game moves a value at the end, in multiples of its step (default 0.002; "
                             "fewer pairs need more)")
    add_seed(parser, "openings and changes")
    parser.add_argument("--openings", type=in_file, metavar="FILE",
                        help="EPD or PGN, also compressed (default: random openings)")
    conflicts_with(add_concurrency(parser), "--cluster")
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help="play on the dask cluster at tcp://...")
    parser.add_argument("--out", type=OutputStem((".json", ".txt")), required=True, metavar="NAME",
                        help="NAME.json is the checkpoint, NAME.txt holds the values for `match NAME.txt default`")
    conflicts_with(parser.add_argument("--resume", action="store_true",
                                       help="continue from the checkpoint, with its options"),
                   "--params", "--mode", "--pairs", "--batch", "--nodes", "--rate", "--seed")
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help="draw how the values moved")


def run(arguments: argparse.Namespace) -> int:
    """Tune, print the values, and return the exit status."""
    checkpoint, values_file = (arguments.out.with_name(arguments.out.name + ending) for ending in (".json", ".txt"))
    if values_file.exists() and not arguments.resume:
        raise InputError(f"{values_file} exists and would be overwritten")
    spsa_run = _start_or_resume(arguments, checkpoint)
    with _executor(arguments, spsa_run) as (executor, width):
        _play(spsa_run, checkpoint, executor, width, islice(_openings(arguments, spsa_run), spsa_run.played, None))
    if not spsa_run.is_over:
        print(f"{spsa_run.played} of {spsa_run.plan.pairs} pairs played; use --resume to continue. The values so far:")
    values = spsa_run.rounded()
    if spsa_run.is_over:
        mode = f"{spsa_run.plan.tree}\n" if spsa_run.plan.tree else ""
        write_file(values_file, mode + "".join(f"{name}={value}\n" for name, value in values))
    for name, value in values:
        print(f"{name}={value}")
    if arguments.plot is not None and spsa_run.history:
        _plot(spsa_run, arguments.plot)
    return 0


def _start_or_resume(arguments: argparse.Namespace, checkpoint: Path) -> SpsaRun:
    openings = "" if arguments.openings is None else arguments.openings.name
    if arguments.resume:
        spsa_run = SpsaRun.load(checkpoint)
        if spsa_run.plan.openings != openings:
            raise InputError(f"{checkpoint} was started with other openings: {spsa_run.plan.openings or 'random ones'}")
        return spsa_run
    if checkpoint.exists():
        raise InputError(f"{checkpoint} exists; use --resume to continue it")
    tree = "" if arguments.mode == DEFAULT_MODE.name else arguments.mode
    names = tuple(arguments.params.split(",")) if arguments.params != _ALL else tuple(
        row.name for row in (tree_params.PARAMETERS if tree else PARAMETERS) if row.step)
    return SpsaRun.start(SpsaConfig(names, arguments.pairs, arguments.batch, arguments.nodes, arguments.seed,
                                    arguments.rate, openings, tree))


def _openings(arguments: argparse.Namespace, spsa_run: SpsaRun) -> Iterator[Opening]:
    source = (RandomOpenings(is_fair=FairnessTest()) if arguments.openings is None else Openings(arguments.openings))
    return source.draw(spsa_run.plan.pairs, spsa_run.plan.seed, print_warning)


def _executor(arguments: argparse.Namespace, spsa_run: SpsaRun) -> AbstractContextManager[tuple[Executor, int]]:
    if arguments.cluster is not None:
        return cluster(arguments.cluster)
    here = executors.processes if spsa_run.plan.tree else executors.threads  # Python code plays the games of trees
    return here(arguments.concurrency or usable_cores())


def _play(spsa_run: SpsaRun, checkpoint: Path, executor: Executor, width: int, openings: Iterator[Opening]) -> None:
    """Play batches, with a live table of the values on a terminal, and write a checkpoint after each."""
    with live_table() as show, stop_on_interrupt(cancel_games):
        while not spsa_run.is_over and not is_interrupted():
            show(f"{spsa_run.played} of {spsa_run.plan.pairs} pairs", _HEADINGS, _rows(spsa_run))
            batch = spsa_run.batch(openings, Adjudication())
            results = list(in_order(executor, [perturbation.pair for perturbation in batch], width))
            if len(results) < len(batch):
                return
            windows = len(spsa_run.windows)
            spsa_run.update(batch, results)
            spsa_run.save(checkpoint)
            if len(spsa_run.windows) > windows or (spsa_run.is_over and windows):
                print(_report(spsa_run))


def _report(spsa_run: SpsaRun) -> str:
    """The values that have moved, in steps from their defaults, and what those of a window ago have gained."""
    drifts = [(f"{row.name} {spsa_run.values[row.name]:.4g}", (spsa_run.values[row.name] - row.default) / row.step)
              for row in spsa_run.plan.rows()]
    moved = ", ".join(f"{text} ({drift:+.2f})" for text, drift in drifts if abs(drift) >= _LEAST_DRIFT)
    gain = spsa_run.estimated_gain
    begun = f"{2 * spsa_run.played} games: moved {moved or 'nothing yet'}; "
    if gain is None:
        return f"{begun}no estimate yet"
    games = 2 * spsa_run.estimated_pairs
    return f"{begun}estimated gain of the values after {games} games {gain.value:+.1f} +- {gain.error:.1f} Elo"


def _rows(spsa_run: SpsaRun) -> list[tuple[str, ...]]:
    """The table of the values, one row per parameter under _HEADINGS."""
    return [(row.name, str(row.default), f"{spsa_run.values[row.name]:.4g}",
             f"{(spsa_run.values[row.name] - row.default) / row.step:+.2f}") for row in spsa_run.plan.rows()]


def _plot(spsa_run: SpsaRun, path: Path) -> None:
    """Plot how each parameter moved, in steps from its default."""
    pairs = [min((number + 1) * spsa_run.plan.batch, spsa_run.plan.pairs) for number in range(len(spsa_run.history))]
    save_plot(path, ("pairs of games", "steps from the default"), {
        row.name: (pairs, [(values[row.name] - row.default) / row.step for values in spsa_run.history])
        for row in spsa_run.plan.rows()}, title="Parameters during the SPSA run")
