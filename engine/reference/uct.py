"""Monte Carlo tree search as in the textbook: four steps, repeated; then the most-visited move."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Generic

from engine.reference.game import MAX, Action, Game, State

EXPLORATION = math.sqrt(2)


@dataclass
class Node(Generic[State, Action]):
    """A state of the tree, and what playouts through it have brought."""

    state: State
    parent: Node[State, Action] | None
    untried: list[Action]
    children: dict[Action, Node[State, Action]] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0  # of the utilities, for whoever moved to this state


def ucb1(child: Node[State, Action], parent_visits: int, exploration: float = EXPLORATION) -> float:
    """What is promising, and what is uncertain: the average, and more the less often it was tried."""
    return child.total / child.visits + exploration * math.sqrt(math.log(parent_visits) / child.visits)


def select(node: Node[State, Action], exploration: float) -> Node[State, Action]:
    """Step 1. Go down by UCB1 to a node with an untried move, or to the end of the game."""
    while not node.untried and node.children:
        visits = node.visits
        node = max(node.children.values(), key=lambda child: ucb1(child, visits, exploration))
    return node


def expand(game: Game[State, Action], node: Node[State, Action], chance: random.Random) -> Node[State, Action]:
    """Step 2. Add one child, by a move that was not tried before; at the end of the game there is none."""
    if not node.untried:
        return node
    action = node.untried.pop(chance.randrange(len(node.untried)))
    node.children[action] = new_node(game, game.result(node.state, action), node)
    return node.children[action]


def simulate(game: Game[State, Action], state: State, chance: random.Random) -> float:
    """Step 3. Play at random to the end; returns MAX's utility."""
    while not game.is_terminal(state):
        state = game.result(state, chance.choice(game.actions(state)))
    return game.utility(state, MAX)


def back_propagate(game: Game[State, Action], node: Node[State, Action] | None, utility: float) -> None:
    """Step 4. Tell every node on the way what came of it; each counts it for the player who moved there."""
    while node is not None:
        node.visits += 1
        mover = MAX if node.parent is None else game.to_move(node.parent.state)
        node.total += utility if mover == MAX else -utility
        node = node.parent


def new_node(game: Game[State, Action], state: State,
             parent: Node[State, Action] | None = None) -> Node[State, Action]:
    return Node(state, parent, [] if game.is_terminal(state) else list(game.actions(state)))


def search(game: Game[State, Action], state: State, iterations: int, chance: random.Random,
           exploration: float = EXPLORATION) -> Node[State, Action]:
    """The tree after so many playouts. Zero-sum games of two players."""
    root = new_node(game, state)
    for _ in range(iterations):
        leaf = expand(game, select(root, exploration), chance)
        back_propagate(game, leaf, simulate(game, leaf.state, chance))
    return root


def most_visited(root: Node[State, Action]) -> Action:
    """The move to play: not the best average, which a few lucky playouts can give."""
    return max(root.children, key=lambda action: root.children[action].visits)


def pure_monte_carlo(game: Game[State, Action], state: State, playouts: int, chance: random.Random) -> Action:
    """Without a tree: so many playouts for each move, and the one with the best average."""
    sign = 1 if game.to_move(state) == MAX else -1

    def average(action: Action) -> float:
        after = game.result(state, action)
        return sign * math.fsum(simulate(game, after, chance) for _ in range(playouts)) / playouts

    return max(game.actions(state), key=average)
