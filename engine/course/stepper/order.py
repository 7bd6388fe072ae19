"""The same tree with the moves of all players in another order, to see what order does to alpha-beta."""

from __future__ import annotations

import itertools

from engine.course.reference.game import CHANCE
from engine.course.stepper.nodes import OwnNode, OwnTree, moves_of
from engine.course.stepper.values import exact_values, promise

ORDERS = ("best", "worst")


def ordered(tree: OwnTree, order: str) -> OwnTree:
    """The tree with the best or the worst moves of each player first. Equal ones, and what chance does, stay."""
    numbers, values = itertools.count(), exact_values(tree)

    def copied(node: OwnNode, path: tuple[str, ...]) -> OwnNode:
        number, children = next(numbers), list(node.children)
        if node.player != CHANCE:
            children.sort(key=lambda child: promise(tree, node, values[child]), reverse=order == "best")
        below = tuple(copied(child, (*path, move))
                      for move, child in zip(moves_of(len(children)), children, strict=True))
        return OwnNode(number, path, node.player, below, node.odds, node.values)

    return OwnTree(copied(tree.root, ()), tree.seats)
