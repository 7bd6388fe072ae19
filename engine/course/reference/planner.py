"""A player who looks a number of plies ahead: minimax, expectimax and expectiminimax in one, with a table.

What he believes about the opponent decides which: without a `policy` the opponent is an adversary, and the value is
minimax's; with one, each of the opponent's moves comes with a probability, and it is expectimax's. Dice are averaged in
either case. Where the depth ends, the evaluation stands in for the utility.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic

from engine.course.reference.expectimax import Policy, average
from engine.course.reference.game import CHANCE, MAX, Action, Game, Player, State
from engine.course.reference.minimax import Evaluate, is_leaf, leaf_value, one_less
from engine.course.reference.requirements import check_player, legal, odds


@dataclass
class Planner(Generic[State, Action]):
    """Values are MAX's. The table keeps every value by state and depth left, so that states must be hashable."""

    game: Game[State, Action]
    depth: int | None  # plies; None looks to the end of the game
    evaluate: Evaluate[State]
    policy: Policy[State] | None = None  # of the opponent of `player`
    player: Player = MAX
    table: dict[tuple[Hashable, int | None], float] = field(default_factory=dict)

    def value(self, state: State, depth: int | None) -> float:
        """The value of a state, looking so many plies ahead."""
        key = (state, depth)
        if key not in self.table:
            self.table[key] = self._backed_up(state, depth)
        return self.table[key]

    def _backed_up(self, state: State, depth: int | None) -> float:
        game = self.game
        if is_leaf(game, state, depth):
            return leaf_value(game, state, self.evaluate)
        mover, actions = check_player(game, game.to_move(state), "the planner"), legal(game, state)
        values = [self.value(game.result(state, action), one_less(depth)) for action in actions]
        if mover == CHANCE:
            return average(odds(game, state), values)
        if mover != self.player and self.policy is not None:
            return average(self.policy(state), values)
        return max(values) if mover == MAX else min(values)

    def choose(self, state: State, chance: random.Random | None = None) -> Action:
        """The best action for the player to move: the first, or with `chance` any, of several that are equally good."""
        actions = self.game.actions(state)
        sign = 1 if self.game.to_move(state) == MAX else -1
        values = [sign * self.value(self.game.result(state, action), one_less(self.depth)) for action in actions]
        best = [action for action, value in zip(actions, values, strict=True) if value == max(values)]
        return best[0] if chance is None else chance.choice(best)
