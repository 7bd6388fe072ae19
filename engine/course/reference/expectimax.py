"""Chance in the tree: expectimax, where the opponent is not an adversary, and expectiminimax, where there are dice too.

Chance nodes average. None of their branches can be pruned, since a single branch may dominate the average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from engine.course.reference.game import CHANCE, MAX, Action, Game, State
from engine.course.reference.minimax import Count, Evaluate, is_leaf, leaf_value, one_less
from engine.course.reference.requirements import check_odds, check_player, legal, odds

Policy = Callable[[State], Sequence[float]]  # the probability of each action of a state, in order


def expectimax(game: Game[State, Action], state: State, policy: Policy[State], depth: int | None = None,
               evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MAX picks the largest value; every move of the opponent comes with the probability that `policy` gives it."""
    count = count or Count()
    is_last = is_leaf(game, state, depth)
    count.enter(state, is_last)
    if is_last:
        return count.leave(leaf_value(game, state, evaluate))
    values = [expectimax(game, game.result(state, action), policy, one_less(depth), evaluate, count)
              for action in legal(game, state)]
    player = check_player(game, game.to_move(state), "expectimax")
    return count.leave(max(values) if player == MAX else average(policy(state), values))


def expectiminimax(game: Game[State, Action], state: State, depth: int | None = None,
                   evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MAX, MIN and chance, each in its turn."""
    count = count or Count()
    is_last = is_leaf(game, state, depth)
    count.enter(state, is_last)
    if is_last:
        return count.leave(leaf_value(game, state, evaluate))
    player, actions = check_player(game, game.to_move(state), "expectiminimax"), legal(game, state)
    values = [expectiminimax(game, game.result(state, action), one_less(depth), evaluate, count) for action in actions]
    if player == CHANCE:
        return count.leave(average(odds(game, state), values))
    return count.leave(max(values) if player == MAX else min(values))


def average(chances: Sequence[float], values: Sequence[float]) -> float:
    """The average of values that come with these probabilities, which must add up to 1."""
    check_odds(chances)
    return math.fsum(chance * value for chance, value in zip(chances, values, strict=True))
