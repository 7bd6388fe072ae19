"""The halving game: from N, take one away or halve, rounding down; the player left with 0 wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.course.reference.game import MAX, Game, Player


@dataclass(frozen=True)
class Pile:
    """A number, and whose turn it is."""

    number: int
    player: Player = MAX


class Halving(Game[Pile, str]):
    """The player who is to move at 0 has been left with it, and has won."""

    def __init__(self, number: int) -> None:
        self._number = number

    def initial(self) -> Pile:
        return Pile(self._number)

    def to_move(self, state: Pile) -> Player:
        return state.player

    def actions(self, state: Pile) -> Sequence[str]:
        return ("take one", "halve")

    def result(self, state: Pile, action: str) -> Pile:
        return Pile(state.number - 1 if action == "take one" else state.number // 2, 1 - state.player)

    def is_terminal(self, state: Pile) -> bool:
        return state.number == 0

    def utility(self, state: Pile, player: Player) -> float:
        return 1 if state.player == player else -1
