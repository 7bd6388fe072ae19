"""A Monte Carlo tree as it is drawn on a blackboard: each node with wins and playouts, such as 60/79.

Wins are those of the player who moved to the node, and who chooses between it and its siblings. So the wins of a node
and of all its children together make up its playouts, once every playout goes on to a child.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

EXPLORATION = math.sqrt(2)


@dataclass
class WinNode:
    """A node, and what came of the playouts through it."""

    wins: int = 0
    playouts: int = 0
    children: list[WinNode] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.wins}/{self.playouts}"


def upper_bound(child: WinNode, parent: WinNode, exploration: float = EXPLORATION) -> float:
    """UCB1: the share of wins, and more for what was seldom tried."""
    return child.wins / child.playouts + exploration * math.sqrt(math.log(parent.playouts) / child.playouts)


def select(root: WinNode, exploration: float = EXPLORATION) -> list[WinNode]:
    """Step 1. The path from the root to a node without children, always to the child with the largest bound."""
    path = [root]
    while path[-1].children:
        parent = path[-1]
        path.append(max(parent.children, key=lambda child: upper_bound(child, parent, exploration)))
    return path


def expand(path: list[WinNode]) -> list[WinNode]:
    """Step 2. The path, one node longer: a child without playouts is added to its last node."""
    child = WinNode()
    path[-1].children.append(child)
    return [*path, child]


def back_propagate(path: Sequence[WinNode], is_won: bool) -> None:
    """Step 4. `is_won`: whether the playout was won by the player who moved to the path's last node.

    That player moved to every second node of the path; the nodes between are the opponent's, and count his wins.
    """
    for node in reversed(path):
        node.playouts += 1
        node.wins += is_won
        is_won = not is_won


def most_played(root: WinNode) -> WinNode:
    """The child that is returned as the move to play."""
    return max(root.children, key=lambda child: child.playouts)
