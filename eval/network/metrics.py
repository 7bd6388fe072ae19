"""How well an evaluation predicts results: its mean squared error, next to those of simpler predictors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eval.network.samples import Samples, expected, fit_scale

Reals = npt.NDArray[np.float64]

_MOST_TO_FIT = 300_000
_GROUP = 4  # numbers of men in a group


@dataclass(frozen=True)
class Losses:
    """Mean squared errors against the blended target, the result alone, the search's score alone."""

    target: float
    result: float
    score: float


@dataclass(frozen=True)
class PieceCountGroup:
    """Positions with a similar number of men."""

    fewest: int
    most: int
    share: float  # of all positions
    network: float  # error against the target
    features: float


def results_of(samples: Samples) -> Reals:
    """The results of the games: 0, 1/2 or 1."""
    shares: Reals = (samples["result"].astype(np.float64) + 1) / 2
    return shares


def targets_of(samples: Samples, scale: float, share: float) -> Reals:
    """The targets: `share` of the result, and for the rest the result that the score predicts."""
    targets: Reals = share * results_of(samples) + (1 - share) * expected(samples["score"], scale)
    return targets


def losses_of(shares: Any, samples: Samples, scale: float, share: float) -> Losses:
    """The errors of the predictions `shares`."""
    aims = (targets_of(samples, scale, share), results_of(samples), expected(samples["score"], scale))
    return Losses(*(float(np.mean((shares - aim) ** 2)) for aim in aims))


def sample_of(samples: Samples) -> Samples:
    """Enough samples to fit a few numbers: evenly spread, at most 300,000."""
    return samples[:: -(-len(samples) // _MOST_TO_FIT) or 1]


def fitted_scale(samples: Samples) -> float:
    """Centipawns for a logit of 1, fitted to the results; an integer, since the kernels use integers."""
    some = sample_of(samples)
    return float(round(fit_scale(some["score"], results_of(some))))


def features_shares(training: Samples, validation: Samples, scale: float, share: float) -> Reals:
    """What the features' static evaluation predicts, with the scale that fits the targets best."""
    some = sample_of(training)
    return expected(validation["static"], fit_scale(some["static"], targets_of(some, scale, share)))


def baseline_losses(training: Samples, validation: Samples, scale: float, share: float) -> dict[str, Losses]:
    """The losses of simpler predictors, and of the search itself."""
    constant = np.full(len(validation), targets_of(sample_of(training), scale, share).mean())
    return {"constant": losses_of(constant, validation, scale, share),
            "features": losses_of(features_shares(training, validation, scale, share), validation, scale, share),
            "search": losses_of(expected(validation["score"], scale), validation, scale, share)}


def losses_by_piece_count(network: Reals, features: Reals, validation: Samples, scale: float,
                          share: float) -> list[PieceCountGroup]:
    """The errors against the target, by number of men on the board."""
    targets, groups = targets_of(validation, scale, share), []
    for fewest in range(1, 33, _GROUP):
        part = (validation["men"] >= fewest) & (validation["men"] < fewest + _GROUP)
        if part.any():
            mine, theirs = (float(np.mean((shares[part] - targets[part]) ** 2)) for shares in (network, features))
            groups.append(PieceCountGroup(fewest, fewest + _GROUP - 1, float(part.mean()), mine, theirs))
    return groups
