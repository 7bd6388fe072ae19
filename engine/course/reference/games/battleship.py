"""Battleship in a row: both hide a ship on neighbouring squares, then fire in turn. The first to hit wins 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.course.reference.game import MAX, MIN, HiddenGame, Player


class Sea(NamedTuple):
    """The first squares of the ships, MAX's before MIN's, and the squares fired at so far, in turn."""

    ships: tuple[int, ...] = ()
    shots: tuple[int, ...] = ()


class Battleship(HiddenGame[Sea, int]):
    """MAX hides first and fires first; MIN hides without having seen where."""

    def __init__(self, squares: int = 4, length: int = 2) -> None:
        self._squares, self._length = squares, length

    def initial(self) -> Sea:
        return Sea()

    def to_move(self, state: Sea) -> Player:
        return (MAX, MIN)[(len(state.ships) + len(state.shots)) % 2]

    def actions(self, state: Sea) -> Sequence[int]:
        if len(state.ships) < 2:
            return range(self._squares - self._length + 1)
        own = state.shots[self.to_move(state) :: 2]
        return [square for square in range(self._squares) if square not in own]

    def result(self, state: Sea, action: int) -> Sea:
        if len(state.ships) < 2:
            return Sea((*state.ships, action))
        return Sea(state.ships, (*state.shots, action))

    def is_terminal(self, state: Sea) -> bool:
        return bool(state.shots) and self.is_hit(state.ships[len(state.shots) % 2], state.shots[-1])

    def is_hit(self, ship: int, shot: int) -> bool:
        """Whether a ship lies on the square that is fired at."""
        return 0 <= shot - ship < self._length

    def utility(self, state: Sea, player: Player) -> float:
        winner = (MAX, MIN)[(len(state.shots) - 1) % 2]
        return 1 if player == winner else -1

    def view(self, state: Sea) -> tuple[Player, tuple[int, ...], tuple[int, ...]]:
        """Who I am, my own ship once it is hidden, and all shots, which both see."""
        player = self.to_move(state)
        return player, state.ships[player : player + 1], state.shots
