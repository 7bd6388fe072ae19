"""`tune search`, `tune eval`, `tune network` and others: the engine's numbers, learned from games."""

from __future__ import annotations

import argparse

from engine.commands.tune import generations, judge, network, policy, screen, search, teacher, wdl, weights

_KINDS = {
    "search": (search, "the parameters of the search, by games against itself (SPSA)"),
    "screen": (screen, "what many changes of the search are worth, by games that measure all of them at once"),
    "eval": (weights, "the weights of the evaluation, by regression on training games"),
    "network": (network, "a network that evaluates, by gradient descent on training games"),
    "teacher": (teacher, "a teacher that labels positions for the network, by gradient descent on training games"),
    "policy": (policy, "a policy that says which moves deserve a look, by gradient descent on training games"),
    "outcome": (wdl, "what the scores of a network mean for the game, by how games ended"),
    "judge": (judge, "nothing, but how well networks judge positions of held-out games"),
    "generations": (generations, "the tree search's own network and policy, by playing and learning in turn"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", title="what", required=True)
    for name, (module, text) in _KINDS.items():
        module.configure(kinds.add_parser(name, help=text, description=text))


def run(arguments: argparse.Namespace) -> int:
    """Tune, print what was found, and return the exit status."""
    status: int = _KINDS[arguments.what][0].run(arguments)
    return status
