"""A game, formally: all that the algorithms of this package know about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

State = TypeVar("State")
Action = TypeVar("Action")

Player = int
MAX, MIN = 0, 1  # in games of two players, the first and the second
CHANCE = -1  # the player without a will: dice, coins, shuffled cards, and opponents modelled as such


class UnsuitableGameError(ValueError):
    """A game that an algorithm is not made for, or that breaks the rules of games. The message is one line."""


class Game(ABC, Generic[State, Action]):
    """States are values: no method changes one."""

    @abstractmethod
    def initial(self) -> State:
        """Where the game begins."""

    @abstractmethod
    def to_move(self, state: State) -> Player:
        """Who moves in a state that is not terminal."""

    @abstractmethod
    def actions(self, state: State) -> Sequence[Action]:
        """The legal moves, in a fixed order; at a chance node, what can happen."""

    @abstractmethod
    def result(self, state: State, action: Action) -> State:
        """The state that a move leads to."""

    @abstractmethod
    def is_terminal(self, state: State) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def utility(self, state: State, player: Player) -> float:
        """What a terminal state is worth to a player."""

    def probability(self, state: State, action: Action) -> float:
        """The probability of an event at a chance node; by default all are equally likely."""
        return 1 / len(self.actions(state))


class HiddenGame(Game[State, Action]):
    """A game whose players do not see everything: hidden cards, or simultaneous moves."""

    @abstractmethod
    def view(self, state: State) -> Hashable:
        """What the player to move knows. States with the same view form an information set: one strategy for all."""
