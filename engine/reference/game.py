"""A game, formally: what every algorithm of this package is told of it, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

State = TypeVar("State")
Action = TypeVar("Action")

Player = int
MAX, MIN = 0, 1  # in games of two players, the first and the second
CHANCE = -1  # the player who has no will: dice, coins, and opponents who are modelled as such


class Game(ABC, Generic[State, Action]):
    """States are values: nothing that is asked changes one."""

    @abstractmethod
    def initial(self) -> State:
        """Where the game begins."""

    @abstractmethod
    def to_move(self, state: State) -> Player:
        """Who is to move in a state that is not terminal."""

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
        """How likely an event of a chance node is; by default all are alike."""
        return 1 / len(self.actions(state))
