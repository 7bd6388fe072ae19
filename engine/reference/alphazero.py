"""A small AlphaZero: Monte Carlo tree search with a network, learned from self-play, in place of playouts.

The four steps are those of uct.py. Selection is guided by the policy, and the value takes the place of the playout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.reference.games.board import Board, RowGame
from engine.reference.network import Array, Network

_EXPLORATION = 1.5  # what UCB1's C was: how much curiosity counts beside the average
_NOISE = 0.25  # the share of the policy at the root that is random while learning, so that every move is tried
_SPREAD = 0.6  # of the noise: the smaller, the more of it falls on a few moves
_REMEMBERED = 8000  # examples, of the last games
_LESSONS, _BATCH = 20, 128  # after every game: training steps, and examples per step


@dataclass
class Node:
    """A board in the tree. Values are for the player who moved to it."""

    board: Board
    prior: float  # what the policy gave the move to it, before any visit
    children: dict[int, Node] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    @property
    def average(self) -> float:
        return self.total / self.visits if self.visits else 0.0


class Example(NamedTuple):
    """What a finished game teaches about one of its boards: the search's visits as policy, the result as value."""

    inputs: Array
    value: float
    policy: Array


def new_network(game: RowGame, hidden: int = 128, seed: int = 0) -> Network:
    """A network that knows nothing yet."""
    return Network(2 * len(game.initial()), hidden, game.action_count, seed)


def encode(game: RowGame, board: Board) -> Array:
    """The board as the player to move sees it: where the player's own stones are, then where the other's are."""
    mover = game.to_move(board)
    return np.array([[owner == side for side in (mover, 1 - mover) for owner in board]], dtype=float)


def select(root: Node) -> list[Node]:
    """Step 1. Go down to a node without children by PUCT: UCB1 with the policy's prior in its second half."""
    path = [root]
    while path[-1].children:
        parent = path[-1]
        curiosity = _EXPLORATION * math.sqrt(parent.visits)
        path.append(max(parent.children.values(),
                        key=lambda child: child.average + curiosity * child.prior / (1 + child.visits)))
    return path


def expand(game: RowGame, network: Network, node: Node) -> float:
    """Steps 2 and 3. Add all children, with the policy's priors; returns the value for the player to move."""
    if game.is_terminal(node.board):
        return game.utility(node.board, game.to_move(node.board))
    value, policy = network.predict(encode(game, node.board))
    actions = game.actions(node.board)
    whole = policy[0, actions].sum()
    node.children = {action: Node(game.result(node.board, action), policy[0, action] / whole) for action in actions}
    return float(value[0])


def back_propagate(path: Sequence[Node], value: float) -> None:
    """Step 4. `value` is for the player to move at the end of the path; the one who moved there gets the opposite."""
    for node in reversed(path):
        value = -value  # players take turns
        node.visits += 1
        node.total += value


def search(game: RowGame, network: Network, board: Board, iterations: int,
           noise: np.random.Generator | None = None) -> Node:
    """The tree after `iterations` iterations; with `noise`, it also tries moves that the policy thinks little of."""
    root = Node(board, 1.0)
    expand(game, network, root)
    if noise is not None:
        shares = noise.dirichlet([_SPREAD] * len(root.children))  # random probabilities that add up to 1
        for child, share in zip(root.children.values(), shares, strict=True):
            child.prior = (1 - _NOISE) * child.prior + _NOISE * share
    for _ in range(iterations):
        path = select(root)
        back_propagate(path, expand(game, network, path[-1]))
    return root


def most_visited(root: Node) -> int:
    """The move to play."""
    return max(root.children, key=lambda action: root.children[action].visits)


def self_play(game: RowGame, network: Network, iterations: int, chance: np.random.Generator) -> list[Example]:
    """One game of the network against itself.

    So that games differ, the first move is any move, and every other is drawn in proportion to its visits.
    """
    board, seen = game.initial(), list[tuple[Board, Array]]()
    while not game.is_terminal(board):
        root = search(game, network, board, iterations, chance)
        policy = np.zeros(game.action_count)
        for action, child in root.children.items():
            policy[action] = child.visits
        policy /= policy.sum()
        seen.append((board, policy))
        drawn = chance.choice(game.actions(board)) if len(seen) == 1 else chance.choice(game.action_count, p=policy)
        board = game.result(board, int(drawn))
    return [Example(encode(game, at)[0], game.utility(board, game.to_move(at)), policy) for at, policy in seen]


def mirrored(game: RowGame, example: Example) -> Example:
    """The same example with left and right swapped: just as true, and free."""
    inputs = example.inputs.reshape(2, game.rows, game.columns)[:, :, ::-1]
    policy = example.policy.reshape(-1, game.columns)[:, ::-1]
    return Example(inputs.ravel(), example.value, policy.ravel())


def learn(game: RowGame, network: Network, games: int, iterations: int = 100, seed: int = 0) -> Iterator[float]:
    """Play and learn in turn: the network changes in place. Yields its loss after every game, on the last examples."""
    chance = np.random.default_rng(seed)
    examples: list[Example] = []
    for _ in range(games):
        played = self_play(game, network, iterations, chance)
        examples = (examples + played + [mirrored(game, example) for example in played])[-_REMEMBERED:]
        for _ in range(_LESSONS):
            drawn = [examples[index] for index in chance.choice(len(examples), _BATCH)]
            inputs, values, policies = (np.array(column) for column in zip(*drawn, strict=True))
            network.train(inputs, values, policies)
        yield network.loss(inputs, values, policies)
