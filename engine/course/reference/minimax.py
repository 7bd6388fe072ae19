"""Minimax: the value of a state, and the move to play, by looking at everything that can follow.

Values are MAX's. A depth of None searches to the end of the game; with a depth, `evaluate` replaces the utility where
the search stops. `count` only watches: without its lines the algorithm is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from engine.course.reference.game import MAX, MIN, Action, Game, State, UnsuitableGameError
from engine.course.reference.requirements import legal, player_to_move

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

    def cut(self, skipped: Sequence[object]) -> None:
        """The last node that was entered is left early, without these actions; there may be none."""

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


class Best(NamedTuple, Generic[Action]):
    """The value of a state, and the move that brings it; no move where nothing was searched."""

    value: float
    move: Action | None = None


def minimax_search(game: Game[State, Action], state: State, depth: int | None = None,
                   evaluate: Evaluate[State] | None = None, count: Count | None = None) -> Action:
    """MINIMAX-SEARCH: the move to play."""
    move = max_value(game, state, depth, evaluate, count or Count()).move
    return played(move)


def played(move: Action | None) -> Action:
    """The move, if there is one to play."""
    if move is None:
        raise UnsuitableGameError("there is no move to play: the game is over, or all values are infinite")
    return move


def max_value(game: Game[State, Action], state: State, depth: int | None, evaluate: Evaluate[State] | None,
              count: Count) -> Best[Action]:
    """MAX-VALUE: MAX picks the move with the largest value."""
    if is_leaf(game, state, depth):
        count.enter(state, is_leaf=True)
        return Best(count.leave(leaf_value(game, state, evaluate)))
    if player_to_move(game, state, "minimax") == MIN:  # also in games in which a player may move twice in a row
        return min_value(game, state, depth, evaluate, count)
    count.enter(state, is_leaf=False)
    value, move = -math.inf, None
    for action in legal(game, state):
        other = min_value(game, game.result(state, action), one_less(depth), evaluate, count).value
        if other > value:
            value, move = other, action
    return Best(count.leave(value), move)


def min_value(game: Game[State, Action], state: State, depth: int | None, evaluate: Evaluate[State] | None,
              count: Count) -> Best[Action]:
    """MIN-VALUE: MIN picks the move with the smallest value."""
    if is_leaf(game, state, depth):
        count.enter(state, is_leaf=True)
        return Best(count.leave(leaf_value(game, state, evaluate)))
    if player_to_move(game, state, "minimax") == MAX:
        return max_value(game, state, depth, evaluate, count)
    count.enter(state, is_leaf=False)
    value, move = math.inf, None
    for action in legal(game, state):
        other = max_value(game, game.result(state, action), one_less(depth), evaluate, count).value
        if other < value:
            value, move = other, action
    return Best(count.leave(value), move)


def minimax(game: Game[State, Action], state: State, depth: int | None = None,
            evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """MINIMAX(state): the value that is backed up to a state. Every state within the depth is visited."""
    return max_value(game, state, depth, evaluate, count or Count()).value


Value = Callable[[State], float]  # MAX's, by whichever search


def decide(game: Game[State, Action], state: State, value: Value[State]) -> Action:
    """The move to the state with the best value for the player to move; the first if there are several."""
    best = max if game.to_move(state) == MAX else min
    return best(game.actions(state), key=lambda action: value(game.result(state, action)))

