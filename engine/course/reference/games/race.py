"""A race with dice: before every roll the player chooses which die to roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.course.reference.game import CHANCE, MAX, Game, Player

# Both dice give two steps on average. Each lists its faces and their odds.
DICE: Mapping[str, Mapping[int, float]] = {"steady": {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}, "wild": {1: 2 / 3, 4: 1 / 3}}


@dataclass(frozen=True)
class Track:
    """How far each player has come, who moves, and the die that was picked up, if any."""

    steps: tuple[int, int] = (0, 0)
    player: Player = MAX
    die: str | None = None


class Race(Game[Track, str | int]):
    """The first player to have made `length` steps wins 1 from the other."""

    def __init__(self, length: int) -> None:
        self._length = length

    def initial(self) -> Track:
        return Track()

    def to_move(self, state: Track) -> Player:
        return state.player if state.die is None else CHANCE

    def actions(self, state: Track) -> Sequence[str | int]:
        return list(DICE) if state.die is None else list(DICE[state.die])

    def result(self, state: Track, action: str | int) -> Track:
        if state.die is None:
            return replace(state, die=str(action))
        first, second = state.steps
        made = int(action)
        steps = (first + made, second) if state.player == MAX else (first, second + made)
        return Track(steps, 1 - state.player)

    def is_terminal(self, state: Track) -> bool:
        return max(state.steps) >= self._length

    def utility(self, state: Track, player: Player) -> float:
        return 1 if state.steps[player] >= self._length else -1

    def probability(self, state: Track, action: str | int) -> float:
        assert state.die is not None
        return DICE[state.die][int(action)]
