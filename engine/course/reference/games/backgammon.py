"""Backgammon in small: two checkers each, a short track, two dice. A single checker can be hit, two are safe together.

Checkers run towards 0, where they are off; the other side's run the other way along the same track. The first to bear
both off wins 1, and 2 if the other has not borne off any. By other stakes it is 3 if one of those still waits outside,
and all is multiplied by the doubling cube.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.course.reference.game import CHANCE, MAX, MIN, Game, Player

Checkers = tuple[int, ...]  # how far each of a side's checkers has to go, the furthest last; 0 is off
Roll = tuple[int, ...]  # two dice, the smaller first


@dataclass(frozen=True)
class BackgammonState:
    """The checkers of MAX and of MIN, whose turn it is, and the roll, once the dice have been thrown."""

    checkers: tuple[Checkers, Checkers]
    player: Player = MAX
    roll: Roll | None = None


@dataclass(frozen=True)
class Stakes:
    """What a game is played for: the number on the cube, whether a game can count three times, what the loser pays."""

    cube: int = 1
    has_triple: bool = False
    is_zero_sum: bool = True  # the loser pays the winner; or gets 0


POINTS = Stakes(64, has_triple=True, is_zero_sum=False)  # the largest cube: from 0 to 192


def rolls(faces: int) -> Mapping[Roll, float]:
    """The different rolls of two dice and their probabilities: 21 for six faces, since 1-2 is as good as 2-1."""
    return {(low, high): (1 if low == high else 2) / faces**2
            for low, high in itertools.combinations_with_replacement(range(1, faces + 1), 2)}


class SmallBackgammon(Game[BackgammonState, Roll | Checkers]):
    """At a chance node actions are rolls. A player's action is where his own checkers stand after it."""

    def __init__(self, length: int = 7, faces: int = 3, stakes: Stakes = Stakes()) -> None:
        self.length, self._rolls, self._stakes = length, rolls(faces), stakes

    def initial(self) -> BackgammonState:
        return BackgammonState(((self.length,) * 2, (self.length,) * 2))

    def to_move(self, state: BackgammonState) -> Player:
        return CHANCE if state.roll is None else state.player

    def actions(self, state: BackgammonState) -> Sequence[Roll | Checkers]:
        if state.roll is None:
            return list(self._rolls)
        own, other = self._sides(state)
        orders = sorted(set(itertools.permutations(state.roll)))
        return sorted({after for order in orders for after in self._plays(own, other, order)})

    def _sides(self, state: BackgammonState) -> tuple[Checkers, Checkers]:
        first, second = state.checkers
        return (first, second) if state.player == MAX else (second, first)

    def _plays(self, own: Checkers, other: Checkers, dice: Roll) -> Iterator[Checkers]:
        """Where the own checkers can stand after these dice, played in this order; a die without a move is lost."""
        if not dice:
            yield own
            return
        moved = [(*own[:index], max(own[index] - dice[0], 0), *own[index + 1 :]) for index in range(len(own))
                 if own[index] and not self._is_blocked(own[index] - dice[0], other)]
        for after in moved or [own]:
            yield from self._plays(tuple(sorted(after)), other, dice[1:])

    def _is_blocked(self, point: int, other: Checkers) -> bool:
        return 0 < point < self.length and other.count(self.length - point) > 1

    def result(self, state: BackgammonState, action: Roll | Checkers) -> BackgammonState:
        if state.roll is None:
            return BackgammonState(state.checkers, state.player, action)
        _, other = self._sides(state)
        hit = {self.length - point for point in action if 0 < point < self.length}
        sent = tuple(sorted(self.length if point in hit else point for point in other))
        pair = (action, sent) if state.player == MAX else (sent, action)
        return BackgammonState(pair, MIN if state.player == MAX else MAX)

    def is_terminal(self, state: BackgammonState) -> bool:
        return state.roll is None and any(not any(side) for side in state.checkers)

    def utility(self, state: BackgammonState, player: Player) -> float:
        winner = MAX if not any(state.checkers[MAX]) else MIN
        left, stakes = state.checkers[1 - winner], self._stakes
        times = 1 if 0 in left else 3 if stakes.has_triple and self.length in left else 2
        if player == winner:
            return times * stakes.cube
        return -times * stakes.cube if stakes.is_zero_sum else 0

    def probability(self, state: BackgammonState, action: Roll | Checkers) -> float:
        return self._rolls[action]

    def evaluate(self, state: BackgammonState) -> float:
        """Who has less way to go: between -1 and 1, the difference over the whole way of a side."""
        mine, theirs = map(sum, state.checkers)
        return (theirs - mine) / (2 * self.length)

    def text(self, state: BackgammonState) -> str:
        """The track from MAX's start to his end: x for MAX's checkers, o for MIN's."""
        points = ["." for _ in range(self.length - 1)]
        for side, sign in enumerate("xo"):
            for way in state.checkers[side]:
                if 0 < way < self.length:
                    index = self.length - way - 1 if side == MAX else way - 1
                    points[index] = sign.upper() if points[index] == sign else sign
        waiting = [sum(way == self.length for way in side) for side in state.checkers]
        off = [side.count(0) for side in state.checkers]
        return f"x {waiting[0]} [{''.join(points)}] {waiting[1]} o   off: x {off[0]}, o {off[1]}"
