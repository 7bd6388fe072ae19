"""Screening: many changes of the search measured in the same games.

Each pair of games is played between a random subset of the changes and all the others. So every change takes part in
every game, on one side or the other, and a linear regression estimates what each is worth, with the error of a match of
all the games. Interactions between changes are not measured, so a match should confirm the result.

Most changes are worth little. The regression knows that beforehand, as a normal distribution around 0: what few games
say of a change counts for less than what many say, and screens with other changes and other nodes fold into one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.alphabeta.params import PARAMETERS, ParamsRecord
from engine.lab.arena.configs import Config
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.kernel_games import table_megabytes
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication, Opening
from engine.lab.arena.statistics import CONFIDENCE, Estimate
from engine.mcts import params as tree_params
from engine.search.params import Parameter
from engine.system.errors import InputError, quote

PRIOR = 6.0  # Elo: the standard deviation of what changes are worth, before anything is known
_ELO_PER_GAIN = 800 / math.log(10)  # where the sides are about level
_LEAST_VARIANCE = 0.01  # of a pair's gain: when the first few pairs are all drawn, they still prove nothing
# Standard errors from which on a number moves by a share of the way to its better end, and a switch is turned.
_MOVES = ((1.2, 1.0), (0.5, 0.6))
_TURNS_SWITCH = 0.9
_DECIMALS = 4  # of a suggested fraction


@dataclass(frozen=True)
class ParamChange:
    """Two values of a parameter: off and on for a switch, usually a tuning step below and above for a number."""

    name: str
    low: float
    high: float


def parse_changes(words: Sequence[str], base: Config) -> list[ParamChange]:
    """Parse changes of parameters: `name` for a step either way around the value in `base`, `name=LOW:HIGH` for these
    two values; InputError if one is unknown, out of range, or named twice.
    """
    changes = [_parse_change(word, base) for word in words]
    if len({change.name for change in changes}) < len(changes):
        raise InputError("a parameter is named twice")
    return changes


def _parse_change(word: str, base: Config) -> ParamChange:
    name, equals, between = word.partition("=")
    row = next((row for row in rows_of(base) if row.name == name), None)
    if row is None:
        raise InputError(f"unknown search parameter {quote(name)}")
    number = int if row.is_integer else float
    if not equals:
        value = number(_values_of(base)[name])
        low, high = (0, 1) if row.is_switch else (max(value - row.step, row.low), min(value + row.step, row.high))
        return ParamChange(name, number(low), number(high))
    try:
        low, high = map(number, between.split(":"))
    except ValueError:
        raise InputError(f"a change must be like {name}={row.low}:{row.high}, got {quote(word)}") from None
    if not row.low <= low < high <= row.high:
        raise InputError(f"{name} must have two values from {row.low} to {row.high}, the lower one first, "
                         f"got {quote(word)}")
    return ParamChange(name, low, high)


def rows_of(base: Config) -> tuple[Parameter, ...]:
    """The parameters that the search of a config has: those of alpha-beta, or those of the tree."""
    return PARAMETERS if base.tree is None else tree_params.PARAMETERS


def _values_of(base: Config) -> ParamsRecord | tree_params.TreeParamsRecord:
    return base.params_record() if base.tree is None else base.tree.params_record()


def _with_values(base: Config, name: str, values: Mapping[str, float]) -> Config:
    """The config with other values of some parameters, and another name."""
    if base.tree is None:
        kept = {row: value for row, value in base.params if row not in values}
        return replace(base, name=name, params=(*kept.items(), *((row, int(value)) for row, value in values.items())))
    return replace(base, name=name, tree=replace(base.tree, params=tuple({**dict(base.tree.params), **values}.items())))


def screen_pairs(changes: Sequence[ParamChange], base: Config, openings: Iterator[Opening], nodes: int,
                 seed: int) -> Iterator[tuple[tuple[int, ...], GamePair]]:
    """Pairs to play, one per opening, each below the signs of the changes: 1 where the first side has the high value,
    -1 where it has the low one. The nodes of a tree are iterations.
    """
    for number, opening in enumerate(openings):
        rng = random.Random(f"{seed}/{number}")  # noqa: S311  not for cryptography
        signs = tuple(rng.choice((-1, 1)) for _ in changes)
        first, second = (
            Participant.of(_with_values(base, name, {change.name: change.high if sign == side else change.low
                                                     for change, sign in zip(changes, signs, strict=True)}),
                           nodes, table_megabytes(nodes))
            for name, side in (("one half", 1), ("the other", -1)))
        yield signs, GamePair(number, opening, first, second, Adjudication())


class Screening:
    """The pairs of one screen, as the sums that a regression needs."""

    def __init__(self, changes: Sequence[ParamChange], nodes: int) -> None:
        self.changes, self.nodes = list(changes), nodes
        self.pairs = 0
        size = len(self.changes)
        self.products: npt.NDArray[np.float64] = np.zeros((size, size))
        self.gains: npt.NDArray[np.float64] = np.zeros(size)
        self._squares = 0.0

    def add(self, signs: Sequence[int], points: float) -> None:
        """Add a pair of games, in which the first side scored `points` of two."""
        gain, row = points - 1, np.array(signs, np.float64)
        self.products += np.outer(row, row)
        self.gains += gain * row
        self._squares += gain * gain
        self.pairs += 1

    @property
    def variance(self) -> float:
        """The variance of a pair's gain; no change is large enough to matter here."""
        return max(self._squares / self.pairs, _LEAST_VARIANCE) if self.pairs else 1.0


