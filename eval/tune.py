"""Learning the weights: logistic regression of all of them at once, on positions whose games are over.

The evaluation is linear in its weights, and a logistic curve turns it into the expected share of the point. The
gradient of the squared error over sparse traces costs a few operations a feature, in compiled code on all cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.core.errors import InputError
from engine.kernel import array_type, entry, int64
from eval.features import FEATURES, WEIGHT_COUNT
from eval.samples import Samples, Words
from eval.trace import WHOLE_PHASE, WHOLE_SCALE
from eval.weightfile import LARGEST_WEIGHT
from eval.weights import WeightsRecord, values_of, weights_from

Reals = npt.NDArray[np.float64]

_FROZEN_GROUPS = ("mating",)  # counted in endings that are adjudicated before they teach anything
_BETA_1, _BETA_2, _TINY = 0.9, 0.999, 1e-8  # Adam's customary numbers
_REALS, _FEATURES, _COUNTS, _STARTS = array_type("f8"), array_type("u2"), array_type("i2"), array_type("i8")


@dataclass(frozen=True)
class Plan:
    """How to learn."""

    epochs: int = 30
    batch: int = 16_384
    rate: float = 2.0  # centipawns: the largest step of a weight at first; it falls to a tenth
    blend: float = 0.4  # the share of the game's result in the target; the rest is the search's score
    pull: float = 2e-10  # towards the weights at the start: keeps what the data does not speak of
    held_out: int = 10  # every so many-th game is for validation
    seed: int = 1
    threads: int = 2


@dataclass(frozen=True)
class Epoch:
    """How far the learning has come."""

    number: int
    training_loss: float
    validation_loss: float
    mg: Reals
    eg: Reals


@entry(_FEATURES, _COUNTS, _STARTS, _REALS, _REALS, _REALS, _STARTS, int64, int64, _REALS, _REALS)
def add_gradient(features: Words, counts: Words, starts: Words, mg_shares: Reals, eg_shares: Reals, targets: Reals,
                 order: Words, begin: int, end: int, weights: Reals, gradient: Reals) -> float:
    """Add the gradient of the squared error over the samples order[begin:end]; returns the sum of the errors.

    `weights` holds the middle-game values, the endgame values, and last the steepness of the logistic curve; the
    shares say how much of a sample's two sums counts.
    """
    size = len(weights) // 2
    steepness = weights[2 * size]
    total = 0.0
    for place in range(begin, end):
        sample = order[place]
        mg = eg = 0.0
        for index in range(starts[sample], starts[sample + 1]):
            mg += counts[index] * weights[features[index]]
            eg += counts[index] * weights[size + features[index]]
        expected = 1.0 / (1.0 + np.exp(-steepness * (mg * mg_shares[sample] + eg * eg_shares[sample])))
        error = expected - targets[sample]
        total += error * error
        slope = 2.0 * error * expected * (1.0 - expected) * steepness
        mg_slope, eg_slope = slope * mg_shares[sample], slope * eg_shares[sample]
        for index in range(starts[sample], starts[sample + 1]):
            gradient[features[index]] += mg_slope * counts[index]
            gradient[size + features[index]] += eg_slope * counts[index]
    return total


class Learner:
    """Samples made ready, and the descent over them."""

    def __init__(self, samples: Samples, weights: WeightsRecord, plan: Plan) -> None:
        if len(samples) == 0:
            raise InputError("there are no quiet positions to learn from")
        self._plan, self._samples = plan, samples
        self._starts = np.concatenate([[0], np.cumsum(samples.lengths, dtype=np.int64)])
        self._mg_shares = samples.phases / float(WHOLE_PHASE)
        self._eg_shares = (1 - self._mg_shares) * samples.scales / float(WHOLE_SCALE)
        mg, eg = values_of(weights)
        self._prior = np.concatenate([mg, eg]).astype(np.float64)
        self._free = np.tile(_free_weights(), 2)
        is_held_out = samples.games % plan.held_out == 0
        self._validation, self._training = np.flatnonzero(is_held_out), np.flatnonzero(~is_held_out)
        if not len(self._validation) or not len(self._training):
            raise InputError("there are too few games to hold some out for validation")
        self.steepness = self._fit_steepness()
        self._targets = self._blended_targets()

    def run(self) -> Iterator[Epoch]:
        """Descend, epoch after epoch; the first, number 0, is where it begins."""
        values = self._prior.copy()
        momentum, power = np.zeros_like(values), np.zeros_like(values)
        generator = np.random.default_rng(self._plan.seed)
        yield self._epoch(0, values)
        step = 0
        for number in range(1, self._plan.epochs + 1):
            rate = self._plan.rate * 0.1 ** ((number - 1) / max(self._plan.epochs - 1, 1))
            order = generator.permutation(self._training)
            for begin in range(0, len(order), self._plan.batch):
                part = order[begin : begin + self._plan.batch]
                _, gradient = self._error_and_gradient(values, part)
                gradient = gradient / len(part) + 2 * self._plan.pull * (values - self._prior)
                step += 1
                momentum = _BETA_1 * momentum + (1 - _BETA_1) * gradient
                power = _BETA_2 * power + (1 - _BETA_2) * gradient**2
                mean, spread = momentum / (1 - _BETA_1**step), np.sqrt(power / (1 - _BETA_2**step))
                values -= np.where(self._free, rate * mean / (spread + _TINY), 0.0)
                np.clip(values, -LARGEST_WEIGHT, LARGEST_WEIGHT, out=values)
            yield self._epoch(number, values)

    def _epoch(self, number: int, values: Reals) -> Epoch:
        training, validation = (self._error_and_gradient(values, part)[0] / len(part)
                                for part in (self._training, self._validation))
        mg, eg = np.split(values.copy(), 2)
        return Epoch(number, training, validation, mg, eg)

    def _error_and_gradient(self, values: Reals, part: Words) -> tuple[float, Reals]:
        """The sum of squared errors over some samples, and its gradient; the work is shared among threads."""
        weights = np.append(values, self.steepness)
        bounds = np.linspace(0, len(part), self._plan.threads + 1).astype(np.int64).tolist()
        order = np.ascontiguousarray(part, np.int64)

        def share(begin: int, end: int) -> tuple[float, Reals]:
            gradient = np.zeros(2 * WEIGHT_COUNT)
            total = add_gradient(self._samples.features, self._samples.counts, self._starts, self._mg_shares,
                                 self._eg_shares, self._targets, order, begin, end, weights, gradient)
            return float(total), gradient

        with ThreadPoolExecutor(self._plan.threads) as pool:
            parts = list(pool.map(share, bounds[:-1], bounds[1:]))
        return sum(total for total, _ in parts), np.sum([gradient for _, gradient in parts], axis=0)

    def _fit_steepness(self) -> float:
        """The steepness with which the search's scores predict the results best, by golden section."""
        scores, results = self._samples.scores / 1.0, self._results()

        def loss(steepness: float) -> float:
            return float(np.mean((results - _expected(scores, steepness)) ** 2))

        low, high, ratio = 1e-4, 2e-2, (5**0.5 - 1) / 2
        for _ in range(60):
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            low, high = (low, right) if loss(left) < loss(right) else (left, high)
        return (low + high) / 2

    def _results(self) -> Reals:
        return (self._samples.results + 1) / 2.0

    def _blended_targets(self) -> Reals:
        blend = self._plan.blend
        return blend * self._results() + (1 - blend) * _expected(self._samples.scores, self.steepness)


def _expected(scores: Words, steepness: float) -> Reals:
    """The share of the point that a score promises."""
    shares: Reals = 1.0 / (1.0 + np.exp(-steepness * scores.astype(np.float64)))
    return shares


def _free_weights() -> npt.NDArray[np.bool_]:
    free = np.ones(WEIGHT_COUNT, np.bool_)
    for feature in FEATURES:
        if feature.group in _FROZEN_GROUPS:
            free[feature.offset : feature.offset + feature.size] = False
    return free


def rounded_weights(epoch: Epoch) -> WeightsRecord:
    """The weights of an epoch as whole numbers, which the engine plays with."""
    return weights_from(np.rint(epoch.mg).astype(int).tolist(), np.rint(epoch.eg).astype(int).tolist())
