"""Screening: many changes of the search measured in the same games.

Each pair of games is played between a random subset of the changes and all the others. So every change takes part in
every game, on one side or the other, and a linear regression estimates what each is worth, with the error of a match of
all the games. Interactions between changes are not measured, so a match should confirm the result.
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
    """Two values of a parameter: off and on for a switch, usually a tuning step below and above for a number."""

    name: str
    low: int
    high: int


@dataclass(frozen=True)
class ScreenPair:
    """A pair of games, and for each change whether the first side has its high value (1) or its low one (-1)."""

    signs: tuple[int, ...]
    pair: KernelPair


def parse_changes(words: Sequence[str], base: Config) -> list[ParamChange]:
    """Parse changes of parameters: `name` for a step either way around the value in `base`, `name=LOW:HIGH` for these
    two values; InputError if one is unknown, out of range, or named twice.
    """
    values = base.params_record()
    changes = [_parse_change(word, values) for word in words]
    if len({change.name for change in changes}) < len(changes):
        raise InputError("a parameter is named twice")
    return changes


def _parse_change(word: str, values: ParamsRecord) -> ParamChange:
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
        raise InputError(f"a change must be like {name}={row.low}:{row.high}, got {quote(word)}") from None
    if not row.low <= low < high <= row.high:
        raise InputError(f"{name} must have two values from {row.low} to {row.high}, the lower one first, "
                         f"got {quote(word)}")
    return ParamChange(name, low, high)


def screen_pairs(changes: Sequence[ParamChange], base: Config, openings: Iterator[Opening], nodes: int,
                 seed: int) -> Iterator[ScreenPair]:
    """Pairs to play, one per opening."""
    kept = tuple((name, value) for name, value in base.params if name not in {change.name for change in changes})
    for number, opening in enumerate(openings):
        rng = random.Random(f"{seed}/{number}")  # noqa: S311  not for cryptography
        signs = tuple(rng.choice((-1, 1)) for _ in changes)
        first, second = (
            replace(base, name=name, params=kept + tuple((change.name, change.high if sign == side else change.low)
                                                         for change, sign in zip(changes, signs, strict=True)))
            for name, side in (("one half", 1), ("the other", -1)))
        yield ScreenPair(signs, KernelPair(number, opening, first, second, nodes, Adjudication()))


class Screening:
    """The regression over the pairs played so far."""

    def __init__(self, changes: Sequence[ParamChange]) -> None:
        self.changes = list(changes)
        self.pairs = 0
        size = len(self.changes)
        self._products: npt.NDArray[np.float64] = np.zeros((size, size))
        self._gains: npt.NDArray[np.float64] = np.zeros(size)
        self._squares = 0.0

    def add(self, signs: Sequence[int], records: Sequence[GameRecord]) -> None:
        """Add the games of a pair."""
        gain = sum(2 * record.points - 1 for record in records) / len(records)
        row = np.array(signs, np.float64)
        self._products += np.outer(row, row)
        self._gains += gain * row
        self._squares += gain * gain
        self.pairs += 1

    def effects(self) -> list[tuple[ParamChange, Estimate]]:
        """Elo of the high value against the low one, for each change, the best first."""
        if self.pairs <= len(self.changes):
            raise InputError(f"too few pairs for {len(self.changes)} changes: {self.pairs}")
        inverse = np.linalg.pinv(self._products)
        worth = inverse @ self._gains
        rest = max(self._squares - float(worth @ self._gains), 0.0) / (self.pairs - len(self.changes))
        errors = CONFIDENCE * np.sqrt(rest * np.diag(inverse))
        effects = [(change, Estimate(*(_ELO_PER_GAIN * float(gain) for gain in (value, value - error, value + error))))
                   for change, value, error in zip(self.changes, worth, errors, strict=True)]
        return sorted(effects, key=lambda item: -item[1].value)
