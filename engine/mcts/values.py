"""Conversion of scores to WDL probabilities and values, which are wins - losses, from -1 to 1; the spread of values.

In the WDL model of the evaluator, with x = score / spread and odds = exp(even / spread), the side to move wins with
probability e^x / (e^x + odds) and loses with 1 / (1 + odds e^x). Without the model the value is tanh(score / scale),
which is the same formula with odds of 1 and half the scale as spread; then there are no draws.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.core.material import material_of
from engine.kernel import inline
from engine.mcts.params import TreeParamsRecord
from engine.mcts.worker import WorkerRecord
from eval.wdl import FULL_MATERIAL, WdlModel

_MAX_SPREADS = 40.0  # beyond this the probabilities do not change
_MAX_VALUE = 0.9999  # values are clamped to this before they become scores
_FULL = np.int64(FULL_MATERIAL)
_MIN_ITERATIONS = np.int64(64)  # before the spread is meaningful
_MIN_FACTOR, _MAX_FACTOR = 0.5, 2.0


@inline
def win_loss_of(pos, worker, score):
    """(win, loss): the probabilities for the side to move at this score in centipawns."""
    material = min(material_of(pos), _FULL)
    odds = worker.odds[material]
    grown = math.exp(min(max(np.float64(score) / worker.spreads[material], -_MAX_SPREADS), _MAX_SPREADS))
    return grown / (grown + odds), 1.0 / (1.0 + odds * grown)


@inline
def score_for(pos, worker, value):
    """The score in centipawns of this value: the inverse of `win_loss_of`."""
    material = min(material_of(pos), _FULL)
    odds = worker.odds[material]
    bounded = min(max(value, -_MAX_VALUE), _MAX_VALUE)
    middle = bounded * 0.5 * (odds + 1.0 / odds)
    grown = (middle + math.sqrt(middle * middle + 1.0 - bounded * bounded)) / (1.0 - bounded)
    return np.int64(worker.spreads[material] * math.log(grown))


class ValueCurve(NamedTuple):
    """The conversion of values to scores, for one amount of material."""

    spread: float
    odds: float

    def score(self, value: float) -> int:
        """The score in centipawns of this value."""
        bounded = min(max(value, -_MAX_VALUE), _MAX_VALUE)
        middle = bounded * (self.odds + 1 / self.odds) / 2
        grown = (middle + math.sqrt(middle * middle + 1 - bounded * bounded)) / (1 - bounded)
        return round(self.spread * math.log(grown))


def curve(params: TreeParamsRecord, model: WdlModel, material: int) -> ValueCurve:
    """The curve for this much material, by the WDL model or by tanh, depending on the parameters."""
    if not params.use_outcome:
        return ValueCurve(params.value_scale / 2, 1.0)
    spread = model.spread(material)
    return ValueCurve(spread, math.exp(model.even_score(material) / spread))


def set_curves(worker: WorkerRecord, params: TreeParamsRecord, model: WdlModel) -> None:
    """Write the curves to the record of a thread."""
    for material in range(FULL_MATERIAL + 1):
        worker.spreads[material], worker.odds[material] = curve(params, model, material)



@inline
def add_value_sample(worker, value):
    """Add the value of a visit, from the view of the player at the root, to the statistics."""
    worker.value_sum += value
    worker.value_squares += value * value


@inline
def update_value_spread(worker):
    """Update `exploration_factor` by the spread of the values; 1 at the usual spread."""
    params = worker.params
    if params.spread_share == 0.0 or worker.iterations < _MIN_ITERATIONS:
        return
    visits = np.float64(worker.iterations)
    mean = worker.value_sum / visits
    spread = math.sqrt(max(worker.value_squares / visits - mean * mean, 0.0))
    factor = 1.0 + params.spread_share * (spread / params.usual_spread - 1.0)
    worker.exploration_factor = min(max(factor, _MIN_FACTOR), _MAX_FACTOR)


def reset_value_spread(worker: WorkerRecord) -> None:
    """Reset the statistics for a new search."""
    worker.value_sum = worker.value_squares = 0.0
    worker.exploration_factor = 1.0
