"""`tune`: fits the engine's parameters, weights, networks and policies to games."""

from __future__ import annotations

import argparse

from engine.lab.tune import (
    blind_spots,
    generations,
    judge,
    network,
    policy,
    screen,
    search,
    teacher,
    wdl,
    weights,
    yardstick,
)

_COMMANDS = {
    "search": (search, "tune the search parameters by SPSA, in games of the engine against itself"),
    "screen": (screen, "measure what many changes of the search are worth, all in the same games"),
    "weights": (weights, "tune the weights of the features by regression on training games"),
    "network": (network, "train a network on training games"),
    "teacher": (teacher, "train a teacher, which labels positions for the network, on training games"),
    "policy": (policy, "train the policy of the tree search on the moves of training games"),
    "wdl": (wdl, "fit the win, draw and loss model of a network to the results of games"),
    "judge": (judge, "compare networks by their errors on held-out games; trains nothing"),
    "yardstick": (yardstick, "collect one position of each game, to compare networks by"),
    "blind-spots": (blind_spots, "count how late a player sees that it is losing, and collect those positions"),
    "generations": (generations, "let the tree search teach itself: play, train, and measure each generation"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    commands = parser.add_subparsers(dest="what", metavar="WHAT", title="what", required=True)
    for name, (module, text) in _COMMANDS.items():
        module.configure(commands.add_parser(name, help=text, description=text))


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen subcommand and return its exit status."""
    status: int = _COMMANDS[arguments.what][0].run(arguments)
    return status
