"""What scores are worth: the chances of win, draw and loss, and the value, which is wins - losses, from -1 to 1.

The evaluation's model of outcomes says so: with the score in units of the spread, x = score / spread, and with
odds = exp(even / spread), the side to move wins with probability e^x / (e^x + odds) and loses with 1 / (1 + odds e^x).
Without the model the curve is tanh(score / scale), which is the same formula with odds of 1 and half the scale as
spread: then nothing is drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.core.bits import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount
from engine.kernel import inline
from engine.mcts.params import TreeParamsRecord
from engine.mcts.worker import WorkerRecord
from eval.wdl import FULL_MATERIAL, WdlModel

_MOST_SPREADS = 40.0  # beyond this nothing changes
_SUREST = 0.9999  # no average is taken as closer to a win when it is turned into a score
_FULL = np.int64(FULL_MATERIAL)


@inline
def _material(pos):
    """The material on the board, as the model of outcomes counts it."""
    minors = popcount(pos.types[KNIGHT] | pos.types[BISHOP])
    return min(popcount(pos.types[PAWN]) + 3 * minors + 5 * popcount(pos.types[ROOK]) + 9 * popcount(pos.types[QUEEN]),
               _FULL)


@inline
def win_loss_of(pos, worker, score):
    """(win, loss): the side to move's chances with this score in centipawns."""
    material = _material(pos)
    odds = worker.odds[material]
    grown = math.exp(min(max(np.float64(score) / worker.spreads[material], -_MOST_SPREADS), _MOST_SPREADS))
    return grown / (grown + odds), 1.0 / (1.0 + odds * grown)


@inline
def score_for(pos, worker, value):
    """The score in centipawns that is worth this value: the inverse of `win_loss_of`."""
    material = _material(pos)
    odds = worker.odds[material]
    bounded = min(max(value, -_SUREST), _SUREST)
    middle = bounded * 0.5 * (odds + 1.0 / odds)
    grown = (middle + math.sqrt(middle * middle + 1.0 - bounded * bounded)) / (1.0 - bounded)
    return np.int64(worker.spreads[material] * math.log(grown))


class ValueCurve(NamedTuple):
    """How values become scores, for one amount of material."""

    spread: float
    odds: float

    def score(self, value: float) -> int:
        """The score in centipawns that is worth this value."""
        bounded = min(max(value, -_SUREST), _SUREST)
        middle = bounded * (self.odds + 1 / self.odds) / 2
        grown = (middle + math.sqrt(middle * middle + 1 - bounded * bounded)) / (1 - bounded)
        return round(self.spread * math.log(grown))


def curve(params: TreeParamsRecord, model: WdlModel, material: int) -> ValueCurve:
    """The curve for this much material, by the model or by tanh as the parameters say."""
    if not params.use_outcome:
        return ValueCurve(params.value_scale / 2, 1.0)
    spread = model.spread(material)
    return ValueCurve(spread, math.exp(model.even_score(material) / spread))


def set_curves(worker: WorkerRecord, params: TreeParamsRecord, model: WdlModel) -> None:
    """Let a thread value its scores so."""
    for material in range(FULL_MATERIAL + 1):
        worker.spreads[material], worker.odds[material] = curve(params, model, material)


_EARLY = np.int64(64)  # iterations before the spread means anything
_LEAST, _MOST = 0.5, 2.0


@inline
def add_value_sample(worker, value):
    """Count the value of a visit, from the view of the player at the root."""
    worker.value_sum += value
    worker.value_squares += value * value


@inline
def update_value_spread(worker):
    """Set what exploration is multiplied by; 1 if the spread is the usual one."""
    params = worker.params
    if params.spread_share == 0.0 or worker.iterations < _EARLY:
        return
    visits = np.float64(worker.iterations)
    mean = worker.value_sum / visits
    spread = math.sqrt(max(worker.value_squares / visits - mean * mean, 0.0))
    zeal = 1.0 + params.spread_share * (spread / params.usual_spread - 1.0)
    worker.exploration_factor = min(max(zeal, _LEAST), _MOST)


def reset_value_spread(worker: WorkerRecord) -> None:
    """Begin anew, for another search."""
    worker.value_sum = worker.value_squares = 0.0
    worker.exploration_factor = 1.0
