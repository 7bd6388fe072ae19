"""What stands between the accumulators and the output of a network with layers: products of pairs, two small layers."""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from eval.network.accumulators import perspective_cells
from eval.network.memory import LAYERS_SIZE, layers_at, network_at
from eval.network.rows import LAYER_OUTPUTS
from eval.network.vectors import first_layer, second_layer

_OUTPUTS, _INT32 = np.int64(LAYER_OUTPUTS), np.int64(4)
_LAYERS_SIZE = np.int64(LAYERS_SIZE)


@kernel
def layered_output(pos, accumulators, ply, bucket):
    """The output for the side to move, without its bias; the accumulators of `ply` are written."""
    network = network_at(accumulators.network)
    layers = layers_at(network.layers + bucket * _LAYERS_SIZE)
    us, cells, squared = np.int64(pos.side), accumulators.cells, accumulators.second_cells + layers.first
    width = network.row_size >> 1
    perspective_cells(pos, accumulators, ply, us, cells)
    perspective_cells(pos, accumulators, ply, us ^ 1, cells + (width >> 1))
    for place in range(0, layers.first, _OUTPUTS):
        first_layer(accumulators.second_cells + place, squared + place, cells, layers.first_weights + place * width,
                    layers.first_biases + place * _INT32, width)
    output, width = np.int64(0), 2 * layers.first
    for place in range(0, layers.second, _OUTPUTS):
        output += second_layer(accumulators.second_cells, layers.second_weights + place * width,
                               layers.second_biases + place * _INT32, layers.outputs + place * _INT32, width)
    return output
