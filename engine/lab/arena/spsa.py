"""SPSA: simultaneous perturbation stochastic approximation, for search parameters.

Each pair of games is played between the current values plus and minus a random perturbation of all of them at once. Its
result is a noisy estimate of the gradient, and costs the same however many parameters there are.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean

from engine.alphabeta.params import PARAMETERS
from engine.lab.arena.configs import Config, TreeConfig
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.kernel_games import SMALLEST_TABLE
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication, GameRecord, Opening
from engine.lab.arena.statistics import CONFIDENCE, Estimate
from engine.mcts import params as tree_params
from engine.search.params import Parameter
from engine.system.errors import InputError, quote
from engine.system.files import read_json, write_file

# The usual constants: how fast the steps and the perturbations shrink, and the fraction of pairs before they do.
_ALPHA, _GAMMA, _STABILITY = 0.602, 0.101, 0.1
_VERSION = 2
WINDOW = 500  # pairs after which the gain is estimated anew: a thousand games
_ELO_PER_WIN = 400 / math.log(10)  # Elo for each game that one side wins more than it loses in a pair, if they are few
_TREE_MEGABYTES = 16

Values = list[tuple[str, float]]


@dataclass(frozen=True)
class SpsaConfig:
    """The parameters and settings of a run, which fully determine it."""

    names: tuple[str, ...]
    pairs: int  # in total
    batch: int  # pairs played with the same values
    nodes: int
    seed: int
    rate: float  # how far a won game moves a value at the end of the run, as a fraction of its step
    openings: str = ""  # the name of the file they are drawn from; empty for random ones
    tree: str = ""  # the mode of the tree search; empty for alpha-beta

    def rows(self) -> list[Parameter]:
        """The parameters; InputError if one is unknown, or a switch."""
        known = {row.name: row for row in (tree_params.PARAMETERS if self.tree else PARAMETERS)}
        for name in self.names:
            if name not in known:
                raise InputError(f"unknown search parameter {quote(name)}")
            if known[name].step == 0:
                reason = "is a switch" if known[name].is_switch else "has no step"
                raise InputError(f"{name} {reason} and cannot be tuned; test it with `match`")
        return [known[name] for name in self.names]

    def config(self, name: str, values: Values) -> Config:
        """The config that plays with these values."""
        if self.tree:
            return Config(name, tree=TreeConfig(self.tree, tuple(values)))
        return Config(name, tuple((row, int(value)) for row, value in values))

    def pair(self, number: int, opening: Opening, rules: Adjudication, plus: Values, minus: Values) -> GamePair:
        """The pair of games between two sets of values."""
        first, second = (Participant.of(self.config(name, values), self.nodes,
                                        _TREE_MEGABYTES if self.tree else SMALLEST_TABLE)
                         for name, values in (("plus", plus), ("minus", minus)))
        return GamePair(number, opening, first, second, rules)


@dataclass
class SpsaWindow:
    """What the pairs of a window say about the strength, and by how much they moved the values; by parameter."""

    pairs: int = 0
    slopes: dict[str, float] = field(default_factory=dict)  # Elo per unit, summed over the pairs
    variances: dict[str, float] = field(default_factory=dict)  # of those sums
    displacement: dict[str, float] = field(default_factory=dict)

    def add(self, gain: float, perturbation: Perturbation, sizes: dict[str, float]) -> None:
        """Count a pair: `gain` is the games that plus won less those it lost."""
        self.pairs += 1
        for name, size in sizes.items():
            slope = _ELO_PER_WIN * gain / (2 * size)
            self.slopes[name] = self.slopes.get(name, 0.0) + perturbation.flips[name] * slope
            self.variances[name] = self.variances.get(name, 0.0) + slope**2

    def gain_of(self, displacement: dict[str, float]) -> tuple[float, float]:
        """The Elo that displacing the values so is worth, and its variance."""
        return (sum(self.slopes[name] * change for name, change in displacement.items()) / self.pairs,
                sum(self.variances[name] * change**2 for name, change in displacement.items()) / self.pairs**2)


@dataclass
class SpsaRun:
    """The state of an SPSA run."""

    plan: SpsaConfig
    values: dict[str, float]
    played: int = 0  # pairs
    history: list[dict[str, float]] = field(default_factory=list)  # the values after each batch
    windows: list[SpsaWindow] = field(default_factory=list)  # all that are over
    window: SpsaWindow = field(default_factory=SpsaWindow)

    @classmethod
    def start(cls, plan: SpsaConfig) -> SpsaRun:
        """A run that starts from the defaults."""
        return cls(plan, {row.name: float(row.default) for row in plan.rows()})

    @classmethod
    def load(cls, path: Path) -> SpsaRun:
        """A run from a checkpoint; InputError if the file is not a checkpoint."""
        content = read_json(path)
        if not isinstance(content, dict) or content.pop("version", None) != _VERSION:
            raise InputError(f"{path} is not a checkpoint of an SPSA run, or is of another version")
        try:
            plan = content.pop("plan")
            over = [SpsaWindow(**window) for window in content.pop("windows")]
            present = SpsaWindow(**content.pop("window"))
            run = cls(SpsaConfig(**{**plan, "names": tuple(plan["names"])}), **content, windows=over, window=present)
            run.plan.rows()
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{path} is not a checkpoint of an SPSA run: {error}") from error
        return run

    def save(self, path: Path) -> None:
        """Write a checkpoint; an incomplete one never replaces another."""
        write_file(path, json.dumps({"version": _VERSION, **asdict(self)}))

    @property
    def is_over(self) -> bool:
        return self.played >= self.plan.pairs

    def config(self) -> Config:
        """The config with the current values."""
        return self.plan.config("tuned", self.rounded())

    def rounded(self) -> Values:
        """The current values, rounded to integers where the parameter is one."""
        return [(row.name, round(self.values[row.name]) if row.is_integer
                 else round(self.values[row.name], 4)) for row in self.plan.rows()]

    def batch(self, openings: Iterator[Opening], rules: Adjudication) -> list[Perturbation]:
        """The next pairs to play, each with its own perturbation."""
        count = min(self.plan.batch, self.plan.pairs - self.played)
        return [self._perturb(self.played + offset, next(openings), rules) for offset in range(count)]

    def _perturb(self, number: int, opening: Opening, rules: Adjudication) -> Perturbation:
        generator = random.Random(f"{self.plan.seed}/{number}/flips")  # noqa: S311  no secret
        flips, plus, minus = {}, [], []
        for row in self.plan.rows():
            flips[row.name] = generator.choice((-1, 1))
            size = flips[row.name] * _perturbation(row, number, self.plan.pairs)
            # A fraction is rounded up with a probability equal to it, so that small perturbations are not lost.
            dice = generator.random()
            plus.append((row.name, _round_value(row, self.values[row.name] + size, dice)))
            minus.append((row.name, _round_value(row, self.values[row.name] - size, dice)))
        return Perturbation(number, flips, self.plan.pair(number, opening, rules, plus, minus))

    def update(self, perturbations: Sequence[Perturbation], results: Sequence[Sequence[GameRecord]]) -> None:
        """Move the values by the results of a batch."""
        gains = [sum(2 * record.points - 1 for record in records) for records in results]  # games won by plus less lost
        before = dict(self.values)
        for perturbation, gain in zip(perturbations, gains, strict=True):
            sizes = {row.name: _perturbation(row, perturbation.number, self.plan.pairs) for row in self.plan.rows()}
            for row in self.plan.rows():
                step = _rate(row, perturbation.number, self.plan) / sizes[row.name]
                moved = self.values[row.name] + step * gain * perturbation.flips[row.name]
                self.values[row.name] = min(max(moved, row.low), row.high)
            self.window.add(gain, perturbation, sizes)
        self.played += len(perturbations)
        self.history.append(dict(self.values))
        self._add_displacement(before)

    def _add_displacement(self, before: dict[str, float]) -> None:
        """Add the displacement by a batch to that of the window, and begin another window if it has had its pairs."""
        total = self.window.displacement
        for name, value in before.items():
            total[name] = total.get(name, 0.0) + self.values[name] - value
        if self.window.pairs >= WINDOW:
            self.windows.append(self.window)
            self.window = SpsaWindow()

    @property
    def estimated_pairs(self) -> int:
        """The pairs whose displacement `estimated_gain` judges: all but those of the last window."""
        return sum(window.pairs for window in self.windows[:-1])

    @property
    def estimated_gain(self) -> Estimate | None:
        """Elo over the defaults of the values after `estimated_pairs`, by the games of the run itself; None before two
        windows are over. On a steep hill it errs low, since the first steps are judged too late.

        Games must not judge the steps that they caused. So the displacement of a window is judged by the neighbouring
        windows, whose pairs tell how steep the strength is in that direction at its beginning and at its end. Two
        neighbours judge each other by nearly the same product of noise: their mean has the variance of one of them.
        """
        if len(self.windows) < 2:
            return None
        gain = variance = 0.0
        for number, window in enumerate(self.windows[:-1]):
            judged = [self.windows[other].gain_of(window.displacement)
                      for other in (number - 1, number + 1) if other >= 0]
            gain += fmean(elo for elo, _ in judged)
            variance += fmean(each for _, each in judged)
        error = CONFIDENCE * math.sqrt(variance)
        return Estimate(gain, gain - error, gain + error)


@dataclass(frozen=True)
class Perturbation:
    """One pair of games, and the sign of the change of each parameter in it."""

    number: int
    flips: dict[str, int]
    pair: GamePair


def _perturbation(row: Parameter, number: int, pairs: int) -> float:
    """The perturbation of a parameter in a pair: its step at the end, more before."""
    growth: float = (pairs / (number + 1)) ** _GAMMA
    return row.step * growth


def _rate(row: Parameter, number: int, plan: SpsaConfig) -> float:
    """The gain of the approximation: a small fraction of the squared step at the end, more before."""
    stability = _STABILITY * plan.pairs
    gain: float = ((stability + plan.pairs) / (stability + number + 1)) ** _ALPHA
    return plan.rate * row.step**2 * gain


def _round_value(row: Parameter, value: float, dice: float) -> float:
    if not row.is_integer:
        return min(max(value, row.low), row.high)
    return int(min(max(value + dice, row.low), row.high) // 1)
