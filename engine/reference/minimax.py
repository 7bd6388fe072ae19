"""Minimax and alpha-beta: the value of a state, by looking at what can follow.

Values are MAX's. A depth of None searches to the end of the game; with a depth, `evaluate` replaces the utility where
the search stops. `count` only watches: without its lines the algorithm is the same.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.reference.game import MAX, Action, Game, State

Evaluate = Callable[[State], float]  # MAX's view


@dataclass
class Count:
    """How much work a search was. Called for every node, so that a subclass can record it."""

    nodes: int = 0
    leaves: int = 0

    def enter(self, state: object, is_leaf: bool, alpha: float = -math.inf, beta: float = math.inf) -> None:
        """A node is visited, with this window."""
        self.nodes += 1
        self.leaves += is_leaf

    def leave(self, value: float) -> float:
        """The last node that was entered and not yet left has this value. Returns it."""
        return value


def is_leaf(game: Game[State, Action], state: State, depth: int | None) -> bool:
    """Whether nothing is searched below this state: the cut-off test."""
    return game.is_terminal(state) or depth == 0


def leaf_value(game: Game[State, Action], state: State, evaluate: Evaluate[State] | None) -> float:
    """The utility where the game is over, the evaluation elsewhere."""
    if game.is_terminal(state):
        return game.utility(state, MAX)
    assert evaluate is not None, "a search that is cut off needs an evaluation"
    return evaluate(state)


def one_less(depth: int | None) -> int | None:
    """The depth left one ply later."""
    return None if depth is None else depth - 1


def minimax(game: Game[State, Action], state: State, depth: int | None = None,
            evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MAX picks the largest value, MIN the smallest. Every state within the depth is visited."""
    count = count or Count()
    is_last = is_leaf(game, state, depth)
    count.enter(state, is_last)
    if is_last:
        return count.leave(leaf_value(game, state, evaluate))
    values = [minimax(game, game.result(state, action), one_less(depth), evaluate, count)
              for action in game.actions(state)]
    return count.leave(max(values) if game.to_move(state) == MAX else min(values))


def alphabeta(game: Game[State, Action], state: State, depth: int | None = None,
              evaluate: Evaluate[State] | None = None, count: Count | None = None,
              alpha: float = -math.inf, beta: float = math.inf) -> float:
    """The same value, without the states that cannot change it.

    `alpha` is the best that MAX is sure of on the way here, `beta` the best that MIN is: where alpha >= beta, the rest
    does not matter. A value outside of that window is only a bound: the truth is at most a value <= alpha, and at least
    a value >= beta.
    """
    count = count or Count()
    is_last = is_leaf(game, state, depth)
    count.enter(state, is_last, alpha, beta)
    if is_last:
        return count.leave(leaf_value(game, state, evaluate))
    is_max = game.to_move(state) == MAX
    best = -math.inf if is_max else math.inf
    for action in game.actions(state):
        value = alphabeta(game, game.result(state, action), one_less(depth), evaluate, count, alpha, beta)
        if is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:  # the cutoff: one side has something better elsewhere
            break
    return count.leave(best)


Value = Callable[[State], float]  # MAX's, by whichever search


def decide(game: Game[State, Action], state: State, value: Value[State]) -> Action:
    """The move to the state with the best value for the player to move; the first if there are several."""
    best = max if game.to_move(state) == MAX else min
    return best(game.actions(state), key=lambda action: value(game.result(state, action)))


def deepen(game: Game[State, Action], state: State, evaluate: Evaluate[State],
           count: Count | None = None) -> Iterator[Action]:
    """Iterative deepening, an anytime algorithm: better and better moves, and one is always ready.

    The first move looks one ply ahead: a depth of 0 is what is left to search after it.
    """
    for depth in itertools.count():
        yield decide(game, state, functools.partial(alphabeta, game, depth=depth, evaluate=evaluate, count=count))
