"""A game as a network sees it: a state as a row of numbers, an action as the number of an output.

A game may know best how to show itself, as boards do. For any other, `encoded` plays some games at random, and gives
an input to each fact that it meets in their states, such as "the second pile has 3", and an output to each action.
"""

from __future__ import annotations

import dataclasses
import random
import zlib
from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from engine.course.reference.game import CHANCE, MAX, Action, Game, State
from engine.course.reference.requirements import Wrapped, check_player, legal

_GAMES, _LONGEST = 200, 500  # played at random to see what there is, and their plies
_MOST = 4096  # inputs

class EncodedGame(Game[State, Action]):
    """A game that shows itself to a network."""

    action_count: int  # outputs of the policy
    largest: float  # utility

    @abstractmethod
    def encode(self, state: State) -> Sequence[float]:
        """The inputs, as the player to move sees the state."""

    @abstractmethod
    def index(self, action: Action) -> int:
        """The output of the policy that stands for an action."""


def encoded(game: Game[Any, Any]) -> EncodedGame[Any, Any]:
    """The game itself, if it shows itself to networks; otherwise the same game with inputs for what was met in it."""
    return game if isinstance(game, EncodedGame) else _Sampled(game)


class _Sampled(Wrapped[State, Action], EncodedGame[State, Action]):
    """A game with an input for each fact, and an output for each action, of some random games."""

    def __init__(self, game: Game[State, Action]) -> None:
        super().__init__(game)
        self._inputs: dict[Hashable, int] = {}
        self._outputs: dict[Action, int] = {}
        self.largest = 0.0
        chance = random.Random(0)
        for _ in range(_GAMES):
            self._play(chance)
        self.action_count = len(self._outputs)
        self.largest = self.largest or 1.0

    def _play(self, chance: random.Random) -> None:
        state = self.initial()
        for _ in range(_LONGEST):
            if self.is_terminal(state):
                utilities = self.utility(state, MAX), self.utility(state, 1 - MAX)
                self.largest = max(self.largest, abs(utilities[0] - utilities[1]) / 2)
                return
            actions = legal(self, state)
            if check_player(self.game, self.to_move(state), "AlphaZero") != CHANCE:
                for fact in self._facts(state):
                    if len(self._inputs) < _MOST:
                        self._inputs.setdefault(fact, len(self._inputs))
                for action in actions:
                    self._outputs.setdefault(action, len(self._outputs))
            state = self.result(state, chance.choice(actions))

    def _facts(self, state: State) -> Iterator[Hashable]:
        yield ("to move", self.to_move(state))
        yield from facts(state)

    def encode(self, state: State) -> Sequence[float]:
        row = [0.0] * len(self._inputs)
        for fact in self._facts(state):
            if fact in self._inputs:
                row[self._inputs[fact]] = 1.0
        return row

    def index(self, action: Action) -> int:
        """An action that was never met shares the output of another one."""
        known = self._outputs.get(action)
        return zlib.crc32(repr(action).encode()) % self.action_count if known is None else known


def facts(value: object, where: tuple[object, ...] = ()) -> Iterator[Hashable]:
    """What a state is made of: each of its parts, and where it stands."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from facts(part, (*where, key))
    elif isinstance(value, (tuple, list, str)) and len(value) != 1:
        for number, part in enumerate(value):
            yield from facts(part, (*where, number))
    elif isinstance(value, (set, frozenset)):
        for part in value:
            yield (*where, repr(part))
    else:
        yield (*where, repr(value))
