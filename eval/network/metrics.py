"""Losses of an evaluator on the validation set, compared with simpler baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eval.network.samples import Samples, expected_result, fit_scale

Reals = npt.NDArray[np.float64]

_MOST_TO_FIT = 300_000
_GROUP = 4  # piece counts in a group


@dataclass(frozen=True)
class Losses:
    """Mean squared errors of predictions against the blended target, the result alone and the search's score alone."""

    target: float
    result: float
    score: float


@dataclass(frozen=True)
class PieceCountGroup:
    """The losses of positions with a similar piece count."""

    fewest: int
    most: int
    fraction: float  # of all positions
    network: float  # error against the target
    features: float


def results_of(samples: Samples) -> Reals:
    """The results of the games from the side to move's view: 0, 1/2 or 1."""
    results: Reals = (samples["result"].astype(np.float64) + 1) / 2
    return results


def targets_of(samples: Samples, scale: float, wdl_weight: float) -> Reals:
    """The targets: the game result with this weight, and for the rest the result that the score predicts."""
    targets: Reals = wdl_weight * results_of(samples) + (1 - wdl_weight) * expected_result(samples["score"], scale)
    return targets


def losses_of(predictions: Any, samples: Samples, scale: float, wdl_weight: float) -> Losses:
    """The losses of `predictions`, the expected results of the samples from 0 to 1."""
    labels = (targets_of(samples, scale, wdl_weight), results_of(samples), expected_result(samples["score"], scale))
    return Losses(*(float(np.mean((predictions - label) ** 2)) for label in labels))


def subsample(samples: Samples) -> Samples:
    """At most 300,000 samples, evenly spread: enough to fit a few numbers."""
    return samples[:: -(-len(samples) // _MOST_TO_FIT) or 1]


def fit_result_scale(samples: Samples) -> float:
    """Centipawns for a logit of 1, fitted to the results; an integer, since the kernels use integers."""
    some = subsample(samples)
    return float(round(fit_scale(some["score"], results_of(some))))


def features_predictions(training: Samples, validation: Samples, scale: float, wdl_weight: float) -> Reals:
    """The predictions of the features' static evaluation, with the scale that fits the targets best."""
    some = subsample(training)
    return expected_result(validation["static"], fit_scale(some["static"], targets_of(some, scale, wdl_weight)))


def baseline_losses(training: Samples, validation: Samples, scale: float, wdl_weight: float) -> dict[str, Losses]:
    """The losses of a constant, of the features, and of the search that scored the samples."""
    constant = np.full(len(validation), targets_of(subsample(training), scale, wdl_weight).mean())
    predictions = {"constant": constant, "features": features_predictions(training, validation, scale, wdl_weight),
                   "search": expected_result(validation["score"], scale)}
    return {name: losses_of(values, validation, scale, wdl_weight) for name, values in predictions.items()}


def losses_by_piece_count(network: Reals, features: Reals, validation: Samples, scale: float,
                          wdl_weight: float) -> list[PieceCountGroup]:
    """The losses against the target of both predictions, by piece count."""
    targets, groups = targets_of(validation, scale, wdl_weight), []
    for fewest in range(1, 33, _GROUP):
        part = (validation["pieces"] >= fewest) & (validation["pieces"] < fewest + _GROUP)
        if part.any():
            losses = (float(np.mean((predictions[part] - targets[part]) ** 2)) for predictions in (network, features))
            groups.append(PieceCountGroup(fewest, fewest + _GROUP - 1, float(part.mean()), *losses))
    return groups
