"""Belief states: what a player thinks possible where not everything is seen, and how likely.

Optimal play has to reason about the present and future beliefs of all players. A simple approximation averages: take
each configuration of what is hidden as if it were seen from now on, value the actions there by minimax, and weigh. It
never hides anything and never bluffs, since it expects everything to come into the open after the next move.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

from engine.course.reference.cfr import StrategyProfile
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import CHANCE, MAX, Action, HiddenGame, Player, State
from engine.course.reference.regret import Strategy
from engine.course.reference.requirements import face_up, odds

Belief = Mapping[State, float]  # the probability of each state that a player thinks possible

_SAME = 1e-9  # values that differ by less are equal


def uniform(view: Hashable, actions: int) -> Strategy:
    """A plan that plays every action equally often."""
    return (1 / actions,) * actions


def belief(game: HiddenGame[State, Action], view: Hashable, player: Player,
           plan: StrategyProfile = uniform) -> dict[State, float]:
    """The states in which a player knows no more than the view, with their probabilities if the others play by a plan.

    The player's own choices are known to him: whatever the plan says, he made those that lead to the view.
    """
    found: dict[State, float] = {}

    def walk(state: State, likely: float) -> None:
        if game.is_terminal(state):
            return
        mover, actions = game.to_move(state), game.actions(state)
        if mover == player and game.view(state) == view:
            found[state] = found.get(state, 0.0) + likely
            return
        shares: Strategy = (1.0,) * len(actions)
        if mover == CHANCE:
            shares = tuple(odds(game, state))
        elif mover != player:
            shares = plan(game.view(state), len(actions))
        for action, share in zip(actions, shares, strict=True):
            if share:
                walk(game.result(state, action), likely * share)

    walk(game.initial(), 1.0)
    whole = math.fsum(found.values())
    return {state: likely / whole for state, likely in found.items()}


def averaged(game: HiddenGame[State, Action], thought: Belief[State], action: Action) -> float:
    """The action's value to MAX, averaged over the belief, as if everybody saw everything from then on."""
    seen = face_up(game)
    return math.fsum(likely * expectiminimax(seen, seen.result(state, action)) for state, likely in thought.items())


def averaging_plan(game: HiddenGame[State, Action], player: Player, plan: StrategyProfile = uniform) -> StrategyProfile:
    """A player who takes the action with the best average, or any of several, equally often."""

    def strategy(view: Hashable, actions: int) -> Strategy:
        thought = belief(game, view, player, plan)
        sign = 1 if player == MAX else -1
        values = [sign * averaged(game, thought, action) for action in game.actions(next(iter(thought)))]
        best = [value > max(values) - _SAME for value in values]
        return tuple(is_best / sum(best) for is_best in best)

    return strategy
