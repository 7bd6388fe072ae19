"""Quantization that makes rounding errors cancel.

A layer adds up hundreds of cells, and a weight has few bits: rounded independently, their errors add up to several
centipawns. But cells are correlated. So the weights are rounded one after the other, and each error is compensated, as
far as possible, by the weights that follow, and finally by the bias, which is practically exact. How much one weight
can compensate another's error follows from the products of the cells over many positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from eval.network.file import Network
from eval.network.model import LAYERS, Batch, IntegerReference, NetworkModel, Tensor, numbers_of

_ROWS_AT_A_TIME = 8192
_RIDGE = 1e-2  # of the mean square of a cell: weights that the samples do not determine stay as they are

Floats = npt.NDArray[np.float64]


def quantize_with_compensation(model: NetworkModel, network: Network, rows: Tensor) -> Network:
    """The quantized `network` of a model with better rounded layers, compensated over the samples in `rows`.

    Each layer in turn also compensates for the rounding errors in its inputs.
    """
    torch.set_float32_matmul_precision("highest")
    for number, layer in enumerate(LAYERS):
        moments, layers = _Moments(network.shape.output_buckets), IntegerReference(network, str(rows.device))
        for batch, dense in _parts(model, rows):
            with torch.no_grad():
                targets = model.sums(batch, torch.float32)[number].double()
            moments.add(_inputs(layers, batch, dense, number) / layer.input_unit, targets, batch.output_buckets)
        exact, biases = model.by_bucket(layer)
        weights, whole_biases = layer.quantize(exact, biases)
        for bucket, products, targets in moments.by_bucket():
            start = np.column_stack((exact[bucket] * layer.units(exact.shape[-1]) / layer.unit, biases[bucket]))
            rounded = _round_with_compensation(start, products, targets, layer.unit, layer.largest)
            weights[bucket] = np.rint(rounded[:, :-1] * layer.unit)
            whole_biases[bucket] = np.rint(rounded[:, -1] * layer.unit * layer.input_unit)
        network = replace(network, **numbers_of(layer, weights, whole_biases))
    return network


def _inputs(layers: IntegerReference, batch: Batch, dense: Tensor, number: int) -> Tensor:
    """The inputs of the layer with this number."""
    cells, chosen = layers.cells(dense), batch.output_buckets
    for step in (layers.after_first, layers.after_second)[:number]:
        cells = step(cells, chosen)
    return cells


def _parts(model: NetworkModel, rows: Tensor) -> Iterator[tuple[Batch, Tensor]]:
    """(batch, its dense features) of the rows, a limited number of rows at a time."""
    for part in rows.split(_ROWS_AT_A_TIME):
        batch = model.unpack(part)
        yield batch, model.unpack.dense(batch, torch.float64)


class _Moments:
    """By output bucket: the mean products of a layer's cells with each other and with the target sums.

    An extra cell that is always 1 stands for the bias.
    """

    def __init__(self, buckets: int) -> None:
        self._products: list[Tensor] = [0.0] * buckets
        self._targets: list[Tensor] = [0.0] * buckets
        self._counts = [0] * buckets

    def add(self, cells: Tensor, targets: Tensor, buckets: Tensor) -> None:
        cells = torch.cat((cells, torch.ones(len(cells), 1, dtype=cells.dtype, device=cells.device)), 1)
        for bucket in range(len(self._counts)):
            chosen = buckets == bucket
            own = cells[chosen]
            self._products[bucket] += own.t() @ own
            self._targets[bucket] += targets[chosen].t() @ own
            self._counts[bucket] += len(own)

    def by_bucket(self) -> Iterator[tuple[int, Floats, Floats]]:
        """(bucket, products, targets) of all buckets that have samples."""
        for bucket, count in enumerate(self._counts):
            if count > 0:
                yield (bucket, self._products[bucket].cpu().numpy() / count,
                       self._targets[bucket].cpu().numpy() / count)


def _round_with_compensation(start: Floats, products: Floats, targets: Floats, unit: int, largest: int) -> Floats:
    """[sum, weights then bias], close to `start`; the weights are multiples of 1 / unit, the biases are not rounded."""
    regular = products + _RIDGE * np.diag(products).mean() * np.eye(len(products))
    # First the best weights before rounding: they also compensate for the rounding of the layer before.
    weights: Any = start + np.linalg.solve(regular, (targets - start @ products).T).T
    # Row i of a triangular factor of the inverse determines how the later weights compensate for an error of weight i.
    factor = np.linalg.cholesky(np.linalg.inv(regular)).T
    for index in range(weights.shape[1] - 1):
        exact = weights[:, index].copy()
        weights[:, index] = np.clip(np.rint(exact * unit), -largest, largest) / unit
        errors = (exact - weights[:, index]) / factor[index, index]
        weights[:, index + 1 :] -= np.outer(errors, factor[index, index + 1 :])
    rounded: Floats = weights
    return rounded
