"""The network's score of a position, in centipawns."""

from __future__ import annotations

import numpy as np

from engine.core.bits import popcount
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel
from eval.network.accumulators import perspective_output
from eval.network.file import QA, QB
from eval.network.memory import network_at

_MEN_OF_A_GAME = np.int64(32)
_QA, _WHOLE = np.int64(QA), np.int64(QA * QB)


@kernel
def network_score(pos, accumulators, ply, limit):
    """Centipawns from the side to move's view, at most `limit` either way; the accumulators of `ply` are written."""
    network = network_at(accumulators.network)
    us = np.int64(pos.side)
    men = min(popcount(occupied_squares(pos)), _MEN_OF_A_GAME)  # more can be set up by hand
    bucket = (men - 1) * network.output_buckets // _MEN_OF_A_GAME
    weights = network.outputs + 2 * bucket * network.row_size
    total = perspective_output(pos, accumulators, ply, us, weights)
    total += perspective_output(pos, accumulators, ply, us ^ 1, weights + network.row_size)
    total = np.int64(np.int32(total))  # sums wrap around at 32 bits, whatever the order of their parts
    value = (_quotient(total, _QA) + network.output_biases[bucket]) * network.scale
    return min(max(_quotient(value, _WHOLE), -limit), limit)


@inline
def _quotient(value, divisor):
    """Rounded towards 0, so that it is the same for both sides."""
    return value // divisor if value >= 0 else -(-value // divisor)
