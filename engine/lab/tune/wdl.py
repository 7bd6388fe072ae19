"""`tune wdl FILE...`: fit the WDL model of a network to the results of games."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from engine.cli.arguments import IntRange, OutputFile, add_seed, in_file, positive
from engine.cli.interruption import is_interrupted
from engine.cli.output import print_warning
from engine.cli.progress import count_with_progress
from engine.lab.arena.replay import mixed_blocks
from engine.lab.arena.wdl_samples import wdl_samples
from engine.lab.provenance import command_of, names_of, today
from engine.system.errors import InputError
from engine.system.files import begins_with
from engine.system.host import usable_cores
from eval.evaluator import features_evaluator
from eval.network.file import LARGEST_SCALE, MAGIC, Network, read_network, write_network
from eval.network.memory import LoadedNetwork
from eval.networks import BUILT_IN_FILE
from eval.tuner.samples import Samples
from eval.tuner.wdl import fit_wdl_model
from eval.wdl import format_wdl_model


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games from `selfplay`, or games in PGN")
    parser.add_argument("--out", type=OutputFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
                        help="the network with the fitted model")
    parser.add_argument("--network", type=in_file, default=BUILT_IN_FILE, metavar="FILE.network",
                        help="the network to fit (default: the built-in one)")
    parser.add_argument("--scale", type=IntRange(1, LARGEST_SCALE), metavar="CP",
                        help="first set the centipawns for a logit of 1 (default: unchanged)")
    parser.add_argument("--games", type=positive, default=30_000, metavar="N",
                        help="search one position from each of at most this many games (default 30000)")
    parser.add_argument("--nodes", type=positive, default=500, metavar="N", help="nodes per position (default 500)")
    add_seed(parser, "the choice of positions")


def run(arguments: argparse.Namespace) -> int:
    """Fit and print the model, write the network with it, and return the exit status."""
    network = _set_scale(read_network(arguments.network), arguments.scale)
    samples = _search_samples(arguments, network)
    model, likelihood = fit_wdl_model(samples)
    result = f"{len(samples)} positions; {format_wdl_model(model)}; mean negative log-likelihood {likelihood:.4f}"
    print(result)
    if is_interrupted():
        print(f"interrupted; {arguments.out} was not written", file=sys.stderr)
        return 0
    fit = {"command": command_of("tune wdl", arguments, ("games", "nodes", "scale", "seed")), "date": today(),
           "result": result}
    write_network(replace(network, outcome=tuple(model), provenance={**network.provenance, "outcome": fit}),
                  arguments.out)
    return 0


def _search_samples(arguments: argparse.Namespace, network: Network) -> Samples:
    """One searched position of each game; fewer after an interruption. InputError if there is none."""
    evaluator, warnings = replace(features_evaluator(), network=LoadedNetwork(network)), list[str]()
    searched = wdl_samples(mixed_blocks(arguments.data, warnings.append), evaluator, arguments.nodes,
                           arguments.games, arguments.seed, usable_cores())
    samples = Samples.join(list(count_with_progress(searched, "positions", arguments.games)))
    if not len(samples):
        raise InputError(warnings[0] if warnings else f"no games in {names_of(arguments.data)}")
    for warning in warnings:
        print_warning(warning)
    return samples


def _set_scale(network: Network, scale: int | None) -> Network:
    """The network with this scale, recorded in its provenance; the same network if `scale` is None."""
    if scale is None:
        return network
    provenance = {**network.provenance, "scale": f"set from {network.scale:.0f} to {scale} by tune wdl"}
    return replace(network, scale=float(scale), provenance=provenance)