def fold(screens: Sequence[Screening], prior: float = PRIOR) -> dict[ParamChange, Estimate]:
    """Elo of the high value against the low one, for each change of any screen, the best first; `prior` is the standard
    deviation of what changes are worth. InputError if no pair has been played.
    """
    if not any(screen.pairs for screen in screens):
        raise InputError("no pair of games has been played")
    changes = list(dict.fromkeys(change for screen in screens for change in screen.changes))
    index = {change: number for number, change in enumerate(changes)}
    precision, weighted = np.eye(len(changes)) * (_ELO_PER_GAIN / prior) ** 2, np.zeros(len(changes))
    for screen in screens:
        own = [index[change] for change in screen.changes]
        precision[np.ix_(own, own)] += screen.products / screen.variance
        weighted[own] += screen.gains / screen.variance
    covariance = np.linalg.inv(precision)
    worth, errors = covariance @ weighted, CONFIDENCE * np.sqrt(np.diag(covariance))
    effects = [(change, Estimate(*(_ELO_PER_GAIN * float(gain) for gain in (value, value - error, value + error))))
               for change, value, error in zip(changes, worth, errors, strict=True)]
    return dict(sorted(effects, key=lambda item: -item[1].value))


def suggest(effects: Mapping[ParamChange, Estimate], base: Config) -> dict[str, float]:
    """New values of the parameters that should move. Where a parameter has several changes, the surest one decides."""
    values, rows = _values_of(base), {row.name: row for row in rows_of(base)}
    surest: dict[str, tuple[float, float]] = {}
    for change, elo in effects.items():
        row = rows[change.name]
        sureness = abs(elo.value) * CONFIDENCE / (elo.high - elo.value)
        now, better = float(values[change.name]), change.high if elo.value > 0 else change.low
        moved = now + _share(row, sureness) * (better - now)
        if sureness > surest.get(change.name, (0.0, 0))[0]:
            surest[change.name] = sureness, round(moved) if row.is_integer else round(moved, _DECIMALS)
    return {name: value for name, (_, value) in surest.items() if value != values[name]}


def _share(row: Parameter, sureness: float) -> float:
    """The share of the way to the better end that a parameter moves, by the number of standard errors."""
    if row.is_switch:
        return float(sureness >= _TURNS_SWITCH)
    return next((share for least, share in _MOVES if sureness >= least), 0.0)
