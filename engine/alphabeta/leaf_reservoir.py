"""A random choice of the positions that quiescence evaluates, packed as training samples: what the network is asked.

The reservoir has no room unless `engine/lab/arena/leaves.py` gives it some; then one comparison per leaf is all it
costs.
"""

from __future__ import annotations

import numpy as np

from engine.core.splitmix import GOLDEN, mix
from engine.kernel import inline, kernel, record_type
from engine.kernel.intrinsics import multiply_high, record_reader
from engine.kernel.records import I8, U8, Fields
from engine.search.scores import NO_SCORE
from eval.network.samples import SAMPLE, SAMPLE_SIZE, pack_sample

_NEAR_WINDOW = np.int64(150)  # centipawns: farther from the window, a better evaluation would change nothing
_sample_at = record_reader(record_type(SAMPLE))


class LeafReservoirRecord(Fields):
    """Where a search thread puts its leaves; each that it has seen is kept with the same probability."""

    room: I8  # samples; 0 for none
    seen: I8  # leaves so far
    random: U8  # the state of the generator
    address: I8  # of the samples


@kernel
def _offer(pos, reservoir, raw_eval):
    """Keep `pos`, in place of a random one if the reservoir is full, or leave it (Vitter's algorithm R)."""
    index = np.int64(reservoir.seen)
    reservoir.seen += 1
    if index >= reservoir.room:
        reservoir.random += GOLDEN
        index = np.int64(multiply_high(mix(reservoir.random), np.uint64(reservoir.seen)))
    if index < reservoir.room:
        pack_sample(pos, _sample_at(reservoir.address + index * SAMPLE_SIZE), raw_eval, raw_eval, np.int64(0))


@inline
def offer_leaf(pos, reservoir, raw_eval, stand_pat, alpha, beta):
    """Offer a leaf to the reservoir if it has been evaluated, and not far from the window."""
    if reservoir.room == 0 or raw_eval == NO_SCORE:
        return
    if alpha - _NEAR_WINDOW <= stand_pat <= beta + _NEAR_WINDOW:
        _offer(pos, reservoir, raw_eval)
