"""Adding a feature to the score and, where one is asked for, to the trace: in one place, so that they never differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernel import inline, record_dtype, record_type
from eval.features import WEIGHT_COUNT

TRACE = record_dtype([
    ("counts", "i4", (2, WEIGHT_COUNT)),  # [color, place of the feature]
    ("phase", "i8"),  # WHOLE_PHASE: middle game; 0: endgame
    ("scale", "i8"),  # how much of the endgame score counts, of WHOLE_SCALE
    ("color", "i8"),  # whose features are being counted
])
TraceRecord = Any  # a record of dtype TRACE; mypy knows no such type
TRACE_TYPE = record_type(TRACE)

WHOLE_PHASE = np.int64(24)
WHOLE_SCALE = np.int64(64)

ONCE = np.int64(1)


def empty_trace() -> TraceRecord:
    """A new record of zeros."""
    return np.zeros(1, TRACE)[0]


# In all kernels `trace` is a TRACE record or None. Numba compiles each as functions of their own; in those for None,
# which play uses, nothing is left of tracing.


@inline
def add_feature(score, trace, weights, index, count):
    """`score` with feature number `index` counted `count` times more."""
    if trace is not None:
        trace.counts[trace.color, index] += count
    return score + count * weights.packed[index]


@inline
def trace_side(trace, color):
    """From now on features are those of `color`."""
    if trace is not None:
        trace.color = color


@inline
def trace_taper(trace, phase, scale):
    """Write down how the sums are turned into one score."""
    if trace is not None:
        trace.phase = phase
        trace.scale = scale
