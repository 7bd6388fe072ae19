"""Rounding the output weights so that their errors cancel.

The output adds up hundreds of cells, and an output weight has few bits: rounded one by one, their errors add up to
several centipawns. But cells vary together. So the weights are rounded one after the other, and each error is made
good, as far as possible, by those that are still to come; at last by the bias, which is as good as exact. How far one
weight can make good another's error follows from the products of the cells over many positions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from eval.network.file import LARGEST_OUTPUT_WEIGHT, QA, QB, Network
from eval.network.model import Model, Tensor

_ROWS_AT_A_TIME = 8192
_RIDGE = 1e-2  # of the mean square of a cell: what the samples leave open stays as it was

Floats = npt.NDArray[np.float64]


def compensated(model: Model, network: Network, rows: Tensor) -> Network:
    """The rounded `network` of a model with better output weights, judging by samples."""
    products, targets, counts = _moments(model, network, rows)
    weights, biases = network.output_weights.copy(), network.output_biases.copy()
    own = model.parameters["output_weights"].detach().double().cpu().numpy().reshape(-1, len(biases))
    for bucket in np.flatnonzero(counts):
        wanted = np.append(own[:, bucket], float(model.parameters["output_biases"][bucket]))
        rounded = _rounded(wanted, products[bucket] / counts[bucket], targets[bucket] / counts[bucket])
        weights[bucket] = np.rint(rounded[:-1] * QB).reshape(2, -1)
        biases[bucket] = np.rint(rounded[-1] * QA * QB)
    return replace(network, output_weights=weights, output_biases=biases)


def _moments(model: Model, network: Network, rows: Tensor) -> tuple[Any, Any, Any]:
    """By output bucket: sums of the products of cells, as the rounded network has them; of cells times the model's
    outputs; and the number of samples. A cell that is always 1 stands for the bias.
    """
    buckets, size = network.shape.output_buckets, 2 * network.shape.hidden + 1
    products = torch.zeros(buckets, size, size, dtype=torch.float64, device=rows.device)
    targets = torch.zeros(buckets, size, dtype=torch.float64, device=rows.device)
    counts = torch.zeros(buckets, dtype=torch.int64, device=rows.device)
    weights, biases = (torch.from_numpy(np.array(values, np.float64) / QA).to(rows.device)
                       for values in (network.feature_weights, network.feature_biases))
    for part in rows.split(_ROWS_AT_A_TIME):
        batch = model.unpack(part)
        squared = (model.unpack.dense(batch, torch.float64) @ weights + biases).clamp_(0, 1).square_()
        ones = torch.ones(len(part), 1, dtype=torch.float64, device=rows.device)
        cells, outputs = torch.cat((squared[: len(part)], squared[len(part) :], ones), 1), model.logits(part).double()
        for bucket in range(buckets):
            chosen = batch.output_buckets == bucket
            products[bucket].addmm_(cells[chosen].t(), cells[chosen])
            targets[bucket].add_(cells[chosen].t() @ outputs[chosen])
            counts[bucket] += chosen.sum()
    return products.cpu().numpy(), targets.cpu().numpy(), counts.cpu().numpy()


def _rounded(wanted: Floats, products: Floats, targets: Floats) -> Floats:
    """Weights, and last a bias, close to those that are `wanted`, all but the bias whole multiples of 1 / QB."""
    sure = products + _RIDGE * np.diag(products).mean() * np.eye(len(products))
    # First what would be best without rounding these: it also makes good the rounding of the layer before.
    weights = wanted + np.linalg.solve(sure, targets - products @ wanted)
    # In a triangular factor of the inverse, a row says how the later weights make good an error of its own.
    factor = np.linalg.cholesky(np.linalg.inv(sure)).T
    for place in range(len(weights) - 1):
        exact = weights[place]
        weights[place] = np.clip(np.rint(exact * QB), -LARGEST_OUTPUT_WEIGHT, LARGEST_OUTPUT_WEIGHT) / QB
        error = (exact - weights[place]) / factor[place, place]
        weights[place + 1 :] -= error * factor[place, place + 1 :]
    return weights
