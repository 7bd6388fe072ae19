"""Move ordering: alpha-beta cuts off most if the best move is tried first.

An ordering is the same game with its actions in another order, so that every search can use it unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.game import MAX, Action, Game, State
from engine.course.reference.minimax import Count, Evaluate, is_leaf, leaf_value
from engine.course.reference.requirements import Wrapped, legal, player_to_move
from engine.course.reference.trace import Trace

Promise = Callable[[State, Action], float]  # how good an action looks to the player to move
_KILLERS = 2  # kept for each ply


class Ordered(Wrapped[State, Action]):
    """A game whose most promising actions come first.

    With a `width`, only that many are tried at all: Shannon's type B instead of type A. That looks further ahead in the
    same time, and may miss the best move.
    """

    def __init__(self, game: Game[State, Action], promise: Promise[State, Action], width: int | None = None) -> None:
        super().__init__(game)
        self._promise, self._width = promise, width

    def actions(self, state: State) -> Sequence[Action]:
        ordered = sorted(self.game.actions(state), key=lambda action: -self._promise(state, action))
        return ordered[: self._width]


def by_evaluation(game: Game[State, Action], evaluate: Evaluate[State]) -> Promise[State, Action]:
    """Order by the evaluation of the state after each action."""

    def promise(state: State, action: Action) -> float:
        value = evaluate(game.result(state, action))
        return value if game.to_move(state) == MAX else -value

    return promise


def deepen_with_killers(game: Game[State, Action], state: State, evaluate: Evaluate[State],
                        deepest: int) -> Iterator[Count]:
    """Search depth after depth, trying first in every state the move that was best at the depth before: the killer.

    Yields the work at each depth. States must be hashable.
    """
    killers: dict[State, State] = {}

    def promise(before: State, action: Action) -> float:
        return float(before in killers and killers[before] == game.result(before, action))

    for depth in range(1, deepest + 1):
        trace = Trace()
        alphabeta(Ordered(game, promise), state, depth, evaluate, trace)
        for visit in trace.visits:
            if visit.children:
                best = max if game.to_move(visit.state) == MAX else min  # type: ignore[arg-type]
                killers[visit.state] = best(visit.children, key=lambda child: child.value).state  # type: ignore[index, assignment]
        yield trace


def alphabeta_with_killers(game: Game[State, Action], state: State, depth: int, evaluate: Evaluate[State],
                           count: Count) -> float:
    """Killers as engines have them: moves that cut off in a sibling are tried first, since they often do so again.

    For every number of plies to go, the last two moves that cut off there are kept. Actions must be comparable by `==`.
    """
    killers: dict[int, list[Action]] = {}

    def search(at: State, left: int, alpha: float, beta: float) -> float:
        is_last = is_leaf(game, at, left)
        count.enter(at, is_last, alpha, beta)
        if is_last:
            return count.leave(leaf_value(game, at, evaluate))
        is_max, kept = player_to_move(game, at, "alpha-beta") == MAX, killers.setdefault(left, [])
        best = -math.inf if is_max else math.inf
        actions = sorted(legal(game, at), key=lambda action: action not in kept)
        for number, action in enumerate(actions, 1):
            value = search(game.result(at, action), left - 1, alpha, beta)
            best = max(best, value) if is_max else min(best, value)
            alpha, beta = (max(alpha, best), beta) if is_max else (alpha, min(beta, best))
            if alpha >= beta:
                count.cut(actions[number:])
                killers[left] = [action, *(other for other in kept if other != action)][:_KILLERS]
                break
        return count.leave(best)

    return search(state, depth, -math.inf, math.inf)
