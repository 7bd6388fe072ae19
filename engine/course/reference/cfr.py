"""Counterfactual regret minimisation: regret matching in every information set of a game with hidden cards.

An information set is what a player knows: the own card, and what was done so far. The regret of an action in a state
is weighted by how likely the others, including chance, are to lead there: that is the counterfactual, as if the player
had tried to get there. For two-player zero-sum games. Pluribus, for six players, joined it with search and self-play.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from engine.course.reference.game import CHANCE, MAX, MIN, Action, Game, HiddenGame, Player, State
from engine.course.reference.regret import RegretMatcher, Strategy
from engine.course.reference.requirements import as_key, check_seat, legal, odds

RegretTables = dict[Hashable, RegretMatcher]  # one for each information set, by its view
StrategyProfile = Callable[[Hashable, int], Strategy]  # what is known, and among how many actions -> how to play


def minimise(game: Game[State, Action], iterations: int) -> Iterator[RegretTables]:
    """What has been learned, after every iteration: two walks through the whole tree, one to teach each player.

    Later iterations know more, so each counts in the average in proportion to its number.
    """
    learners: RegretTables = {}
    for iteration in range(1, iterations + 1):
        for pupil in (MAX, MIN):
            _Walk(game, learners, pupil, iteration).value(game.initial(), (1.0, 1.0), 1.0)
        yield learners


@dataclass
class _Walk(Generic[State, Action]):
    """A walk through the whole tree on which one player, the pupil, learns.

    An information set is met several times, once for each card the other may hold. `strategies` keeps how it was to be
    played at the beginning, so that what is learned on the walk does not change it on the way.
    """

    game: Game[State, Action]
    learners: RegretTables
    updating_player: Player
    weight: float
    strategies: dict[Hashable, Strategy] = field(default_factory=dict)

    def value(self, state: State, reach: tuple[float, float], luck: float) -> float:
        """MAX's value of a state. `reach`: how likely MAX's and MIN's choices lead there; `luck`: how likely chance."""
        game = self.game
        if game.is_terminal(state):
            return game.utility(state, MAX)
        player, actions = check_seat(game.to_move(state), "CFR"), legal(game, state)
        if player == CHANCE:
            chances = odds(game, state)
            return _mean(chances, [self.value(game.result(state, action), reach, luck * likely)
                                   for action, likely in zip(actions, chances, strict=True)])
        learner = self.learners.setdefault(view_of(game, state), RegretMatcher(len(actions)))
        strategy = self.strategies.setdefault(view_of(game, state), learner.strategy)
        values = [self.value(game.result(state, action), _after(reach, player, likely), luck)
                  for action, likely in zip(actions, strategy, strict=True)]
        value = _mean(strategy, values)
        if player == self.updating_player:
            sign = 1 if player == MAX else -1  # values are MAX's, regrets the player's own
            counterfactual = luck * reach[1 - player]
            learner.learn([sign * counterfactual * (other - value) for other in values], strategy,
                          self.weight * reach[player])
        return value


def _after(reach: tuple[float, float], player: Player, likely: float) -> tuple[float, float]:
    """How likely the players' choices lead on, if this player's next one is so likely."""
    return (reach[0] * likely, reach[1]) if player == MAX else (reach[0], reach[1] * likely)


def _mean(chances: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(likely * value for likely, value in zip(chances, values, strict=True))


def view_of(game: Game[State, Action], state: State) -> Hashable:
    """What the player to move knows: the state itself where nothing is hidden."""
    return game.view(state) if isinstance(game, HiddenGame) else as_key(state)


def averages(learners: Mapping[Hashable, RegretMatcher]) -> StrategyProfile:
    """The average strategies as a plan for every information set: these converge to the equilibrium."""
    return lambda view, actions: learners[view].average if view in learners else (1 / actions,) * actions


def value(game: Game[State, Action], state: State, plan: StrategyProfile) -> float:
    """What MAX gets on average if both play by the plan."""
    if game.is_terminal(state):
        return game.utility(state, MAX)
    chances = _odds(game, state, plan)
    return _mean(chances, [value(game, game.result(state, action), plan) for action in game.actions(state)])


def _odds(game: Game[State, Action], state: State, plan: StrategyProfile) -> Sequence[float]:
    """How likely each action is."""
    if game.to_move(state) == CHANCE:
        return odds(game, state)
    return plan(view_of(game, state), len(game.actions(state)))


def best_response(game: Game[State, Action], player: Player, plan: StrategyProfile) -> float:
    """The most that a player can get against the plan, knowing the plan but not the cards."""
    states: dict[Hashable, list[tuple[State, float]]] = {}  # of each information set, and how likely others lead there

    def collect(state: State, reach: float) -> None:
        """Note every state in which the player moves, under what he knows there."""
        if game.is_terminal(state):
            return
        is_own = game.to_move(state) == player
        if is_own:
            states.setdefault(view_of(game, state), []).append((state, reach))
        actions = game.actions(state)
        chances = [1.0] * len(actions) if is_own else _odds(game, state, plan)
        for action, likely in zip(actions, chances, strict=True):
            collect(game.result(state, action), reach * likely)

    @functools.cache
    def answer(view: Hashable) -> Action:
        """The one action that is best in an information set: he cannot tell its states apart."""
        return max(game.actions(states[view][0][0]), key=lambda action: math.fsum(
            reach * worth(game.result(state, action)) for state, reach in states[view]))

    def worth(state: State) -> float:
        """What the player gets from a state on average if he answers well from there on."""
        if game.is_terminal(state):
            return game.utility(state, player)
        if game.to_move(state) == player:
            return worth(game.result(state, answer(view_of(game, state))))
        return _mean(_odds(game, state, plan), [worth(game.result(state, action)) for action in game.actions(state)])

    collect(game.initial(), 1.0)
    return worth(game.initial())


def exploitability(game: Game[State, Action], plan: StrategyProfile) -> float:
    """What players who know the plan win against it, averaged over both seats: 0 at an equilibrium."""
    return (best_response(game, MAX, plan) + best_response(game, MIN, plan)) / 2
