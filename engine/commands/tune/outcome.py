"""`tune outcome FILE...`: fit what a network's scores mean for the game, to games that it has played with itself."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from engine.arena.gamefile import read_games
from engine.arena.positions import quiet_samples
from engine.commands.shared.arguments import OutFile, in_file
from engine.core.errors import InputError
from engine.files import begins_with
from eval.choice import BUILT_IN_FILE
from eval.fit_outcome import fit_outcome
from eval.network.file import MAGIC, read_network, write_network
from eval.outcome import described


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE", help="games by the network, from `selfplay`")
    parser.add_argument("--network", type=in_file, default=BUILT_IN_FILE, metavar="FILE.network",
                        help="the one that played (default: the built-in one)")
    parser.add_argument("--out", type=OutFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
                        help="where it goes with what was found")


def run(arguments: argparse.Namespace) -> int:
    """Fit, print the model, write the network with it, and return the exit status."""
    network = read_network(arguments.network)
    samples = quiet_samples((games for path in arguments.data for games in read_games(path)), os.cpu_count() or 1)
    if not len(samples):
        raise InputError("the games have no quiet positions")
    model, likelihood = fit_outcome(samples)
    games = len(set(samples.rows["game"].tolist()))
    print(f"{len(samples)} quiet positions of {games} games")
    print(f"chances of the game: {described(model)}; mean negative log-likelihood {likelihood:.4f}")
    write_network(replace(network, outcome=tuple(model)), arguments.out)
    return 0
