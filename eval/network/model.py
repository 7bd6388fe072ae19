"""The network in floats, as torch trains it: features of packed samples, output, and gradient.

The gradient is written out: it is short, and takes half as many passes over the accumulators as torch's automatic one.
Only torch depends on the device; nothing here knows which one it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from eval.network.data import BOARD_BYTES, NO_PIECE_CODE, SAMPLE, Samples
from eval.network.file import FEATURES, LARGEST_OUTPUT_WEIGHT, QB, QUANT_FEATURE, Network, Shape

Tensor = Any  # torch.Tensor; torch need not be installed where types are checked
NAMES = ("feature_weights", "feature_biases", "output_weights", "output_biases")

LARGEST_WEIGHT = 1.98  # so that the sum over 32 men stays within 16 bits
_LARGEST_OUTPUT = (LARGEST_OUTPUT_WEIGHT + 0.49) / QB


def to_device(samples: Samples, device: str) -> Tensor:
    """Samples as rows of bytes on the device."""
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(len(samples), SAMPLE.itemsize)
    return torch.from_numpy(rows).to(device)


@dataclass
class Batch:
    """Unpacked samples."""

    features: Tensor  # [2 * samples, 64] indices, one per square; first for all sides to move, then for their opponents
    output_buckets: Tensor  # [samples]
    scores: Tensor  # [samples], centipawns
    results: Tensor  # [samples], 0 to 1


class Unpacker:
    """Turns rows of bytes into batches, on one device."""

    def __init__(self, shape: Shape, device: str) -> None:
        self._shape = shape
        squares, codes = torch.arange(64), torch.arange(16)
        self._squares = squares.to(device)
        self._places = torch.stack([squares ^ turn for turn in (0, 7, 56, 63)]).to(device)  # by turned and mirrored
        self._turned = torch.tensor([[0], [2]]).to(device)
        self._buckets = (torch.tensor(shape.king_buckets) * FEATURES).to(device)
        other = torch.where(codes < NO_PIECE_CODE, (codes + 6) % NO_PIECE_CODE, codes)
        self._offsets = torch.where(torch.stack([codes, other]) < NO_PIECE_CODE, torch.stack([codes, other]) * 64,
                                    shape.rows).to(device)  # [perspective, code]

    def __call__(self, rows: Tensor) -> Batch:
        """The samples in `rows`. Empty squares get their own features, after those of the network."""
        packed = rows[:, :BOARD_BYTES]
        board = torch.stack((packed & 15, packed >> 4), dim=2).view(len(rows), 64).long()
        scores = rows[:, BOARD_BYTES : BOARD_BYTES + 2].view(torch.int16).squeeze(1).float()
        result, men, own, other = (rows[:, BOARD_BYTES + place] for place in (4, 5, 6, 7))
        kings = torch.stack((own, other ^ 56)).long()  # each as its own side sees it
        mirrors = (kings >> 2 & 1) if self._shape.mirrored else torch.zeros_like(kings)
        features = torch.stack([offsets[board.gather(1, self._places[index])]
                                for index, offsets in zip(mirrors + self._turned, self._offsets, strict=True)])
        if self._shape.rows > FEATURES:
            shifts = self._buckets[kings ^ 7 * mirrors][:, :, None]
            features += torch.where(features < self._shape.rows, shifts, 0)
        features += self._squares
        outputs = (men.long() - 1) * self._shape.output_buckets // 32
        return Batch(features.view(-1, 64), outputs, scores, (result.view(torch.int8).float() + 1) / 2)

    def dense(self, batch: Batch, dtype: Any) -> Tensor:
        """[2 * samples, features]: 1 where a feature is present.

        Multiplying by this takes a quarter of the time of summing rows picked one by one.
        """
        features = batch.features
        ones = torch.zeros(len(features), self._shape.rows + 64, dtype=dtype, device=features.device)
        return ones.scatter_(1, features, 1.0)[:, : self._shape.rows]


class Model:
    """The network's numbers, with 1.0 where the file has QA or QB, and what they compute."""

    def __init__(self, shape: Shape, device: str, seed: int, precision: str = "tf32") -> None:
        """Start with random numbers determined by `seed`, the same on every device."""
        generator = torch.Generator().manual_seed(seed)
        hidden, outputs = shape.hidden, shape.output_buckets

        def spread(width: float, *size: int) -> Tensor:
            return (torch.rand(size, generator=generator) * 2 - 1) * width

        first = spread(0.05, FEATURES, hidden).repeat(shape.rows // FEATURES, 1)  # king buckets begin alike
        values = (first, torch.full((hidden,), 0.1), spread(1 / math.sqrt(2 * hidden), 2, hidden, outputs),
                  torch.zeros(outputs))
        self.parameters = {name: value.to(device).contiguous() for name, value in zip(NAMES, values, strict=True)}
        for parameter in self.parameters.values():
            parameter.grad = torch.zeros_like(parameter)  # `descend` writes there
        self.state = self.parameters
        self.shape, self.unpack = shape, Unpacker(shape, device)
        self._dtype = torch.bfloat16 if precision == "bf16" else torch.float32

    def _hidden(self, batch: Batch, dtype: Any) -> tuple[Tensor, Tensor]:
        """(features, [2 * samples, hidden] accumulators, clamped)."""
        dense = self.unpack.dense(batch, dtype)
        weights, biases = self.parameters["feature_weights"], self.parameters["feature_biases"]
        if dtype == torch.float32:
            return dense, torch.addmm(biases, dense, weights).clamp_(0, 1)
        return dense, (dense @ weights.to(dtype)).float().add_(biases).clamp_(0, 1)

    def _outputs(self, squared: Tensor) -> Tensor:
        """[samples, output buckets]."""
        samples = len(squared) // 2
        weights = self.parameters["output_weights"]
        return torch.addmm(self.parameters["output_biases"], squared[:samples], weights[0]).addmm_(
            squared[samples:], weights[1])

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view, in full precision."""
        batch = self.unpack(rows)
        _, clamped = self._hidden(batch, torch.float32)
        return self._outputs(clamped.square()).gather(1, batch.output_buckets[:, None]).squeeze(1)

    def backward(self, rows: Tensor, scale: float, share: float) -> Tensor:
        """Set the gradient of the mean squared error to the targets, and return the error.

        The target is `share` of the result, and for the rest the result that the score predicts.
        """
        batch = self.unpack(rows)
        samples, chosen = len(rows), batch.output_buckets[:, None]
        dense, clamped = self._hidden(batch, self._dtype)
        squared = clamped.square()
        outputs = self._outputs(squared)
        shares = torch.sigmoid(outputs.gather(1, chosen))
        targets = torch.lerp(torch.sigmoid(batch.scores / scale), batch.results, share)[:, None]
        errors = shares - targets
        slopes = torch.zeros_like(outputs).scatter_(1, chosen, errors * shares * (1 - shares) * (2 / samples))
        gradient = {name: parameter.grad for name, parameter in self.parameters.items()}
        weights = self.parameters["output_weights"]
        torch.sum(slopes, 0, out=gradient["output_biases"])
        torch.mm(squared[:samples].t(), slopes, out=gradient["output_weights"][0])
        torch.mm(squared[samples:].t(), slopes, out=gradient["output_weights"][1])
        back = torch.empty_like(squared)
        slopes = 2 * slopes  # of the square
        torch.mm(slopes, weights[0].t(), out=back[:samples])
        torch.mm(slopes, weights[1].t(), out=back[samples:])
        back = torch.ops.aten.hardtanh_backward(back.mul_(clamped), clamped, 0.0, 1.0)
        torch.sum(back, 0, out=gradient["feature_biases"])
        if self._dtype == torch.float32:
            torch.mm(dense.t(), back, out=gradient["feature_weights"])
        else:
            gradient["feature_weights"].copy_(dense.t() @ back.to(self._dtype))
        return errors.square().mean()

    def clamp(self) -> None:
        """Keep all weights within the range that the file can hold; biases have room enough."""
        self.parameters["feature_weights"].clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
        self.parameters["feature_biases"].clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
        self.parameters["output_weights"].clamp_(-_LARGEST_OUTPUT, _LARGEST_OUTPUT)

    def quantize(self, scale: float, provenance: dict[str, Any]) -> Network:
        """The network in integers, as the file holds it."""
        value = {name: parameter.detach().cpu().double().numpy() for name, parameter in self.parameters.items()}
        outputs = np.ascontiguousarray(value["output_weights"].transpose(2, 0, 1))
        return Network(self.shape, np.rint(value["feature_weights"] * QUANT_FEATURE).astype(np.int16),
                       np.rint(value["feature_biases"] * QUANT_FEATURE).astype(np.int16),
                       np.rint(outputs * QB).astype(np.int16),
                       np.rint(value["output_biases"] * QUANT_FEATURE * QB).astype(np.int32), float(scale), provenance)

    def load_network(self, network: Network) -> None:
        """Take over the numbers of a network of the same shape."""
        fill(self.parameters, {
            "feature_weights": network.feature_weights / QUANT_FEATURE,
            "feature_biases": network.feature_biases / QUANT_FEATURE,
            "output_weights": network.output_weights.transpose(1, 2, 0) / QB,
            "output_biases": network.output_biases / (QUANT_FEATURE * QB)})

    def integer_scores(self, network: Network, batch: Batch, dense: Tensor) -> Tensor:
        """The scores of samples in centipawns by the file's integers."""
        return integer_scores(network, batch, dense)


def fill(parameters: dict[str, Tensor], values: dict[str, Any]) -> None:
    """Set parameters to NumPy arrays of the same names and shapes."""
    with torch.no_grad():
        for name, value in values.items():
            parameters[name].copy_(torch.from_numpy(np.array(value, np.float32)))


def integer_scores(network: Network, batch: Batch, dense: Tensor) -> Tensor:
    """The scores of samples in centipawns by the file's integers: the kernels' as long as no sum wraps around."""
    def tensor(values: Any) -> Tensor:
        return torch.from_numpy(np.array(values)).to(dense.device)

    # Doubles hold all of these integers exactly, and multiply fast everywhere.
    sums = dense.double() @ tensor(network.feature_weights).double() + tensor(network.feature_biases).double()
    squared = sums.clamp_(0, QUANT_FEATURE).square_()
    samples = len(squared) // 2
    weights = tensor(network.output_weights).double()
    outputs = squared[:samples] @ weights[:, 0].t() + squared[samples:] @ weights[:, 1].t()
    chosen = batch.output_buckets[:, None]
    total = outputs.gather(1, chosen).squeeze(1).long()
    biased = torch.div(total, QUANT_FEATURE,
                       rounding_mode="trunc") + tensor(network.output_biases).long()[batch.output_buckets]
    return torch.trunc(biased.double() * round(network.scale) / (QUANT_FEATURE * QB))
