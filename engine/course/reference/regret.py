"""Regret matching: learning to play a game of simultaneous moves from what other actions would have earned.

Minimax does not apply: it would let the second player see the first one's move. The average of the strategies converges
to an equilibrium, which no opponent can exploit. The current strategy need not: it may go round in circles.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

Strategy = tuple[float, ...]  # the probability of each action
Payoffs = Sequence[Sequence[float]]  # my action, their action -> what I get


def regrets(payoffs: Payoffs, mine: int, theirs: int) -> tuple[float, ...]:
    """What each action would have earned against theirs, minus what mine earned."""
    return tuple(row[theirs] - payoffs[mine][theirs] for row in payoffs)


def matched(totals: Sequence[float]) -> Strategy:
    """Totals as probabilities: negative ones set to zero, then normalised; all equal if none is positive."""
    positive = [max(total, 0.0) for total in totals]
    whole = sum(positive)
    return tuple(total / whole if whole else 1 / len(totals) for total in positive)


def highest(totals: Sequence[float]) -> Strategy:
    """The first idea: all probability to the action with the highest summed regret, the first of several."""
    best = max(range(len(totals)), key=lambda action: totals[action])
    return tuple(float(action == best) for action in range(len(totals)))


@dataclass
class RegretMatcher:
    """What one player has learned about `actions` actions."""

    actions: int
    totals: list[float] = field(default_factory=list)  # the regret of each action, summed over all games
    played: list[float] = field(default_factory=list)  # the strategies, summed over all games

    def __post_init__(self) -> None:
        self.totals = self.totals or [0.0] * self.actions
        self.played = self.played or [0.0] * self.actions

    @property
    def strategy(self) -> Strategy:
        """How to play the next game."""
        return matched(self.totals)

    @property
    def average(self) -> Strategy:
        """The mean of the strategies so far: what converges."""
        return matched(self.played)  # nothing is negative here, so they are only normalised

    def learn(self, regret: Sequence[float], strategy: Strategy, weight: float = 1.0) -> None:
        """Add the regrets of a game, and the strategy it was played by, which counts `weight` in the average."""
        self.totals = [total + more for total, more in zip(self.totals, regret, strict=True)]
        self.played = [total + weight * share for total, share in zip(self.played, strategy, strict=True)]


def play(payoffs: Payoffs, games: int, chance: random.Random,
         fixed: Strategy | None = None) -> tuple[RegretMatcher, RegretMatcher]:
    """Two learners after `games` games against each other; with `fixed`, the second always plays that strategy.

    The game is symmetric, the same for both: `payoffs` are each player's own.
    """
    first, second = RegretMatcher(len(payoffs)), RegretMatcher(len(payoffs))
    actions = range(len(payoffs))
    for _ in range(games):
        strategies = first.strategy, fixed or second.strategy
        mine, theirs = (chance.choices(actions, strategy)[0] for strategy in strategies)
        first.learn(regrets(payoffs, mine, theirs), strategies[0])
        second.learn(regrets(payoffs, theirs, mine), strategies[1])
    return first, second


def value(payoffs: Payoffs, mine: Strategy, theirs: Strategy) -> float:
    """What I get on average."""
    return sum(mine[row] * theirs[column] * payoff
               for row, line in enumerate(payoffs) for column, payoff in enumerate(line))


def exploitability(payoffs: Payoffs, strategy: Strategy) -> float:
    """What an opponent who knows the strategy wins against it: 0 at the equilibrium of a symmetric game."""
    actions = range(len(payoffs))
    return max(value(payoffs, tuple(float(action == best) for action in actions), strategy) for best in actions)
