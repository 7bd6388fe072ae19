"""The network as torch trains it: unpacking of samples on a device, the model in floats, and its integer reference.

Nothing here depends on the device but torch itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from engine.system.errors import InputError
from engine.system.files import replacing
from eval.network.file import (
    FEATURES,
    LARGEST_BYTE_WEIGHT,
    PAIR_BITS,
    PAIR_BLOCK,
    QB,
    QUANT_CELL,
    QUANT_FEATURE,
    QUANT_OUTPUT,
    QUANT_SUM,
    SQUARE_BITS,
    Network,
    Shape,
)
from eval.network.samples import BOARD_BYTES, NO_PIECE_CODE, SAMPLE, Samples

Tensor = Any  # torch.Tensor; torch need not be installed where types are checked
LARGEST_WEIGHT = 1.98  # so that the sum over 32 pieces stays within 16 bits
NAMES = ("feature_weights", "feature_biases", "first_weights", "first_biases", "second_weights", "second_biases",
         "output_weights", "output_biases")
_SQUARE_UNIT = QUANT_SUM * QUANT_SUM / (1 << SQUARE_BITS)  # 1.0 in a squared cell, a little less than QUANT_CELL


def to_device(samples: Samples, device: str) -> Tensor:
    """Samples as rows of bytes on the device."""
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(len(samples), SAMPLE.itemsize)
    return torch.from_numpy(rows).to(device)


@dataclass(frozen=True)
class Objective:
    """The training objective: how targets are computed, and how much an error counts."""

    scale: float  # centipawns for a logit of 1
    wdl_weight: float  # of the result in the target; the rest is the result that the score predicts
    power: float = 2.0  # of the absolute error in the loss

    def targets(self, scores: Tensor, results: Tensor) -> Tensor:
        """[samples]: the target results, from 0 to 1."""
        return torch.lerp(torch.sigmoid(scores / self.scale), results, self.wdl_weight)

    def loss(self, errors: Tensor) -> Tensor:
        """The mean loss for errors of the predictions."""
        return errors.square().mean() if self.power == 2 else errors.abs().pow(self.power).mean()

    def slopes(self, errors: Tensor) -> Tensor:
        """The derivative of each loss."""
        return self.power * errors * errors.abs().pow(self.power - 2)


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
        self._view_squares = torch.stack([squares ^ turn for turn in (0, 7, 56, 63)]).to(device)  # by flip and mirror
        self._flipped = torch.tensor([[0], [2]]).to(device)
        self._buckets = (torch.tensor(shape.king_buckets) * FEATURES).to(device)
        other = torch.where(codes < NO_PIECE_CODE, (codes + 6) % NO_PIECE_CODE, codes)
        self._offsets = torch.where(torch.stack([codes, other]) < NO_PIECE_CODE, torch.stack([codes, other]) * 64,
                                    shape.rows).to(device)  # [perspective, code]

    def __call__(self, rows: Tensor) -> Batch:
        """The samples in `rows`. Empty squares get their own features, after those of the network."""
        packed = rows[:, :BOARD_BYTES]
        board = torch.stack((packed & 15, packed >> 4), dim=2).view(len(rows), 64).long()
        scores = rows[:, BOARD_BYTES : BOARD_BYTES + 2].view(torch.int16).squeeze(1).float()
        result, pieces, own, other = (rows[:, BOARD_BYTES + offset] for offset in (4, 5, 6, 7))
        kings = torch.stack((own, other ^ 56)).long()  # each as its own side sees it
        mirrors = (kings >> 2 & 1) if self._shape.mirrored else torch.zeros_like(kings)
        features = torch.stack([offsets[board.gather(1, self._view_squares[index])]
                                for index, offsets in zip(mirrors + self._flipped, self._offsets, strict=True)])
        if self._shape.rows > FEATURES:
            shifts = self._buckets[kings ^ 7 * mirrors][:, :, None]
            features += torch.where(features < self._shape.rows, shifts, 0)
        features += self._squares
        outputs = (pieces.long() - 1) * self._shape.output_buckets // 32
        return Batch(features.view(-1, 64), outputs, scores, (result.view(torch.int8).float() + 1) / 2)

    def dense(self, batch: Batch, dtype: Any) -> Tensor:
        """[2 * samples, features]: 1 where a feature is present.

        Multiplying by this takes a quarter of the time of summing rows picked one by one.
        """
        features = batch.features
        ones = torch.zeros(len(features), self._shape.rows + 64, dtype=dtype, device=features.device)
        return ones.scatter_(1, features, 1.0)[:, : self._shape.rows]


def fill(parameters: dict[str, Tensor], values: dict[str, Any]) -> None:
    """Set parameters to NumPy arrays of the same names and shapes."""
    with torch.no_grad():
        for name, value in values.items():
            parameters[name].copy_(torch.from_numpy(np.array(value, np.float32)))


class Layer(NamedTuple):
    """A layer after the accumulators: the units of 1.0 in its inputs and in its weights, and the largest weight."""

    name: str
    input_unit: int
    unit: int
    largest: int

    def units(self, inputs: int) -> Any:
        """[inputs]: 1.0 in the weights of each."""
        if self.name != "second":
            return np.full(inputs, float(self.unit))
        # the unit of squared cells is a little smaller than QUANT_CELL
        return np.repeat((self.unit, self.unit * QUANT_CELL / _SQUARE_UNIT), inputs // 2)

    def quantize(self, weights: Any, biases: Any) -> tuple[Any, Any]:
        """[..., inputs] weights, and biases, as integers of the file, each rounded on its own."""
        whole = np.clip(np.rint(weights * self.units(weights.shape[-1])), -self.largest, self.largest)
        return (whole.astype(np.int16 if self.name == "output" else np.int8),
                np.rint(biases * self.unit * self.input_unit).astype(np.int32))


LAYERS = (Layer("first", QUANT_CELL, QB, LARGEST_BYTE_WEIGHT), Layer("second", QUANT_CELL, QB, LARGEST_BYTE_WEIGHT),
          Layer("output", QUANT_SUM, QUANT_OUTPUT, np.iinfo(np.int16).max))


class NetworkModel:
    """The network in floats, with 1.0 where the file has its units, and its forward and backward pass."""

    def __init__(self, shape: Shape, device: str, seed: int, precision: str = "tf32") -> None:
        """Start with random numbers determined by `seed`, the same on every device; buckets begin alike."""
        generator = torch.Generator().manual_seed(seed)
        hidden, buckets = shape.hidden, shape.output_buckets
        first, second = shape.layers

        def spread(width: float, *size: int) -> Tensor:
            return (torch.rand(size, generator=generator) * 2 - 1) * width

        values = (spread(0.05, FEATURES, hidden).repeat(shape.rows // FEATURES, 1), torch.full((hidden,), 0.4),
                  spread(2 / math.sqrt(hidden), hidden, first).repeat(1, buckets), torch.zeros(buckets * first),
                  spread(1 / math.sqrt(first), 2 * first, second).repeat(1, buckets),
                  torch.full((buckets * second,), 0.1),
                  spread(1 / math.sqrt(second), second, 1).repeat(1, buckets), torch.zeros(buckets))
        self.parameters = {name: value.to(device).contiguous().requires_grad_()
                           for name, value in zip(NAMES, values, strict=True)}
        self.state = self.parameters
        inputs = {layer.name: len(self.parameters[f"{layer.name}_weights"]) for layer in LAYERS}
        self._limits = {layer.name: torch.tensor((layer.largest + 0.49) / layer.units(inputs[layer.name]),
                                                 dtype=torch.float32, device=device)[:, None] for layer in LAYERS}
        self.shape, self.unpack = shape, Unpacker(shape, device)
        self._dtype = torch.bfloat16 if precision == "bf16" else torch.float32

    def cells(self, batch: Batch, dtype: Any) -> Tensor:
        """[samples, hidden]: the pairwise products, first of the side to move, then of its opponent."""
        dense, samples = self.unpack.dense(batch, dtype), len(batch.scores)
        weights, biases = self.parameters["feature_weights"], self.parameters["feature_biases"]
        clamped = ((dense @ weights.to(dtype)).float() + biases).clamp(0, 1)
        left, right = clamped.chunk(2, 1)
        products = left * right
        return torch.cat((products[:samples], products[samples:]), 1)

    def _layer(self, name: str, inputs: Tensor, chosen: Tensor) -> Tensor:
        """[samples, width]: the sums of a layer in each sample's bucket."""
        buckets = self.shape.output_buckets
        sums = torch.addmm(self.parameters[f"{name}_biases"], inputs, self.parameters[f"{name}_weights"])
        sums = sums.view(len(inputs), buckets, -1)
        return sums.gather(1, chosen[:, None, None].expand(-1, 1, sums.shape[2])).squeeze(1)

    def sums(self, batch: Batch, dtype: Any) -> tuple[Tensor, Tensor, Tensor]:
        """(of the first layer, of the second, of the output): [samples, width] each."""
        chosen = batch.output_buckets
        first = self._layer("first", self.cells(batch, dtype), chosen)
        second = self._layer("second", torch.cat((first.clamp(0, 1), first.square().clamp(max=1)), 1), chosen)
        return first, second, self._layer("output", second.clamp(0, 1), chosen)

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view, in full precision."""
        with torch.no_grad():
            return self.sums(self.unpack(rows), torch.float32)[2].squeeze(1)

    def backward(self, rows: Tensor, objective: Objective) -> Tensor:
        """Set the gradient of the loss, and return the mean squared error to the targets."""
        for parameter in self.parameters.values():
            parameter.grad = None
        batch = self.unpack(rows)
        outputs = self.sums(batch, self._dtype)[2].squeeze(1)
        errors = torch.sigmoid(outputs) - objective.targets(batch.scores, batch.results)
        objective.loss(errors).backward()
        return errors.detach().square().mean()

    def clamp(self) -> None:
        """Clamp all weights to the range that the file can hold; biases never leave theirs."""
        with torch.no_grad():
            for name in ("feature_weights", "feature_biases"):
                self.parameters[name].clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
            for layer in LAYERS:
                self.parameters[f"{layer.name}_weights"].clamp_(-self._limits[layer.name], self._limits[layer.name])

    def by_bucket(self, layer: Layer) -> tuple[Any, Any]:
        """([buckets, width, inputs] weights, [buckets, width] biases) of a layer, as doubles in NumPy."""
        weights, biases = (self.parameters[f"{layer.name}_{what}"].detach().double().cpu().numpy()
                           for what in ("weights", "biases"))
        buckets = self.shape.output_buckets
        weights = weights.reshape(len(weights), buckets, -1).transpose(1, 2, 0)
        return np.ascontiguousarray(weights), biases.reshape(buckets, -1)

    def quantize(self, scale: float, provenance: dict[str, Any]) -> Network:
        """The quantized network, each number rounded on its own.

        First reorders the pairs of the model, which does not change its output.
        """
        self._arrange()
        weights, biases = (np.rint(self.parameters[name].detach().double().cpu().numpy() * QUANT_FEATURE)
                           for name in ("feature_weights", "feature_biases"))
        shifts = _shifts(weights).reshape(2, -1, PAIR_BLOCK).max(2).T  # [block, half]
        units = 2.0 ** np.repeat(shifts.T, PAIR_BLOCK, 1).reshape(-1)
        features = {"feature_weights": np.rint(weights / units).astype(np.int8),
                    "feature_biases": np.rint(biases / units).astype(np.int16), "pair_shifts": shifts.astype(np.uint8)}
        small: dict[str, Any] = {}
        for layer in LAYERS:
            small |= numbers_of(layer, *layer.quantize(*self.by_bucket(layer)))
        return Network(self.shape, **features, **small, scale=float(scale), provenance=provenance)

    def load_network(self, network: Network) -> None:
        """Set the parameters to those of a network of the same shape."""
        units = QUANT_FEATURE / 2.0 ** np.repeat(network.pair_shifts.T.astype(np.float64), PAIR_BLOCK, 1).reshape(-1)
        values = {name: getattr(network, name) / units for name in ("feature_weights", "feature_biases")}
        for layer in LAYERS:
            weights = getattr(network, f"{layer.name}_weights")
            weights = weights[:, None] if layer.name == "output" else weights  # [buckets, width, inputs]
            weights = weights / layer.units(weights.shape[-1])
            values[f"{layer.name}_weights"] = weights.transpose(2, 0, 1).reshape(weights.shape[-1], -1)
            biases = getattr(network, f"{layer.name}_biases").reshape(-1)
            values[f"{layer.name}_biases"] = biases / (layer.unit * layer.input_unit)
        fill(self.parameters, values)

    def _arrange(self) -> None:
        """Put pairs with large feature weights together, and the larger ones of a pair into the first half."""
        half = self.shape.hidden // 2
        found = _shifts(np.rint(self.parameters["feature_weights"].detach().double().cpu().numpy() * QUANT_FEATURE))
        left, right = found[:half], found[half:]
        order = np.lexsort((np.minimum(left, right), np.maximum(left, right)))
        first = np.where(left >= right, np.arange(half), np.arange(half) + half)[order]
        columns = np.concatenate((first, (first + half) % self.shape.hidden))
        inputs = np.concatenate((order, order + half))
        with torch.no_grad():
            for name, chosen in (("feature_weights", (slice(None), columns)), ("feature_biases", columns),
                                 ("first_weights", inputs)):
                parameter = self.parameters[name]
                parameter.copy_(parameter[chosen].clone())


def _shifts(weights: Any) -> Any:
    """[hidden]: the number of bits by which the rounded weights of each cell must be shifted down to fit a byte."""
    largest = np.maximum(np.abs(weights).max(0), 1)
    return np.ceil(np.log2(largest / LARGEST_BYTE_WEIGHT)).clip(0).astype(np.int64)


def numbers_of(layer: Layer, weights: Any, biases: Any) -> dict[str, Any]:
    """The weights and biases of a layer, [bucket, cell ...], by their names in a Network; the output is one cell."""
    if layer.name == "output":
        weights, biases = weights[:, 0], biases[:, 0]
    return {f"{layer.name}_weights": weights, f"{layer.name}_biases": biases}


class IntegerReference:
    """The quantized network, computed as the kernels compute it; doubles hold all its integers exactly.

    Accumulators must fit into 16 bits; scores are not clamped.
    """

    def __init__(self, network: Network, device: str) -> None:
        self._shape, self._scale = network.shape, network.scale
        arrays = {name: torch.from_numpy(np.array(getattr(network, name), np.float64)).to(device) for name in NAMES}
        self._features = arrays["feature_weights"], arrays["feature_biases"]
        shifts = np.repeat(network.pair_shifts.astype(np.int64), PAIR_BLOCK, 0)  # [pair, half]
        self._most = torch.from_numpy((QUANT_FEATURE >> shifts.T.reshape(-1)).astype(np.float64)).to(device)
        self._divisors = torch.from_numpy(2.0 ** (PAIR_BITS - shifts.sum(1))).to(device)
        self._first = arrays["first_weights"], arrays["first_biases"]
        self._second = arrays["second_weights"], arrays["second_biases"]
        self._output = arrays["output_weights"][:, None], arrays["output_biases"][:, None]

    def cells(self, dense: Tensor) -> Tensor:
        """[samples, hidden]: the inputs of the first layer."""
        weights, biases = self._features
        left, right = torch.minimum((dense.double() @ weights + biases).clamp_(min=0), self._most).chunk(2, 1)
        products = torch.floor(left * right / self._divisors)
        samples = len(products) // 2
        return torch.cat((products[:samples], products[samples:]), 1)

    def _sums(self, layer: tuple[Tensor, Tensor], inputs: Tensor, chosen: Tensor) -> Tensor:
        weights, biases = layer
        sums = torch.einsum("si,bwi->sbw", inputs, weights) + biases
        return sums.gather(1, chosen[:, None, None].expand(-1, 1, sums.shape[2])).squeeze(1)

    def after_first(self, cells: Tensor, chosen: Tensor) -> Tensor:
        """The inputs of the second layer."""
        sums = self._sums(self._first, cells, chosen)
        clamped = torch.floor(sums / QB).clamp_(0, QUANT_CELL)
        squared = torch.floor(sums.clamp(-QUANT_SUM, QUANT_SUM).square() / (1 << SQUARE_BITS))
        return torch.cat((clamped, squared), 1)

    def after_second(self, inputs: Tensor, chosen: Tensor) -> Tensor:
        """The inputs of the output."""
        return self._sums(self._second, inputs, chosen).clamp_(0, QUANT_SUM)

    def scores(self, batch: Batch, dense: Tensor) -> Tensor:
        """[samples]: centipawns from the side to move's view."""
        chosen = batch.output_buckets
        second = self.after_second(self.after_first(self.cells(dense), chosen), chosen)
        total = self._sums(self._output, second, chosen).squeeze(1)
        return torch.trunc(total * round(self._scale) / (QUANT_SUM * QUANT_OUTPUT))


def save_tensors(content: dict[str, Any], path: Path) -> None:
    """Write a file for `torch.load`; InputError if that fails. An incomplete file never replaces another."""
    try:
        with replacing(path) as file:
            torch.save(content, file)
    except RuntimeError as error:  # how torch reports an OSError
        raise InputError(f"cannot write {path}: {str(error).splitlines()[0]}") from error
