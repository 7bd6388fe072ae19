"""Rounding weights so that their errors cancel.

A layer adds up hundreds of cells, and a weight has few bits: rounded one by one, their errors add up to several
centipawns. But cells vary together. So the weights are rounded one after the other, and each error is compensated for,
as far as possible, by those that are still to come, and finally by the bias, which is practically exact. How far one
weight can compensate for another's error follows from the products of the cells over many positions.
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
_RIDGE = 1e-2  # of the mean square of a cell: what the samples leave open stays as it was

Floats = npt.NDArray[np.float64]


def quantize_with_compensation(model: NetworkModel, network: Network, rows: Tensor) -> Network:
    """The rounded `network` of a model with better weights behind the accumulators, judging by samples.

    One layer after the other: each also compensates for what the rounding before it has done to its inputs.
    """
    torch.set_float32_matmul_precision("highest")
    for number, layer in enumerate(LAYERS):
        moments, layers = _Moments(network.shape.output_buckets), IntegerReference(network, str(rows.device))
        for batch, dense in _parts(model, rows):
            with torch.no_grad():
                targets = model.sums(batch, torch.float32)[number].double()
            moments.add(_inputs(layers, batch, dense, number) / layer.input_unit, targets, batch.output_buckets)
        exact, biases = model.by_bucket(layer)
        weights, whole_biases = layer.rounded(exact, biases)
        for bucket, products, aims in moments.by_bucket():
            wanted = exact[bucket] * layer.units(exact.shape[-1]) / layer.unit
            found = _rounded(np.column_stack((wanted, biases[bucket])), products, aims, layer.unit, layer.largest)
            weights[bucket] = np.rint(found[:, :-1] * layer.unit)
            whole_biases[bucket] = np.rint(found[:, -1] * layer.unit * layer.input_unit)
        network = replace(network, **numbers_of(layer, weights, whole_biases))
    return network


def _inputs(layers: IntegerReference, batch: Batch, dense: Tensor, number: int) -> Tensor:
    """What the layer with this number gets."""
    cells, chosen = layers.cells(dense), batch.output_buckets
    for step in (layers.after_first, layers.after_second)[:number]:
        cells = step(cells, chosen)
    return cells


def _parts(model: NetworkModel, rows: Tensor) -> Iterator[tuple[Batch, Tensor]]:
    """(rows, unpacked, and their features), not too many at a time."""
    for part in rows.split(_ROWS_AT_A_TIME):
        batch = model.unpack(part)
        yield batch, model.unpack.dense(batch, torch.float64)


class _Moments:
    """By output bucket: mean products of a layer's cells with each other, and with the sums that are wanted.

    A cell that is always 1 stands for the bias.
    """

    def __init__(self, buckets: int) -> None:
        self._products: list[Tensor] = [0.0] * buckets
        self._targets: list[Tensor] = [0.0] * buckets
        self._counts = [0] * buckets

    def add(self, cells: Tensor, wanted: Tensor, buckets: Tensor) -> None:
        cells = torch.cat((cells, torch.ones(len(cells), 1, dtype=cells.dtype, device=cells.device)), 1)
        for bucket in range(len(self._counts)):
            chosen = buckets == bucket
            own = cells[chosen]
            self._products[bucket] += own.t() @ own
            self._targets[bucket] += wanted[chosen].t() @ own
            self._counts[bucket] += len(own)

    def by_bucket(self) -> Iterator[tuple[int, Floats, Floats]]:
        """(bucket, products, targets) of all buckets that have samples."""
        for bucket, count in enumerate(self._counts):
            if count > 0:
                yield (bucket, self._products[bucket].cpu().numpy() / count,
                       self._targets[bucket].cpu().numpy() / count)


def _rounded(wanted: Floats, products: Floats, targets: Floats, unit: int, largest: int) -> Floats:
    """[sums, weights and at last a bias], close to those that are `wanted`; all but the biases whole 1 / unit."""
    sure = products + _RIDGE * np.diag(products).mean() * np.eye(len(products))
    # First what would be best without rounding these: it also compensates for the rounding of the layer before.
    weights: Any = wanted + np.linalg.solve(sure, (targets - wanted @ products).T).T
    # In a triangular factor of the inverse, a row says how the later weights compensate for an error of its own.
    factor = np.linalg.cholesky(np.linalg.inv(sure)).T
    for place in range(weights.shape[1] - 1):
        exact = weights[:, place].copy()
        weights[:, place] = np.clip(np.rint(exact * unit), -largest, largest) / unit
        errors = (exact - weights[:, place]) / factor[place, place]
        weights[:, place + 1 :] -= np.outer(errors, factor[place, place + 1 :])
    found: Floats = weights
    return found
