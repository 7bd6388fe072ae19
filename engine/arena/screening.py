"""Screening: many changes of the search measured at once.

Each pair of games is played between a random choice of the changes and all the others. Every change is then in every
game, on one side or the other, and a linear regression tells how much each is worth: the error of each is that of a
match with all of the games. What changes do to each other is not seen, so a match has the last word.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.alphabeta.params import PARAMETERS, ParamsRecord
from engine.arena.configs import Config
from engine.arena.kernel_games import KernelPair
from engine.arena.records import Adjudication, GameRecord, Opening
from engine.arena.statistics import CONFIDENCE, Estimate
from engine.system.errors import InputError, quote

_ELO_PER_GAIN = 800 / math.log(10)  # where the sides are about level


@dataclass(frozen=True)
class ParamChange:
    """Two values of a parameter: of a switch off and on, of a number usually a tuner's step below and above."""

    name: str
    low: int
    high: int


@dataclass(frozen=True)
class ScreenPair:
    """A pair of games, and for each change whether the first side has its high value (1) or its low one (-1)."""

    signs: tuple[int, ...]
    pair: KernelPair


def changes_of(words: Sequence[str], base: Config) -> list[ParamChange]:
    """The changes of parameters: `name` for a step either way around the value in `base`, `name=LOW:HIGH` for these two
    values; InputError if one is unknown, out of range, or stands twice.
    """
    values = base.params_record()
    changes = [_change_of(word, values) for word in words]
    if len({change.name for change in changes}) < len(changes):
        raise InputError("a parameter is named twice")
    return changes


def _change_of(word: str, values: ParamsRecord) -> ParamChange:
    name, equals, between = word.partition("=")
    row = next((row for row in PARAMETERS if row.name == name), None)
    if row is None:
        raise InputError(f"unknown search parameter {quote(name)}")
    if not equals:
        value = int(values[name])
        low, high = (0, 1) if row.is_switch else (max(value - row.step, row.low), min(value + row.step, row.high))
        return ParamChange(name, int(low), int(high))
    try:
        low, high = map(int, between.split(":"))
    except ValueError:
        raise InputError(f"{quote(word)} is not like {name}={row.low}:{row.high}") from None
    if not row.low <= low < high <= row.high:
        raise InputError(f"{quote(word)}: two values from {row.low} to {row.high} are needed, the lower one first")
    return ParamChange(name, low, high)


def trials(changes: Sequence[ParamChange], base: Config, openings: Iterator[Opening], nodes: int,
           seed: int) -> Iterator[ScreenPair]:
    """Pairs to play, one per opening."""
    kept = tuple((name, value) for name, value in base.params if name not in {change.name for change in changes})
    for number, opening in enumerate(openings):
        generator = random.Random(f"{seed}/{number}")  # noqa: S311  no secret
        signs = tuple(generator.choice((-1, 1)) for _ in changes)
        first, second = (
            replace(base, name=name, params=kept + tuple((change.name, change.high if sign == wanted else change.low)
                                                         for change, sign in zip(changes, signs, strict=True)))
            for name, wanted in (("one half", 1), ("the other", -1)))
        yield ScreenPair(signs, KernelPair(number, opening, first, second, nodes, Adjudication()))


class Screening:
    """What the trials have shown so far."""

    def __init__(self, changes: Sequence[ParamChange]) -> None:
        self.changes = list(changes)
        self.pairs = 0
        size = len(self.changes)
        self._products: npt.NDArray[np.float64] = np.zeros((size, size))
        self._gains: npt.NDArray[np.float64] = np.zeros(size)
        self._squares = 0.0

    def add(self, signs: Sequence[int], records: Sequence[GameRecord]) -> None:
        """Count a pair."""
        gain = sum(2 * record.points - 1 for record in records) / len(records)
        row = np.array(signs, np.float64)
        self._products += np.outer(row, row)
        self._gains += gain * row
        self._squares += gain * gain
        self.pairs += 1

    def effects(self) -> list[tuple[ParamChange, Estimate]]:
        """Elo of the high value against the low one, for each change, the best first."""
        if self.pairs <= len(self.changes):
            raise InputError("there are too few pairs for so many changes")
        inverse = np.linalg.pinv(self._products)
        worth = inverse @ self._gains
        rest = max(self._squares - float(worth @ self._gains), 0.0) / (self.pairs - len(self.changes))
        errors = CONFIDENCE * np.sqrt(rest * np.diag(inverse))
        found = [(change, Estimate(*(_ELO_PER_GAIN * float(gain) for gain in (value, value - error, value + error))))
                 for change, value, error in zip(self.changes, worth, errors, strict=True)]
        return sorted(found, key=lambda item: -item[1].value)
