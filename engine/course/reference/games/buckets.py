"""The bucket game, without and with a coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.course.reference.game import CHANCE, MAX, MIN, Game, Player


@dataclass(frozen=True)
class Choice:
    """Which bucket was picked, whether its coin has been tossed, and which of its numbers was taken."""

    bucket: int | None = None
    is_settled: bool = False
    index: int | None = None


class BucketGame(Game[Choice, int]):
    """MAX picks a bucket of numbers, MIN a number from it, which MAX wants high.

    With a coin: heads moves one bucket to the left, from the first to the last. Action 1 of the coin is heads.
    """

    def __init__(self, buckets: Sequence[Sequence[float]], has_coin: bool = False) -> None:
        self._buckets, self._has_coin = buckets, has_coin

    def initial(self) -> Choice:
        return Choice()

    def to_move(self, state: Choice) -> Player:
        if state.bucket is None:
            return MAX
        return MIN if state.is_settled else CHANCE

    def actions(self, state: Choice) -> Sequence[int]:
        if state.bucket is None:
            return range(len(self._buckets))
        return range(len(self._buckets[state.bucket])) if state.is_settled else (0, 1)

    def result(self, state: Choice, action: int) -> Choice:
        if state.bucket is None:
            return Choice(action, is_settled=not self._has_coin)
        if not state.is_settled:
            return Choice((state.bucket - action) % len(self._buckets), is_settled=True)
        return Choice(state.bucket, is_settled=True, index=action)

    def is_terminal(self, state: Choice) -> bool:
        return state.index is not None

    def utility(self, state: Choice, player: Player) -> float:
        assert state.bucket is not None and state.index is not None
        number = self._buckets[state.bucket][state.index]
        return number if player == MAX else -number
