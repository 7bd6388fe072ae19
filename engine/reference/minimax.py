"""Minimax, alpha-beta and their kin: the value of a state by looking at what can follow.

Values are MAX's. A depth of None searches to the end of the game; with a depth, `evaluate` takes the utility's place at
the cut-off.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.reference.game import CHANCE, MAX, Action, Game, Player, State

Evaluate = Callable[[State], float]  # MAX's view


@dataclass
class Count:
    """How much work a search was."""

    nodes: int = 0
    leaves: int = 0


def _is_cut_off(game: Game[State, Action], state: State, depth: int | None, count: Count) -> bool:
    """Whether nothing is searched below this state; counts it."""
    count.nodes += 1
    is_leaf = game.is_terminal(state) or depth == 0
    count.leaves += is_leaf
    return is_leaf


def _value_of_leaf(game: Game[State, Action], state: State, evaluate: Evaluate[State] | None) -> float:
    if game.is_terminal(state):
        return game.utility(state, MAX)
    assert evaluate is not None, "a search that is cut off needs an evaluation"
    return evaluate(state)


def _less(depth: int | None) -> int | None:
    return None if depth is None else depth - 1


def minimax(game: Game[State, Action], state: State, depth: int | None = None,
            evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MAX picks the largest value, MIN the smallest. Every state that the depth reaches is looked at."""
    count = count or Count()
    if _is_cut_off(game, state, depth, count):
        return _value_of_leaf(game, state, evaluate)
    values = (minimax(game, game.result(state, action), _less(depth), evaluate, count)
              for action in game.actions(state))
    return max(values) if game.to_move(state) == MAX else min(values)


def alphabeta(game: Game[State, Action], state: State, depth: int | None = None,
              evaluate: Evaluate[State] | None = None, count: Count | None = None,
              alpha: float = -math.inf, beta: float = math.inf) -> float:
    """The same value, without the states that cannot change it.

    `alpha` is what MAX is sure of already, `beta` what MIN is: where alpha reaches beta, the rest does not matter.
    """
    count = count or Count()
    if _is_cut_off(game, state, depth, count):
        return _value_of_leaf(game, state, evaluate)
    is_max = game.to_move(state) == MAX
    best = -math.inf if is_max else math.inf
    for action in game.actions(state):
        value = alphabeta(game, game.result(state, action), _less(depth), evaluate, count, alpha, beta)
        if is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


Policy = Callable[[State], Sequence[float]]  # the probability of each action of a state, in their order


def expectimax(game: Game[State, Action], state: State, policy: Policy[State], depth: int | None = None,
               evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """The opponent is no adversary: every move of his comes with the probability that `policy` gives it.

    Chance nodes average, so that no branch can be left out: a single one may dominate.
    """
    count = count or Count()
    if _is_cut_off(game, state, depth, count):
        return _value_of_leaf(game, state, evaluate)
    values = [expectimax(game, game.result(state, action), policy, _less(depth), evaluate, count)
              for action in game.actions(state)]
    if game.to_move(state) == MAX:
        return max(values)
    return math.fsum(probability * value for probability, value in zip(policy(state), values, strict=True))


def expectiminimax(game: Game[State, Action], state: State, depth: int | None = None,
                   evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MAX, MIN and chance, each in its turn."""
    count = count or Count()
    if _is_cut_off(game, state, depth, count):
        return _value_of_leaf(game, state, evaluate)
    player = game.to_move(state)
    actions = game.actions(state)
    values = [expectiminimax(game, game.result(state, action), _less(depth), evaluate, count) for action in actions]
    if player == CHANCE:
        return math.fsum(game.probability(state, action) * value
                         for action, value in zip(actions, values, strict=True))
    return max(values) if player == MAX else min(values)


def utilities(game: Game[State, Action], state: State, players: Sequence[Player]) -> tuple[float, ...]:
    """Many players, general sums: a tuple of utilities is backed up, and each player maximises his own."""
    if game.is_terminal(state):
        return tuple(game.utility(state, player) for player in players)
    mover = players.index(game.to_move(state))
    return max((utilities(game, game.result(state, action), players) for action in game.actions(state)),
               key=lambda values: values[mover])


Value = Callable[[State], float]


def decide(game: Game[State, Action], state: State, value: Value[State]) -> Action:
    """The move to the state of the best value for whoever is to move; the first of several."""
    best = max if game.to_move(state) == MAX else min
    return best(game.actions(state), key=lambda action: value(game.result(state, action)))


def deepen(game: Game[State, Action], state: State, evaluate: Evaluate[State],
           count: Count | None = None) -> Iterator[Action]:
    """Iterative deepening, an anytime algorithm: better and better moves, and one is always ready."""
    for depth in itertools.count():
        yield decide(game, state, lambda after, left=depth: alphabeta(game, after, left, evaluate, count))  # type: ignore[misc]
