"""The network's score of a position, in centipawns, corrected in endings that are hard to win."""

from __future__ import annotations

import numpy as np

from engine.core.bits import BIT, BLACK, EMPTY, PAWN, WHITE, popcount
from engine.core.position import occupied_squares
from engine.kernel import inline, kernel
from eval.bitboards import side_pieces
from eval.cache import is_score_of, pack_score, score_slot, unpack_score
from eval.endgames import scale_factor
from eval.evaluate import LARGEST_SCORE, evaluate_from_scratch
from eval.network.accumulators import pairwise_products
from eval.network.file import QUANT_OUTPUT, QUANT_SUM
from eval.network.layout import LAYER_OUTPUTS
from eval.network.memory import LAYERS_SIZE, layers_at, network_at
from eval.network.row_ops import first_layer, second_layer
from eval.trace import WHOLE_SCALE

_MAX_PIECES = np.int64(32)
_OUTPUT_UNIT = np.int64(QUANT_SUM * QUANT_OUTPUT)
_OUTPUTS, _INT32 = np.int64(LAYER_OUTPUTS), np.int64(4)
_LAYERS_SIZE = np.int64(LAYERS_SIZE)


@kernel
def evaluate_network(pos, weights, accumulators, ply, cache):
    """Centipawns from the side to move's view, at most LARGEST_SCORE either way.

    Writes the accumulators and `cache`, which must hold no scores of another evaluator. `weights` are those of the
    features, which evaluate positions with a bare king.
    """
    slot = score_slot(pos.key)
    known = cache.scores[slot]
    if is_score_of(known, pos.key):
        return unpack_score(known)
    score = evaluate_network_from_scratch(pos, weights, accumulators, ply)
    cache.scores[slot] = pack_score(pos.key, score)
    return score


@inline
def evaluate_network_from_scratch(pos, weights, accumulators, ply):
    """`evaluate_network` without a cache."""
    if _is_bare(pos, WHITE) or _is_bare(pos, BLACK):
        return evaluate_from_scratch(pos, weights)
    return _scale_by_winnability(pos, network_score(pos, accumulators, ply))


@inline
def _is_bare(pos, color):
    """Whether `color` has only its king left."""
    own = pos.colors[color]
    return own & (own - BIT) == EMPTY


@inline
def _scale_by_winnability(pos, score):
    """Scale `score` by the scale factor of the side that is ahead, if that side has no pawns."""
    strong = np.int64(pos.side) ^ np.int64(score < 0)
    if pos.types[PAWN] & pos.colors[strong] != EMPTY:
        return score
    return _divide_towards_zero(score * scale_factor(side_pieces(pos, strong), side_pieces(pos, strong ^ 1)),
                                WHOLE_SCALE)


@kernel
def network_score(pos, accumulators, ply):
    """Centipawns from the side to move's view by the network alone; writes the accumulators of `ply`."""
    network = network_at(accumulators.network)
    pieces = min(popcount(occupied_squares(pos)), _MAX_PIECES)  # more can be set up by hand
    bucket = (pieces - 1) * network.output_buckets // _MAX_PIECES
    output = layered_output(pos, accumulators, ply, bucket) + network.output_biases[bucket]
    value = _divide_towards_zero(output * network.scale, _OUTPUT_UNIT)
    return min(max(value, -LARGEST_SCORE), LARGEST_SCORE)


@inline
def _divide_towards_zero(value, divisor):
    """`value / divisor`, rounded towards 0, so that both sides are treated alike."""
    return value // divisor if value >= 0 else -(-value // divisor)


@kernel
def layered_output(pos, accumulators, ply, bucket):
    """The output for the side to move in units of 1 / (QUANT_SUM * QUANT_OUTPUT), without its bias.

    Writes the accumulators of `ply` and the thread's cells.
    """
    network = network_at(accumulators.network)
    layers = layers_at(network.layers + bucket * _LAYERS_SIZE)
    us, hidden, cells = np.int64(pos.side), network.row_size >> 1, accumulators.cells
    pairwise_products(pos, accumulators, ply, us, cells)
    pairwise_products(pos, accumulators, ply, us ^ 1, cells + (hidden >> 1))
    inputs, clamped = 2 * layers.first_width, accumulators.second_cells
    for index in range(0, layers.first_width, _OUTPUTS):
        first_layer(clamped + index, clamped + layers.first_width + index, cells, layers.first_weights + index * hidden,
                    layers.first_biases + index * _INT32, hidden)
    output = np.int64(0)
    for index in range(0, layers.second_width, _OUTPUTS):
        output += second_layer(clamped, layers.second_weights + index * inputs, layers.second_biases + index * _INT32,
                               layers.output_weights + index * _INT32, inputs)
    return output
