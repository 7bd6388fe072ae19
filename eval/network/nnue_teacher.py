"""Stockfish's network as a teacher: batches of samples get its static evaluation, on any device of torch.

All numbers are integers that floats hold exactly, so the results equal the engine's. The feature weights are float16 on
a GPU: they fit exactly, and sums that are rounded are beyond the range to which cells are clamped anyway.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from eval.network.model import Tensor
from eval.network.nnue import (
    FIRST,
    ONE,
    OUTPUT_BUCKETS,
    PLANES,
    SECOND,
    SKIP_UNIT,
    SQUARE_BITS,
    UNITS_PER_PAWN,
    WEIGHT_BITS,
    Nnue,
    read_nnue,
)
from eval.network.samples import BOARD_BYTES, NO_PIECE_CODE, Samples, expected_result
from eval.network.teacher import LabellingTeacher

_OWN_KING, _OTHER_KING = BOARD_BYTES + 6, BOARD_BYTES + 7  # bytes of a sample
_FLIP, _MIRROR = 56, 7  # what turns a square upside down, or left to right
_UNITS_PER_CENTIPAWN = UNITS_PER_PAWN / 100
_CPU_ROWS, _GPU_ROWS = 16_384, 65_536  # samples at a time
_PAIR_BITS = 7  # by which the product of a pair is shifted down
_STEPS, _CONVERGED = 100, 1e-9  # of the fit of the slope


_SQUARES = np.arange(64)
# [square]: the first feature of the bucket of a king there, as its own side sees it
_KING_OFFSETS = 64 * PLANES * (4 * (7 - (_SQUARES >> 3)) + np.minimum(_SQUARES & 7, 7 - (_SQUARES & 7)))


def _weights_with_biases(network: Nnue) -> Any:
    """[features, width]: the feature weights; those of the own king, of which there is exactly one, hold the biases."""
    weights = network.weights.astype(np.float32)
    squares = _SQUARES[_SQUARES & 7 >= 4]  # of a king, mirrored
    weights[_KING_OFFSETS[squares] + 64 * (PLANES - 1) + squares] += network.biases
    return weights


class NnueModel:
    """The static evaluation of a network, for batches of samples."""

    def __init__(self, network: Nnue, device: str) -> None:
        self._width = network.width
        dtype = torch.float16 if device.startswith("cuda") else torch.float32
        self._weights = torch.from_numpy(_weights_with_biases(network)).to(device, dtype)
        self._psqt = torch.from_numpy(network.psqt.astype(np.float32)).to(device)

        def stacked(name: str) -> Tensor:
            values = np.stack([getattr(stack, name) for stack in network.stacks])
            return torch.from_numpy(values.astype(np.float32)).to(device)

        self._first = stacked("first_weights").flatten(0, 1), stacked("first_biases").flatten()
        self._second = stacked("second_weights").flatten(0, 1), stacked("second_biases").flatten()
        self._output = stacked("output_weights"), stacked("output_bias")
        own = 64 * np.array([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 10])  # [code]: both kings share the last plane
        self._planes = torch.from_numpy(np.stack((own, np.roll(own, 6))).astype(np.int32)).to(device)
        self._king_offsets = torch.from_numpy(_KING_OFFSETS.astype(np.int32)).to(device)
        self._flips = torch.tensor([[0], [_FLIP]], dtype=torch.int32).to(device)

    def _features(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """([2, all pieces] features by perspective, [samples] where each sample's begin, [samples] piece counts)."""
        packed = rows[:, :BOARD_BYTES]
        board = torch.stack((packed & 15, packed >> 4), 2).view(-1, 64)
        is_piece = board != NO_PIECE_CODE
        sample, square = is_piece.nonzero(as_tuple=True)
        codes, counts = board[sample, square].long(), is_piece.sum(1)
        kings = torch.stack((rows[:, _OWN_KING], rows[:, _OTHER_KING] ^ _FLIP)).long()
        turns = torch.where(kings & 7 < 4, _MIRROR, 0).int() ^ self._flips  # the king is mirrored to files e to h
        features = (self._planes[:, codes] + self._king_offsets[kings][:, sample]
                    + (square.int() ^ turns[:, sample]))
        return features, counts.cumsum(0) - counts, counts

    def _cells(self, features: Tensor, starts: Tensor) -> Tensor:
        """[samples, width]: the pairwise products, first of the side to move, then of its opponent."""
        sums = functional.embedding_bag(features.flatten(), self._weights, starts, mode="sum")
        clamped = sums.clamp_(0, ONE).float()
        left, right = clamped.view(2, -1, 2, self._width // 2).unbind(2)
        products = (left * right).mul_(1 / (1 << _PAIR_BITS)).floor_()
        return products.transpose(0, 1).flatten(1)

    def _positional(self, cells: Tensor, chosen: Tensor) -> Tensor:
        """[samples]: what the stacks of layers make of the cells."""
        first = _layer(self._first, cells, chosen, FIRST)
        sums, skipping = first[:, :-1], first[:, -1]
        squared = (sums.double().square() / (1 << SQUARE_BITS)).floor().clamp(max=ONE).float()
        clamped = (sums / (1 << WEIGHT_BITS)).floor().clamp(0, ONE)
        second = _layer(self._second, torch.cat((squared, clamped), 1), chosen, SECOND)
        second = (second / (1 << WEIGHT_BITS)).floor().clamp_(0, ONE)
        weights, biases = self._output
        output = (second * weights[chosen]).sum(1) + biases[chosen]
        return output.long() + (skipping.long() * SKIP_UNIT).div(ONE << WEIGHT_BITS, rounding_mode="trunc")

    def units(self, rows: Tensor) -> Tensor:
        """[samples]: the evaluation of samples as rows of bytes, UNITS_PER_PAWN to a pawn, from the mover's view."""
        with torch.inference_mode():
            features, starts, counts = self._features(rows)
            both = torch.cat((starts, starts + features.shape[1])).int()
            chosen = (counts - 1).div(4, rounding_mode="floor")
            values = functional.embedding_bag(features.flatten(), self._psqt, both, mode="sum")
            own, other = values.view(2, -1, OUTPUT_BUCKETS).gather(2, chosen.expand(2, -1)[:, :, None]).squeeze(2)
            return ((own - other) / 2).trunc().long() + self._positional(self._cells(features, both), chosen)


def _layer(layer: tuple[Tensor, Tensor], inputs: Tensor, chosen: Tensor, width: int) -> Tensor:
    """[samples, width]: the sums of a layer in each sample's bucket."""
    sums = functional.linear(inputs, *layer).view(len(inputs), OUTPUT_BUCKETS, width)
    return sums.gather(1, chosen[:, None, None].expand(-1, 1, width)).squeeze(1)


class NnueTeacher(LabellingTeacher):
    """A teacher that is complete: only the scale of its scores has to be matched to the student's."""

    def __init__(self, network: Nnue, device: str) -> None:
        super().__init__(device, _GPU_ROWS if device.startswith("cuda") else _CPU_ROWS)
        self._model = NnueModel(network, device)
        self.centipawns_per_logit = 100.0

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view."""
        torch.set_float32_matmul_precision("highest")  # its integers need all bits
        return self._model.units(rows).float() / (_UNITS_PER_CENTIPAWN * self.centipawns_per_logit)

    def calibrate(self, samples: Samples, expected: Any) -> None:
        """Choose the scale with which the teacher is nearest to `expected`, the student's expected results."""
        predictions = self.predictions(samples).astype(np.float64).clip(1e-7, 1 - 1e-7)
        self.centipawns_per_logit /= fit_slope(np.log(predictions / (1 - predictions)), expected)


def fit_slope(logits: Any, expected: Any) -> float:
    """The factor by which `logits` predict the expected results best, by least squares (Gauss-Newton)."""
    slope = 1.0
    for _ in range(_STEPS):
        predictions = expected_result(slope * logits, 1.0)
        slopes = predictions * (1 - predictions) * logits
        step = float((slopes * (expected - predictions)).sum() / max(float((slopes * slopes).sum()), 1e-30))
        slope = min(max(slope + step, slope / 2), 2 * slope)
        if abs(step) < _CONVERGED:
            break
    return slope


def load_nnue_teacher(path: Path, device: str) -> NnueTeacher:
    """The teacher in Stockfish's network file; InputError if the file is anything else."""
    return NnueTeacher(read_nnue(path), device)
