"""How the values of a search's visits spread: where they agree there is little to explore, where they differ much."""

from __future__ import annotations

import math

import numpy as np

from engine.kernel import inline
from engine.mcts.worker import WorkerRecord

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
