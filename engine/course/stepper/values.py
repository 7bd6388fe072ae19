"""What every node of a tree is worth, exactly: fractions, since the noise of floats would break ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from engine.course.reference.game import CHANCE, MIN, Player
from engine.course.stepper.nodes import OwnNode, OwnTree

Exact = tuple[Fraction, ...]  # MAX's value, or one for each player


def odds_of(node: OwnNode) -> Sequence[Fraction]:
    """The odds of a chance node; of another node, equal odds."""
    return node.odds or (Fraction(1, len(node.children)),) * len(node.children)


def exact_values(tree: OwnTree, averaged: Sequence[Player] = (CHANCE,)) -> Mapping[OwnNode, Exact]:
    """Averages at the nodes of the players in `averaged`; everybody else picks the first of the best children."""
    found: dict[OwnNode, Exact] = {}
    for node in reversed(tree.nodes):  # children before their parents
        if not node.children:
            found[node] = node.values
        elif node.player in averaged:
            below = zip(*(found[child] for child in node.children), strict=True)
            found[node] = tuple(sum((share * value for share, value in zip(odds_of(node), values, strict=True)),
                                    Fraction(0)) for values in below)
        else:
            found[node] = found[best_child(tree, node, found)]
    return found


def best_child(tree: OwnTree, node: OwnNode, values: Mapping[OwnNode, Exact]) -> OwnNode:
    """The child that is best for who moves; the first of equal ones."""
    return max(node.children, key=lambda child: promise(tree, node, values[child]))


def promise(tree: OwnTree, node: OwnNode, value: Exact) -> Fraction:
    """What a value is worth to the player who moves at a node: the more, the better."""
    assert node.player is not None
    if tree.seats:
        return value[node.player]
    return -value[0] if node.player == MIN else value[0]
