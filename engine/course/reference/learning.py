"""How the network of AlphaZero learns: it plays against itself, and is trained to guess what the search finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from engine.course.reference.alphazero import encode, mover_of, outcome, search
from engine.course.reference.encoding import EncodedGame
from engine.course.reference.game import CHANCE
from engine.course.reference.games.board import RowGame
from engine.course.reference.network import Array, Network
from engine.course.reference.requirements import legal, odds

_REMEMBERED = 8000  # examples, of the last games
_LESSONS, _BATCH = 20, 128  # after every game: training steps, and examples per step


class Example(NamedTuple):
    """What a finished game teaches about one of its states: the search's visits as policy, the result as value."""

    inputs: Array
    value: float
    policy: Array


def self_play(game: EncodedGame[Any, Any], network: Network, iterations: int,
              chance: np.random.Generator) -> list[Example]:
    """One game of the network against itself.

    So that games differ, the first move is any move, and every other is drawn in proportion to its visits.
    """
    state, seen = game.initial(), list[tuple[Any, Array]]()
    while not game.is_terminal(state):
        actions = legal(game, state)
        if mover_of(game, state) == CHANCE:
            state = game.result(state, actions[chance.choice(len(actions), p=odds(game, state))])
            continue
        root = search(game, network, state, iterations, chance)
        shares = np.array([root.children[action].visits for action in actions], dtype=float)
        shares /= shares.sum()
        policy = np.zeros(game.action_count)
        for action, share in zip(actions, shares, strict=True):
            policy[game.index(action)] += share
        seen.append((state, policy))
        drawn = chance.choice(len(actions)) if len(seen) == 1 else chance.choice(len(actions), p=shares)
        state = game.result(state, actions[drawn])
    return [Example(encode(game, at)[0], outcome(game, state, game.to_move(at)), policy) for at, policy in seen]


def mirrored(game: RowGame, example: Example) -> Example:
    """The same example with left and right swapped: just as true, and free."""
    inputs = example.inputs.reshape(2, game.rows, game.columns)[:, :, ::-1]
    policy = example.policy.reshape(-1, game.columns)[:, ::-1]
    return Example(inputs.ravel(), example.value, policy.ravel())


def learn(game: EncodedGame[Any, Any], network: Network, games: int, iterations: int = 100,
          seed: int = 0) -> Iterator[float]:
    """Play and learn in turn: the network changes in place. Yields its loss after every game, on the last examples."""
    chance = np.random.default_rng(seed)
    examples: list[Example] = []
    for _ in range(games):
        played = self_play(game, network, iterations, chance)
        if isinstance(game, RowGame):
            played += [mirrored(game, example) for example in played]
        examples = (examples + played)[-_REMEMBERED:]
        for _ in range(_LESSONS):
            drawn = [examples[index] for index in chance.choice(len(examples), _BATCH)]
            inputs, values, policies = (np.array(column) for column in zip(*drawn, strict=True))
            network.train(inputs, values, policies)
        yield network.loss(inputs, values, policies)
