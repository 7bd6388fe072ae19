"""What stands between the accumulators and the output of a network with layers: products of pairs, two small layers."""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from eval.network.accumulators import pairwise_products
from eval.network.memory import LAYERS_SIZE, layers_at, network_at
from eval.network.rows import LAYER_OUTPUTS
from eval.network.vectors import first_layer, second_layer

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
