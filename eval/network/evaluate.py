"""The network's score of a position, in centipawns, with what the features know about endings."""

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

_MEN_OF_A_GAME = np.int64(32)
_WHOLE = np.int64(QUANT_SUM * QUANT_OUTPUT)


@kernel
def evaluate_network(pos, weights, accumulators, ply, cache):
    """Centipawns from the side to move's view, at most LARGEST_SCORE either way.

    `cache`, which must hold no scores of another evaluation, and the accumulators are written. `weights` are those of
    the features, which know how to mate a bare king.
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
    """The same without a cache."""
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
    """The part of `score` that the side that is ahead can convert into a win: without pawns that may be little."""
    strong = np.int64(pos.side) ^ np.int64(score < 0)
    if pos.types[PAWN] & pos.colors[strong] != EMPTY:
        return score
    return _divide_towards_zero(score * scale_factor(side_pieces(pos, strong), side_pieces(pos, strong ^ 1)),
                                WHOLE_SCALE)


@kernel
def network_score(pos, accumulators, ply):
    """Centipawns from the side to move's view by the network alone; the accumulators of `ply` are written."""
    network = network_at(accumulators.network)
    men = min(popcount(occupied_squares(pos)), _MEN_OF_A_GAME)  # more can be set up by hand
    bucket = (men - 1) * network.output_buckets // _MEN_OF_A_GAME
    output = layered_output(pos, accumulators, ply, bucket) + network.output_biases[bucket]
    value = _divide_towards_zero(output * network.scale, _WHOLE)
    return min(max(value, -LARGEST_SCORE), LARGEST_SCORE)


@inline
def _divide_towards_zero(value, divisor):
    """`value / divisor`, rounded towards 0, so that both sides are treated alike."""
    return value // divisor if value >= 0 else -(-value // divisor)


_OUTPUTS, _INT32 = np.int64(LAYER_OUTPUTS), np.int64(4)
_LAYERS_SIZE = np.int64(LAYERS_SIZE)


@kernel
def layered_output(pos, accumulators, ply, bucket):
    """The output for the side to move in 1 / (QS * QO), without its bias.

    Writes the accumulators of `ply`, and the thread's cells.
    """
    network = network_at(accumulators.network)
    layers = layers_at(network.layers + bucket * _LAYERS_SIZE)
    us, hidden, cells = np.int64(pos.side), network.row_size >> 1, accumulators.cells
    pairwise_products(pos, accumulators, ply, us, cells)
    pairwise_products(pos, accumulators, ply, us ^ 1, cells + (hidden >> 1))
    inputs, clamped = 2 * layers.first_width, accumulators.second_cells
    for place in range(0, layers.first_width, _OUTPUTS):
        first_layer(clamped + place, clamped + layers.first_width + place, cells, layers.first_weights + place * hidden,
                    layers.first_biases + place * _INT32, hidden)
    output = np.int64(0)
    for place in range(0, layers.second_width, _OUTPUTS):
        output += second_layer(clamped, layers.second_weights + place * inputs, layers.second_biases + place * _INT32,
                               layers.output_weights + place * _INT32, inputs)
    return output
