"""Fitting the WDL model to positions of finished games, by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError
from eval.tuner.samples import Samples
from eval.wdl import FULL_MATERIAL, SPREAD_UNIT, WdlModel
from eval.weight_file import parse_wdl_model

Reals = npt.NDArray[np.float64]

_BIN = 10  # centipawns: scores are counted in bins of this width
_FEWEST = 30  # usable positions that a fit needs
_LARGEST_SCORE = 300  # above it nearly all games are won, and the few others would distort the curve where it matters
_STEPS = 40
_NUDGE = 1e-4  # for derivatives by differences
_UNITS = np.array([100.0, 100.0, 1.0, 1.0])  # units in which all parameters of the model have the same magnitude
_START = np.array([1.5, -0.5, 0.4, 0.4])
_LEAST = 1e-9  # the least probability of an observed result


@dataclass(frozen=True)
class _Histogram:
    """Positions counted by score, material and result; only non-empty cells."""

    scores: Reals
    materials: Reals  # as a fraction of the full material
    results: npt.NDArray[np.int64]
    numbers: Reals


def fit_wdl_model(samples: Samples) -> tuple[WdlModel, float]:
    """(the model under which the results of the games are most likely, its mean negative log-likelihood).

    Uses Newton's method, with the step halved until the likelihood grows. InputError if there are too few games, or too
    few of each result.
    """
    counted = _count(samples)
    usable = int(counted.numbers.sum())
    if usable < _FEWEST:
        raise InputError(f"too few games to fit a WDL model: {usable} positions have scores below {_LARGEST_SCORE} "
                         f"centipawns, at least {_FEWEST} are needed")
    params, loss = _START, _loss(_START, counted)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(params, counted)
        eigenvalues, axes = np.linalg.eigh(curvature)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(eigenvalues), 1e-6))
        while _loss(params - step, counted) > loss and np.abs(step).max() > _NUDGE:
            step = step / 2
        if np.abs(step).max() <= _NUDGE:
            break
        params = params - step
        loss = _loss(params, counted)
    return _check_model(WdlModel(*(params * _UNITS).tolist()), usable), loss


def _check_model(model: WdlModel, usable: int) -> WdlModel:
    try:
        parse_wdl_model(list(model))
    except InputError as error:
        raise InputError(f"cannot fit a WDL model to these {usable} positions") from error
    return model


def _count(samples: Samples) -> _Histogram:
    rows = samples.rows[np.abs(samples.rows["score"].astype(np.int64)) < _LARGEST_SCORE]
    scores = rows["score"].astype(np.int64) // _BIN + _LARGEST_SCORE // _BIN
    materials = np.minimum(rows["material"], FULL_MATERIAL).astype(np.int64)
    shape = (2 * _LARGEST_SCORE // _BIN, FULL_MATERIAL + 1, 3)
    cells = np.ravel_multi_index((scores, materials, rows["result"].astype(np.int64) + 1), shape)
    numbers = np.bincount(cells, minlength=int(np.prod(shape)))
    filled = np.flatnonzero(numbers)
    score, material, result = np.unravel_index(filled, shape)
    middle = ((score - _LARGEST_SCORE // _BIN + 0.5) * _BIN).astype(np.float64)
    return _Histogram(middle, material / FULL_MATERIAL, result.astype(np.int64) - 1, numbers[filled].astype(np.float64))


def _loss(params: Reals, counted: _Histogram) -> float:
    even_base, even_slope, spread_base, spread_slope = params * _UNITS
    even = even_base + even_slope * counted.materials
    spread = SPREAD_UNIT * np.exp(np.clip(spread_base + spread_slope * counted.materials, -10, 10))
    win = 1 / (1 + np.exp(np.clip((even - counted.scores) / spread, -50, 50)))
    loss = 1 / (1 + np.exp(np.clip((even + counted.scores) / spread, -50, 50)))
    observed = np.choose(counted.results + 1, [loss, 1 - win - loss, win])
    return float(-(counted.numbers * np.log(np.maximum(observed, _LEAST))).sum() / counted.numbers.sum())


def _derivatives(params: Reals, counted: _Histogram) -> tuple[Reals, Reals]:
    """(gradient, matrix of second derivatives) of the loss, by finite differences."""
    nudges = _NUDGE * np.eye(len(params))

    def at(*moves: Reals) -> float:
        return _loss(params + np.sum(moves, axis=0), counted)

    gradient = np.array([at(nudge) - at(-nudge) for nudge in nudges]) / (2 * _NUDGE)
    curvature = np.array([[at(one, other) - at(one, -other) - at(-one, other) + at(-one, -other) for other in nudges]
                          for one in nudges]) / (4 * _NUDGE**2)
    return gradient, curvature
