"""A network whose training knows how its file rounds.

The forward pass rounds every weight, and every cell, as the file and the kernels do; the gradient passes through the
rounding as if it were not there. So the training moves the weights to where they are good after rounding.
"""

from __future__ import annotations

from typing import Any

import torch

from eval.network.file import LARGEST_BYTE_WEIGHT, PAIR_BITS, QUANT_CELL, QUANT_FEATURE
from eval.network.model import LAYERS, SQUARE_UNIT, Batch, NetworkModel, Tensor

_PAIR_UNIT = QUANT_FEATURE * QUANT_FEATURE / (1 << PAIR_BITS)  # 1.0 in a product of a pair, before it is rounded down
_SLACK = 1e-4  # of a unit: floats that should be whole numbers may be a little less


def _passing_gradient(exact: Tensor, rounded: Tensor) -> Tensor:
    """`rounded`, with the gradient of `exact`."""
    return exact + (rounded - exact).detach()


def _rounded_down(exact: Tensor, unit: float, new_unit: float) -> Tensor:
    """Numbers rounded down to whole units, which are then worth 1 / new_unit each."""
    return _passing_gradient(exact, torch.floor(exact.detach() * unit + _SLACK) / new_unit)


class RoundingModel(NetworkModel):
    """A network in floats that computes what its quantized form will, except that 64 pairs share their shifts there."""

    def _feature_units(self) -> Tensor:
        """[hidden]: 1.0 in the byte weights of each cell, as `quantize` chooses it."""
        weights = self.parameters["feature_weights"].detach()
        largest = torch.round(weights.abs().amax(0) * QUANT_FEATURE).clamp(min=1)
        shifts = torch.ceil(torch.log2(largest / LARGEST_BYTE_WEIGHT)).clamp(min=0)
        return QUANT_FEATURE / 2**shifts

    def _rounded(self, name: str, units: Tensor, largest: float = float("inf")) -> Tensor:
        """A parameter as the file will hold it, in floats."""
        exact = self.parameters[name]
        whole = torch.round(exact.detach() * units).clamp(-largest, largest)
        return _passing_gradient(exact, whole / units)

    def cells(self, batch: Batch, dtype: Any) -> Tensor:
        """[samples, hidden]: the pairwise products, first of the side to move, then of its opponent."""
        dense, samples, units = self.unpack.dense(batch, dtype), len(batch.scores), self._feature_units()
        weights, biases = (self._rounded(f"feature_{what}", units) for what in ("weights", "biases"))
        left, right = ((dense @ weights.to(dtype)).float() + biases).clamp(0, 1).chunk(2, 1)
        products = _rounded_down(left * right, _PAIR_UNIT, QUANT_CELL)
        return torch.cat((products[:samples], products[samples:]), 1)

    def _layer_weights(self, name: str) -> Tensor:
        layer = next(layer for layer in LAYERS if layer.name == name)
        exact = self.parameters[f"{name}_weights"]
        units = torch.as_tensor(layer.units(len(exact)), dtype=torch.float32, device=exact.device)
        return self._rounded(f"{name}_weights", units[:, None], layer.largest)

    def _after_first(self, sums: Tensor) -> Tensor:
        """The inputs of the second layer: the sums of the first one, clamped, then squared."""
        clamped, squared = super()._after_first(sums).chunk(2, 1)
        return torch.cat((_rounded_down(clamped, QUANT_CELL, QUANT_CELL),
                          _rounded_down(squared, SQUARE_UNIT, SQUARE_UNIT)), 1)
