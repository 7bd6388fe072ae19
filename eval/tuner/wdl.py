"""Fitting the model of outcome.py to positions whose games are over, by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError
from eval.tuner.samples import Samples
from eval.wdl import FULL_MATERIAL, SPREAD_UNIT, WdlModel
from eval.weight_file import read_outcome

Reals = npt.NDArray[np.float64]

_BIN = 10  # centipawns: scores are counted in bins of this width
_FEWEST = 30  # positions with such scores that are fitted to at all
_LARGEST_SCORE = 300  # above it nearly all games are won, and the few others would bend the curve where it matters
_STEPS = 40
_NUDGE = 1e-4  # for derivatives by differences
_UNITS = np.array([100.0, 100.0, 1.0, 1.0])  # units in which all numbers of the model are of the same size
_START = np.array([1.5, -0.5, 0.4, 0.4])
_LEAST = 1e-9  # the least probability of what happened


@dataclass(frozen=True)
class _Histogram:
    """Positions counted by score, material and result; only cells that are not empty."""

    scores: Reals
    shares: Reals  # of the full material
    results: npt.NDArray[np.int64]
    numbers: Reals


def fit_outcome(samples: Samples) -> tuple[WdlModel, float]:
    """The model under which the results of the games are most likely, and its mean negative log-likelihood.

    Newton's method, with the step halved until the likelihood grows. InputError if there are too few games, or too few
    of each result.
    """
    counted = _count(samples)
    usable = int(counted.numbers.sum())
    if usable < _FEWEST:
        raise InputError(f"too few games to fit chances to: {usable} positions have scores below {_LARGEST_SCORE} "
                         f"centipawns, at least {_FEWEST} are needed")
    place, loss = _START, _loss(_START, counted)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(place, counted)
        bend, axes = np.linalg.eigh(curvature)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(bend), 1e-6))
        while _loss(place - step, counted) > loss and np.abs(step).max() > _NUDGE:
            step = step / 2
        if np.abs(step).max() <= _NUDGE:
            break
        place = place - step
        loss = _loss(place, counted)
    return _checked(WdlModel(*(place * _UNITS).tolist()), usable), loss


def _checked(model: WdlModel, usable: int) -> WdlModel:
    try:
        read_outcome(list(model))
    except InputError as error:
        raise InputError(f"the results of these {usable} positions make no model") from error
    return model


def _count(samples: Samples) -> _Histogram:
    wanted = samples.rows[np.abs(samples.rows["score"].astype(np.int64)) < _LARGEST_SCORE]
    scores = wanted["score"].astype(np.int64) // _BIN + _LARGEST_SCORE // _BIN
    materials = np.minimum(wanted["material"], FULL_MATERIAL).astype(np.int64)
    shape = (2 * _LARGEST_SCORE // _BIN, FULL_MATERIAL + 1, 3)
    cells = np.ravel_multi_index((scores, materials, wanted["result"].astype(np.int64) + 1), shape)
    numbers = np.bincount(cells, minlength=int(np.prod(shape)))
    filled = np.flatnonzero(numbers)
    score, material, result = np.unravel_index(filled, shape)
    middle = ((score - _LARGEST_SCORE // _BIN + 0.5) * _BIN).astype(np.float64)
    return _Histogram(middle, material / FULL_MATERIAL, result.astype(np.int64) - 1, numbers[filled].astype(np.float64))


def _loss(place: Reals, counted: _Histogram) -> float:
    even_base, even_slope, spread_base, spread_slope = place * _UNITS
    even = even_base + even_slope * counted.shares
    spread = SPREAD_UNIT * np.exp(spread_base + spread_slope * counted.shares)
    win = 1 / (1 + np.exp(np.clip((even - counted.scores) / spread, -50, 50)))
    loss = 1 / (1 + np.exp(np.clip((even + counted.scores) / spread, -50, 50)))
    happened = np.choose(counted.results + 1, [loss, 1 - win - loss, win])
    return float(-(counted.numbers * np.log(np.maximum(happened, _LEAST))).sum() / counted.numbers.sum())


def _derivatives(place: Reals, counted: _Histogram) -> tuple[Reals, Reals]:
    """Gradient and matrix of second derivatives, by differences."""
    nudges = _NUDGE * np.eye(len(place))

    def at(*moves: Reals) -> float:
        return _loss(place + np.sum(moves, axis=0), counted)

    gradient = np.array([at(nudge) - at(-nudge) for nudge in nudges]) / (2 * _NUDGE)
    curvature = np.array([[at(one, other) - at(one, -other) - at(-one, other) + at(-one, -other) for other in nudges]
                          for one in nudges]) / (4 * _NUDGE**2)
    return gradient, curvature
