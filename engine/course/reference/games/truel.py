"""The truel, a duel of three: players of different skill shoot in turn, each at any other player or into the air."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.course.reference.game import CHANCE, Game, Player

AIR = -1  # a shot into the air
HIT, MISS = "hit", "miss"


@dataclass(frozen=True)
class Field:
    """Who is left, who shoots, at whom if that is decided, and how many shots are left in total."""

    alive: tuple[Player, ...]
    shooter: Player
    shots: int
    target: Player | None = None


class Truel(Game[Field, Player | str]):
    """The last one standing wins 1; if several are left after the last shot, none wins. `skills` are odds to hit."""

    def __init__(self, skills: Sequence[float], rounds: int) -> None:
        self._skills, self._rounds = skills, rounds

    def initial(self) -> Field:
        return Field(tuple(range(len(self._skills))), 0, self._rounds * len(self._skills))

    def to_move(self, state: Field) -> Player:
        return state.shooter if state.target is None else CHANCE

    def actions(self, state: Field) -> Sequence[Player | str]:
        if state.target is None:
            return [*(player for player in state.alive if player != state.shooter), AIR]
        return (MISS,) if state.target == AIR else (HIT, MISS)

    def result(self, state: Field, action: Player | str) -> Field:
        if state.target is None:
            return replace(state, target=int(action))
        alive = tuple(player for player in state.alive if action == MISS or player != state.target)
        later = [player for player in alive if player > state.shooter]
        return Field(alive, min(later or alive), state.shots - 1)

    def is_terminal(self, state: Field) -> bool:
        return len(state.alive) == 1 or state.shots == 0

    def utility(self, state: Field, player: Player) -> float:
        return 1 if state.alive == (player,) else 0

    def probability(self, state: Field, action: Player | str) -> float:
        if state.target == AIR:
            return 1
        skill = self._skills[state.shooter]
        return skill if action == HIT else 1 - skill
