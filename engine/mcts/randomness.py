"""Random numbers: a xorshift generator in the worker's record."""

from __future__ import annotations

import numpy as np

from engine.kernel import inline


@inline
def _next_random(worker):
    bits = worker.random
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    worker.random = bits
    return bits


@inline
def random_below(worker, end):
    """A number from 0 to `end` - 1, all equally likely."""
    return np.int64((_next_random(worker) >> np.uint64(32)) * np.uint64(end) >> np.uint64(32))


@inline
def random_event(worker, probability):
    """True with this probability."""
    return np.float64(_next_random(worker) >> np.uint64(11)) < probability * 9007199254740992.0
