"""`tune outcome FILE...`: fit what a network's scores mean for the game, to how games ended."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from itertools import chain

from engine.arena.gamefile import read_games
from engine.arena.judging import searched_samples
from engine.commands.shared.arguments import OutFile, add_seed, in_file, positive
from engine.commands.shared.progress import progress_bar
from engine.core.errors import InputError
from engine.files import begins_with
from eval.choice import BUILT_IN_FILE, evaluation_named
from eval.fit_outcome import fit_outcome
from eval.network.file import MAGIC, read_network, write_network
from eval.outcome import described
from eval.samples import Samples


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE", help="training games, from `selfplay`")
    parser.add_argument("--out", type=OutFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
                        help="where the network goes with what was found")
    parser.add_argument("--network", type=in_file, default=BUILT_IN_FILE, metavar="FILE.network",
                        help="the one in question (default: the built-in one)")
    parser.add_argument("--games", type=positive, default=30_000, metavar="N",
                        help="one position from each of at most this many is searched (default 30000)")
    parser.add_argument("--nodes", type=positive, default=500, metavar="N", help="per position (default 500)")
    add_seed(parser, "the choice of positions")


def run(arguments: argparse.Namespace) -> int:
    """Fit, print the model, write the network with it, and return the exit status."""
    network, evaluation = read_network(arguments.network), evaluation_named(str(arguments.network))
    blocks = chain.from_iterable(map(read_games, arguments.data))
    found = searched_samples(blocks, evaluation, arguments.nodes, arguments.games, arguments.seed, os.cpu_count() or 1)
    parts: list[Samples] = []
    with progress_bar(arguments.games) as show:
        for part in found:
            parts.append(part)
            show(len(parts), "positions")
    samples = Samples.join(parts)
    if not len(samples):
        raise InputError("the files hold no games")
    model, likelihood = fit_outcome(samples)
    print(f"{len(samples)} positions; {described(model)}; mean negative log-likelihood {likelihood:.4f}")
    write_network(replace(network, outcome=tuple(model)), arguments.out)
    return 0
