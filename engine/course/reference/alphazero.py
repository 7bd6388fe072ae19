"""A small AlphaZero: Monte Carlo tree search with a network, learned from self-play, in place of playouts.

The four steps are those of uct.py. Selection is guided by the policy, and the value takes the place of the playout.
It plays every game of two who see everything, with dice or without: encoding.py shows any such game to a network, and
learning.py trains it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.course.reference.encoding import EncodedGame
from engine.course.reference.game import CHANCE, MAX, MIN, Player
from engine.course.reference.network import Array, Network
from engine.course.reference.requirements import check_player, legal, odds

_EXPLORATION = 1.5  # what UCB1's C was: how much curiosity counts beside the average
_NOISE = 0.25  # the share of the policy at the root that is random while learning, so that every move is tried
_SPREAD = 0.6  # of the noise: the smaller, the more of it falls on a few moves


@dataclass
class Node:
    """A state in the tree. Values are for the player who moved to it, and chose between it and its siblings."""

    state: Any
    prior: float  # what the policy gave the move to it, before any visit
    chooser: Player
    children: dict[Any, Node] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    @property
    def average(self) -> float:
        return self.total / self.visits if self.visits else 0.0


def new_network(game: EncodedGame[Any, Any], hidden: int = 128, seed: int = 0) -> Network:
    """A network that knows nothing yet."""
    return Network(len(game.encode(game.initial())), hidden, game.action_count, seed)


def encode(game: EncodedGame[Any, Any], state: object) -> Array:
    """The state as the network sees it: a row of inputs."""
    return np.array([game.encode(state)], dtype=float)


def outcome(game: EncodedGame[Any, Any], state: object, player: Player) -> float:
    """What a finished game is worth to a player, between -1 and 1: half of the difference between both utilities."""
    return (game.utility(state, player) - game.utility(state, 1 - player)) / (2 * game.largest)


def mover_of(game: EncodedGame[Any, Any], state: object) -> Player:
    """Who moves: MAX, MIN or chance."""
    return check_player(game, game.to_move(state), "AlphaZero")


def select(game: EncodedGame[Any, Any], root: Node, dice: np.random.Generator) -> list[Node]:
    """Step 1. Go down to a node without children by PUCT: UCB1 with the policy's prior in its second half.

    At a chance node the dice decide, in the tree and below it.
    """
    path = [root]
    while True:
        parent = path[-1]
        if not game.is_terminal(parent.state) and mover_of(game, parent.state) == CHANCE:
            path.append(_rolled(game, parent, dice))
        elif parent.children:
            curiosity = _EXPLORATION * math.sqrt(parent.visits)
            path.append(max(parent.children.values(),
                            key=lambda child: child.average + curiosity * child.prior / (1 + child.visits)))
        else:
            return path


def _rolled(game: EncodedGame[Any, Any], node: Node, dice: np.random.Generator) -> Node:
    chances, actions = odds(game, node.state), game.actions(node.state)
    number = dice.choice(len(actions), p=chances)
    action = actions[number]
    if action not in node.children:
        node.children[action] = Node(game.result(node.state, action), chances[number], CHANCE)
    return node.children[action]


def expand(game: EncodedGame[Any, Any], network: Network, node: Node) -> float:
    """Steps 2 and 3. Add all children, with the policy's priors; returns the value for MAX."""
    if game.is_terminal(node.state):
        return outcome(game, node.state, MAX)
    mover = mover_of(game, node.state)
    value, policy = network.predict(encode(game, node.state))
    actions = legal(game, node.state)
    priors = [policy[0, game.index(action)] for action in actions]
    whole = sum(priors)
    node.children = {action: Node(game.result(node.state, action), prior / whole, mover)
                     for action, prior in zip(actions, priors, strict=True)}
    return float(value[0]) if mover == MAX else -float(value[0])


def back_propagate(path: Sequence[Node], value: float) -> None:
    """Step 4. `value` is MAX's; every node counts it as the player who moved there sees it."""
    for node in path:
        node.visits += 1
        node.total += -value if node.chooser == MIN else value


def search(game: EncodedGame[Any, Any], network: Network, state: object, iterations: int,
           noise: np.random.Generator | None = None) -> Node:
    """The tree after `iterations` iterations; with `noise`, it also tries moves that the policy thinks little of."""
    dice = noise if noise is not None else np.random.default_rng(0)
    root = Node(state, 1.0, MIN if mover_of(game, state) == MAX else MAX)
    expand(game, network, root)
    if noise is not None:
        shares = noise.dirichlet([_SPREAD] * len(root.children))  # random probabilities that add up to 1
        for child, share in zip(root.children.values(), shares, strict=True):
            child.prior = (1 - _NOISE) * child.prior + _NOISE * share
    for _ in range(iterations):
        path = select(game, root, dice)
        back_propagate(path, expand(game, network, path[-1]))
    return root


def most_visited(root: Node) -> Any:
    """The move to play."""
    return max(root.children, key=lambda action: root.children[action].visits)
