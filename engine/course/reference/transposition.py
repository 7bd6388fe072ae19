"""Alpha-beta with a transposition table: what was found out about a state is kept, and used when it is reached again.

A value from a search that was cut off is only a bound, so the table says which kind it is. The best action is kept too:
tried first the next time, it cuts off soonest.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.course.reference.game import MAX, Action, Game, State
from engine.course.reference.minimax import Count, Evaluate, is_leaf, leaf_value, one_less
from engine.course.reference.requirements import legal, player_to_move


class BoundKind(enum.Enum):
    """How to read a value: as it is, as a lower bound of the truth, or as an upper one."""

    EXACT = enum.auto()
    LOWER = enum.auto()
    UPPER = enum.auto()


class TableEntry(NamedTuple):
    """What is known of a state: from a search of this depth, this value, read like this, by this action."""

    depth: int | None
    value: float
    bound: BoundKind
    action: object

    def answers(self, depth: int | None, alpha: float, beta: float) -> bool:
        """Whether no new search is needed: it was deep enough, and exact or outside of the window."""
        is_deep = self.depth is None or (depth is not None and self.depth >= depth)
        return is_deep and (self.bound is BoundKind.EXACT or (self.bound is BoundKind.LOWER and self.value >= beta)
                            or (self.bound is BoundKind.UPPER and self.value <= alpha))


def alphabeta(game: Game[State, Action], state: State, table: dict[State, TableEntry], depth: int | None = None,
              evaluate: Evaluate[State] | None = None, count: Count | None = None,
              alpha: float = -math.inf, beta: float = math.inf) -> float:
    """The value of minimax at the root, as without a table; `table` fills up on the way. States must be hashable."""
    count = count or Count()
    is_last = is_leaf(game, state, depth)
    count.enter(state, is_last, alpha, beta)
    if is_last:
        return count.leave(leaf_value(game, state, evaluate))
    known = table.get(state)
    if known is not None and known.answers(depth, alpha, beta):
        if known.bound is not BoundKind.EXACT:
            count.cut(game.actions(state))
        return count.leave(known.value)
    is_max = player_to_move(game, state, "alpha-beta") == MAX
    low, high = alpha, beta
    best, best_action = (-math.inf if is_max else math.inf), None
    for number, action in enumerate(actions := _known_first(legal(game, state), known), 1):
        value = alphabeta(game, game.result(state, action), table, one_less(depth), evaluate, count, low, high)
        if best_action is None or (value > best if is_max else value < best):
            best, best_action = value, action
        if is_max:
            low = max(low, best)
        else:
            high = min(high, best)
        if low >= high:
            count.cut(actions[number:])
            break
    bound = BoundKind.UPPER if best <= alpha else BoundKind.LOWER if best >= beta else BoundKind.EXACT
    table[state] = TableEntry(depth, best, bound, best_action)
    return count.leave(best)


def _known_first(actions: Sequence[Action], known: TableEntry | None) -> Sequence[Action]:
    if known is None:
        return actions
    return sorted(actions, key=lambda action: action != known.action)  # the others keep their order
