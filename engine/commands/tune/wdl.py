"""`tune outcome FILE...`: fit what a network's scores mean for the game, to how games ended."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from engine.arena.replay import mixed_blocks
from engine.arena.wdl_samples import wdl_samples
from engine.commands.shared.arguments import IntRange, OutputFile, add_seed, in_file, positive
from engine.commands.shared.interruption import is_interrupted
from engine.commands.shared.progress import count_with_progress
from engine.commands.shared.provenance import command_of, names_of, today
from engine.system.errors import InputError
from engine.system.files import begins_with
from engine.system.host import usable_cores
from eval.evaluator import BUILT_IN_FILE, features_evaluator
from eval.network.file import LARGEST_SCALE, MAGIC, Network, read_network, write_network
from eval.network.memory import LoadedNetwork
from eval.tuner.samples import Samples
from eval.tuner.wdl import fit_outcome
from eval.wdl import described


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE", help="training games, from `selfplay`")
    parser.add_argument("--out", type=OutputFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
                        help="where the network goes with what was found")
    parser.add_argument("--network", type=in_file, default=BUILT_IN_FILE, metavar="FILE.network",
                        help="the one in question (default: the built-in one)")
    parser.add_argument("--scale", type=IntRange(1, LARGEST_SCALE), metavar="CP",
                        help="first set what a logit of 1 is worth in its scores (default: as it is)")
    parser.add_argument("--games", type=positive, default=30_000, metavar="N",
                        help="one position from each of at most this many is searched (default 30000)")
    parser.add_argument("--nodes", type=positive, default=500, metavar="N", help="per position (default 500)")
    add_seed(parser, "the choice of positions")


def run(arguments: argparse.Namespace) -> int:
    """Fit, print the model, write the network with it, and return the exit status."""
    network = _rescaled(read_network(arguments.network), arguments.scale)
    samples = _searched(arguments, network)
    model, likelihood = fit_outcome(samples)
    found = f"{len(samples)} positions; {described(model)}; mean negative log-likelihood {likelihood:.4f}"
    print(found)
    if is_interrupted():
        print(f"interrupted: {arguments.out} is not written", file=sys.stderr)
        return 0
    told = {"command": command_of("tune outcome", arguments, ("games", "nodes", "scale", "seed")), "date": today(),
            "result": found}
    write_network(replace(network, outcome=tuple(model), provenance={**network.provenance, "outcome": told}),
                  arguments.out)
    return 0


def _searched(arguments: argparse.Namespace, network: Network) -> Samples:
    """A position of each game, searched; fewer after an interruption. InputError if there is none."""
    evaluation, complaints = replace(features_evaluator(), network=LoadedNetwork(network)), list[str]()
    found = wdl_samples(mixed_blocks(arguments.data, complaints.append), evaluation, arguments.nodes,
                        arguments.games, arguments.seed, usable_cores())
    samples = Samples.join(list(count_with_progress(found, "positions", arguments.games)))
    if not len(samples):
        raise InputError(complaints[0] if complaints else f"no games in {names_of(arguments.data)}")
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    return samples


def _rescaled(network: Network, scale: int | None) -> Network:
    """The network with another scale, which its provenance then tells."""
    if scale is None:
        return network
    provenance = {**network.provenance, "scale": f"set from {network.scale:.0f} to {scale} by tune outcome"}
    return replace(network, scale=float(scale), provenance=provenance)
