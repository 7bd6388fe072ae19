"""A playout policy that a network has learned, as AlphaGo's was: first it imitates the moves of experts.

AlphaGo's experts were people, ours look their moves up in a table of all states. AlphaStar began in the same way, and
went on by self-play (alphazero.py). AlphaGo then valued a leaf by both: the result of a playout by the policy, and what
a trained value function says.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from engine.course.reference.game import MAX, Game
from engine.course.reference.games.board import Board, RowGame
from engine.course.reference.network import Array, Network
from engine.course.reference.solved import SolvedState
from engine.course.reference.uct import Playout, simulate

_STEPS, _BATCH = 1500, 64


def seen(board: Board, mover: int) -> Array:
    """The board as the mover sees it: where the own stones are, then where the other's are."""
    return np.array([owner == side for side in (mover, 1 - mover) for owner in board], dtype=float)


def imitate(game: RowGame, table: Mapping[Board, SolvedState], examples: int, seed: int = 0) -> Network:
    """A network that has learned the values and best moves of so many states; of several best moves, all alike."""
    chance = np.random.default_rng(seed)
    boards = [board for board in table if not game.is_terminal(board)]
    rows: list[tuple[Array, float, Array]] = []
    for number in chance.permutation(len(boards))[:examples]:
        board = boards[number]
        mover, value = game.to_move(board), table[board].value
        best = np.zeros(game.action_count)
        for action in game.actions(board):
            best[action] = table[game.result(board, action)].value == value
        rows.append((seen(board, mover), value if mover == MAX else -value, best / best.sum()))
    network = Network(2 * len(game.initial()), 64, game.action_count, seed)
    for _ in range(_STEPS):
        drawn = [rows[index] for index in chance.choice(len(rows), _BATCH)]
        inputs, values, policies = (np.array(column) for column in zip(*drawn, strict=True))
        network.train(inputs, values, policies, rate=0.005)
    return network


def learned(network: Network, sharpness: float = 1) -> Playout[Board, int]:
    """A playout policy: moves are drawn as often as the network thinks that an expert would play them; the sharper, the
    more it keeps to the likeliest.
    """
    known: dict[Board, list[float]] = {}

    def choose(game: Game[Board, int], board: Board, chance: random.Random) -> int:
        actions = game.actions(board)
        if board not in known:
            likely = network.predict(seen(board, game.to_move(board))[None])[1][0, list(actions)]
            known[board] = list(likely**sharpness)
        return chance.choices(actions, known[board])[0]

    return choose


def mixed_value(game: RowGame, network: Network, board: Board, chance: random.Random, share: float = 0.5) -> float:
    """AlphaGo's value of a leaf, MAX's: (1 - share) of the value function's, and `share` of a playout's result."""
    if game.is_terminal(board):
        return game.utility(board, MAX)
    mover = game.to_move(board)
    value = float(network.predict(seen(board, mover)[None])[0][0])
    result = simulate(game, board, chance, learned(network))
    return (1 - share) * (value if mover == MAX else -value) + share * result
