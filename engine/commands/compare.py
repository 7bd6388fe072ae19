"""`compare`: searches, evaluations and levels, compared by their cost or by the games they play."""

from __future__ import annotations

import argparse

from engine.lab.compare import bound, evaluations, levels, position, search, tournament
from engine.lab.compare.plots import check_plots

# What is compared: how its arguments are declared, what it does, and its help.
_COMMANDS = {
    "position": (position.configure, position.run,
                 "search the same positions with minimax, alpha-beta and its techniques, one at a time"),
    "bound": (bound.configure, bound.run,
              "alpha-beta's leaves compared with 2 b^(d/2), about what perfect move ordering visits"),
    "search": (search.configure, search.run,
               "what the tree of alpha-beta is made of at equal nodes, beside another engine's"),
    "tournament": (tournament.configure, tournament.run,
                   "all modes play each other with equal CPU time or nodes for every move"),
    "ladder": (tournament.configure_ladder, tournament.run,
               "a tournament of the tree searches from pure Monte Carlo to today's, each of which adds an idea"),
    "evaluations": (evaluations.configure, evaluations.run, "Elo by depth with richer and poorer evaluations"),
    "levels": (levels.configure, levels.run,
               "the Elo of each level on the scale of another engine's UCI_Elo, by one fit over all games"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    commands = parser.add_subparsers(dest="what", metavar="|".join(_COMMANDS), title="what", required=True)
    for name, (declare, _, text) in _COMMANDS.items():
        declare(commands.add_parser(name, help=text, description=text))


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit status."""
    check_plots(arguments)
    return _COMMANDS[arguments.what][1](arguments)
