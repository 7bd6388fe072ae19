"""Alpha-beta: minimax's value and move, without the states that cannot change them.

`alpha` is the best that MAX is sure of on the way to a state, `beta` the best that MIN is: where alpha >= beta, the
rest does not matter. A value outside of that window may be only a bound: the truth is at most a value <= alpha, and at
least a value >= beta. Compare minimax.py, line by line: what is new are the windows and the cutoffs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from engine.course.reference.game import MAX, MIN, Action, Game, State
from engine.course.reference.minimax import Best, Count, Evaluate, is_leaf, leaf_value, one_less, played
from engine.course.reference.requirements import legal, player_to_move


def alphabeta_search(game: Game[State, Action], state: State, depth: int | None = None,
                     evaluate: Evaluate[State] | None = None, count: Count | None = None) -> Action:
    """ALPHA-BETA-SEARCH: the move to play. One window serves all moves of the root."""
    move = max_value(game, state, depth, evaluate, count or Count(), -math.inf, math.inf).move
    return played(move)


def max_value(game: Game[State, Action], state: State, depth: int | None, evaluate: Evaluate[State] | None,
              count: Count, alpha: float, beta: float) -> Best[Action]:
    """MAX-VALUE: MAX picks the move with the largest value, and stops once MIN has something better elsewhere."""
    if is_leaf(game, state, depth):
        count.enter(state, True, alpha, beta)
        return Best(count.leave(leaf_value(game, state, evaluate)))
    if player_to_move(game, state, "alpha-beta") == MIN:  # also in games in which a player may move twice in a row
        return min_value(game, state, depth, evaluate, count, alpha, beta)
    count.enter(state, False, alpha, beta)
    value, move = -math.inf, None
    for number, action in enumerate(actions := legal(game, state), 1):
        other = min_value(game, game.result(state, action), one_less(depth), evaluate, count, alpha, beta).value
        if other > value:
            value, move = other, action
            alpha = max(alpha, value)
        if value >= beta:
            count.cut(actions[number:])
            break
    return Best(count.leave(value), move)


def min_value(game: Game[State, Action], state: State, depth: int | None, evaluate: Evaluate[State] | None,
              count: Count, alpha: float, beta: float) -> Best[Action]:
    """MIN-VALUE: MIN picks the move with the smallest value, and stops once MAX has something better elsewhere."""
    if is_leaf(game, state, depth):
        count.enter(state, True, alpha, beta)
        return Best(count.leave(leaf_value(game, state, evaluate)))
    if player_to_move(game, state, "alpha-beta") == MAX:
        return max_value(game, state, depth, evaluate, count, alpha, beta)
    count.enter(state, False, alpha, beta)
    value, move = math.inf, None
    for number, action in enumerate(actions := legal(game, state), 1):
        other = max_value(game, game.result(state, action), one_less(depth), evaluate, count, alpha, beta).value
        if other < value:
            value, move = other, action
            beta = min(beta, value)
        if value <= alpha:
            count.cut(actions[number:])
            break
    return Best(count.leave(value), move)


def alphabeta(game: Game[State, Action], state: State, depth: int | None = None,
              evaluate: Evaluate[State] | None = None, count: Count | None = None) -> float:
    """The value that is backed up to a state: minimax's."""
    return max_value(game, state, depth, evaluate, count or Count(), -math.inf, math.inf).value


def deepen(game: Game[State, Action], state: State, evaluate: Evaluate[State],
           count: Count | None = None) -> Iterator[Action]:
    """Iterative deepening, an anytime algorithm: better and better moves, and one is always ready."""
    for depth in itertools.count(1):
        yield alphabeta_search(game, state, depth, evaluate, count)
