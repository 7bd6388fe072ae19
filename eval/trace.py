"""Adding a feature to the score and to the trace, if there is one, in one function so that they never differ."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.kernel import inline, record_type
from engine.kernel.records import I8, Fields, Numbers, dtype_of, new_record
from eval.features import WEIGHT_COUNT


class TraceRecord(Fields):
    """The feature counts of an evaluation."""

    counts: Annotated[Numbers, "i4", (2, WEIGHT_COUNT)]  # [color, index of the weight]
    phase: I8  # WHOLE_PHASE: middle game; 0: endgame
    scale: I8  # how much of the endgame score counts, of WHOLE_SCALE
    color: I8  # the side whose features are being counted


TRACE = dtype_of(TraceRecord)
TRACE_TYPE = record_type(TRACE)

WHOLE_PHASE = np.int64(24)
WHOLE_SCALE = np.int64(64)

ONCE = np.int64(1)


def empty_trace() -> TraceRecord:
    """A new record of zeros."""
    return new_record(TraceRecord)


# In all kernels `trace` is a TRACE record or None. Numba compiles separate functions for each; in those for None, which
# are used in play, nothing is left of tracing.


@inline
def add_feature(score, trace, weights, index, count):
    """`score` plus `count` times the weight with this index."""
    if trace is not None:
        trace.counts[trace.color, index] += count
    return score + count * weights.packed[index]


@inline
def trace_side(trace, color):
    """Count the following features for `color`."""
    if trace is not None:
        trace.color = color


@inline
def trace_taper(trace, phase, scale):
    """Record how the two sums are turned into one score."""
    if trace is not None:
        trace.phase = phase
        trace.scale = scale
