"""How much time an order leaves for a move: from the clocks that `go` gives, by the rules of engine.search.clock."""

from __future__ import annotations

from engine.core.game import Game
from engine.order import Order
from engine.search import clock


def budget_of(order: Order, game: Game, move_overhead: int) -> clock.Budget | None:
    """The time for this move, or None if the order has neither a clock nor a movetime; the overhead is milliseconds."""
    overhead = move_overhead / 1000
    side = int(game.position.side)
    # If a GUI sends only the other side's clock, it is taken for both.
    left = order.times[side] if order.times[side] is not None else order.times[side ^ 1]
    budget = None
    if left is not None:
        hands = clock.Clock(left / 1000, order.increments[side] / 1000, order.moves_to_go)
        budget = clock.budget(hands, overhead)
        if len(game.legal_moves()) == 1:
            budget = clock.Budget(0.0, budget.hard)  # there is nothing to think about
    if order.movetime is None:
        return budget
    fixed = clock.fixed(order.movetime / 1000, overhead)
    return fixed if budget is None else clock.Budget(budget.soft, min(budget.hard, fixed.hard))
