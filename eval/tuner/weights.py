"""Tuning the weights of the features: logistic regression of all weights at once, on positions of finished games.

The evaluation is linear in its weights, and a logistic curve turns it into the expected result of the game. The
gradient of the squared error over sparse traces takes a few operations per feature, in compiled code on all cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.kernel import array_type, entry
from engine.system.errors import InputError
from eval.features import FEATURES, WEIGHT_COUNT
from eval.trace import WHOLE_PHASE, WHOLE_SCALE
from eval.tuner.samples import TERM, Numbers, Samples
from eval.weight_file import LARGEST_WEIGHT
from eval.weights import WeightsRecord, values_of, weights_from

Reals = npt.NDArray[np.float64]

_FROZEN_GROUPS = ("mating",)  # games are adjudicated before these endings are played out
_BETA_1, _BETA_2, _TINY = 0.9, 0.999, 1e-8  # Adam's usual constants

# A sample as gradient descent uses it: the weights of its middle-game and endgame sums, and the target.
EXAMPLE = np.dtype([("mg_share", "f8"), ("eg_share", "f8"), ("target", "f8")])
_TERMS, _EXAMPLES, _INDICES, _REALS = array_type(TERM), array_type(EXAMPLE), array_type("i8"), array_type("f8")


@dataclass(frozen=True)
class TuningConfig:
    """The settings of a tuning run."""

    epochs: int = 30
    batch: int = 16_384
    rate: float = 2.0  # centipawns: the largest step of a weight at the start; it falls to a tenth of that
    blend: float = 0.4  # the weight of the game result in the target; the rest is the search's score
    regularization: float = 2e-10  # towards the starting weights, which keeps those that the data does not determine
    held_out: int = 10  # one game in this many is held out for validation
    seed: int = 1
    threads: int = 2


@dataclass(frozen=True)
class Epoch:
    """The losses and the weights after an epoch."""

    number: int
    training_loss: float
    validation_loss: float
    mg: Reals
    eg: Reals


@entry(_TERMS, _INDICES, _EXAMPLES, _INDICES, _REALS, _REALS)
def add_gradient(terms: Numbers, starts: Numbers, examples: Numbers, chosen: Numbers, weights: Reals,
                 gradient: Reals) -> float:
    """Add the gradient of the squared error over the `chosen` examples; returns the sum of the squared errors.

    `weights` holds the middle-game values, the endgame values, and finally the steepness of the logistic curve;
    starts[i] to starts[i + 1] are the terms of the i-th example.
    """
    size = len(weights) // 2
    steepness = weights[2 * size]
    total = 0.0
    for position in range(len(chosen)):
        number = chosen[position]
        example = examples[number]
        mg = eg = 0.0
        for index in range(starts[number], starts[number + 1]):
            mg += terms[index].count * weights[terms[index].feature]
            eg += terms[index].count * weights[size + terms[index].feature]
        expected = 1.0 / (1.0 + np.exp(-steepness * (mg * example.mg_share + eg * example.eg_share)))
        error = expected - example.target
        total += error * error
        slope = 2.0 * error * expected * (1.0 - expected) * steepness
        mg_slope, eg_slope = slope * example.mg_share, slope * example.eg_share
        for index in range(starts[number], starts[number + 1]):
            gradient[terms[index].feature] += mg_slope * terms[index].count
            gradient[size + terms[index].feature] += eg_slope * terms[index].count
    return total


class WeightTuner:
    """Tunes the weights by gradient descent (Adam) over samples."""

    def __init__(self, samples: Samples, weights: WeightsRecord, config: TuningConfig) -> None:
        if len(samples) == 0:
            raise InputError("no quiet positions to tune on")
        self._config, self._samples = config, samples
        self._is_stopped = False
        self._starts = samples.starts()
        self._examples = np.zeros(len(samples), EXAMPLE)
        mg_shares = samples.rows["phase"] / float(WHOLE_PHASE)
        self._examples["mg_share"] = mg_shares
        self._examples["eg_share"] = (1 - mg_shares) * samples.rows["scale"] / float(WHOLE_SCALE)
        mg, eg = values_of(weights)
        self._prior = np.concatenate([mg, eg]).astype(np.float64)
        self._free = np.tile(_free_weights(), 2)
        is_held_out = samples.rows["game"] % config.held_out == 0
        self._validation, self._training = np.flatnonzero(is_held_out), np.flatnonzero(~is_held_out)
        if not len(self._validation) or not len(self._training):
            raise InputError("too few games: some are needed for training and some for validation")
        self.steepness = self._fit_steepness()
        self._examples["target"] = self._blended_targets()

    def stop(self) -> None:
        """Stop within the current epoch, which is not yielded; may be called from another thread."""
        self._is_stopped = True

    def run(self) -> Iterator[Epoch]:
        """Tune, yielding each epoch; number 0 is the start."""
        values = self._prior.copy()
        momentum, power = np.zeros_like(values), np.zeros_like(values)
        generator = np.random.default_rng(self._config.seed)
        yield self._epoch(0, values)
        step = 0
        for number in range(1, self._config.epochs + 1):
            rate = self._config.rate * 0.1 ** ((number - 1) / max(self._config.epochs - 1, 1))
            order = generator.permutation(self._training)
            for begin in range(0, len(order), self._config.batch):
                if self._is_stopped:
                    return
                part = order[begin : begin + self._config.batch]
                _, gradient = self._error_and_gradient(values, part)
                gradient = gradient / len(part) + 2 * self._config.regularization * (values - self._prior)
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

    def _error_and_gradient(self, values: Reals, part: Numbers) -> tuple[float, Reals]:
        """(the sum of squared errors over some samples, its gradient), computed by several threads."""
        weights = np.append(values, self.steepness)
        slices = np.array_split(np.ascontiguousarray(part, np.int64), self._config.threads)

        def of_slice(chosen: Numbers) -> tuple[float, Reals]:
            gradient = np.zeros(2 * WEIGHT_COUNT)
            total = add_gradient(self._samples.terms, self._starts, self._examples, chosen, weights, gradient)
            return float(total), gradient

        with ThreadPoolExecutor(self._config.threads) as pool:
            parts = list(pool.map(of_slice, slices))
        return sum(total for total, _ in parts), np.sum([gradient for _, gradient in parts], axis=0)

    def _fit_steepness(self) -> float:
        """The steepness with which the search's scores predict the results best, by golden-section search."""
        scores, results = self._samples.rows["score"] / 1.0, self._results()

        def loss(steepness: float) -> float:
            return float(np.mean((results - _expected(scores, steepness)) ** 2))

        low, high, ratio = 1e-4, 2e-2, (5**0.5 - 1) / 2
        for _ in range(60):
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            low, high = (low, right) if loss(left) < loss(right) else (left, high)
        return (low + high) / 2

    def _results(self) -> Reals:
        return (self._samples.rows["result"] + 1) / 2.0

    def _blended_targets(self) -> Reals:
        blend = self._config.blend
        return blend * self._results() + (1 - blend) * _expected(self._samples.rows["score"], self.steepness)


def _expected(scores: Numbers, steepness: float) -> Reals:
    """The expected result, from 0 to 1, for a score in centipawns."""
    results: Reals = 1.0 / (1.0 + np.exp(-steepness * scores.astype(np.float64)))
    return results


def _free_weights() -> npt.NDArray[np.bool_]:
    free = np.ones(WEIGHT_COUNT, np.bool_)
    for feature in FEATURES:
        if feature.group in _FROZEN_GROUPS:
            free[feature.offset : feature.offset + feature.size] = False
    return free


def rounded_weights(epoch: Epoch) -> WeightsRecord:
    """The weights of an epoch, rounded to the integers that the engine uses."""
    return weights_from(np.rint(epoch.mg).astype(int).tolist(), np.rint(epoch.eg).astype(int).tolist())
