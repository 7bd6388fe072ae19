"""The policy in floats, as torch trains it, and its integers as the kernels compute them.

Both layers are products of whole matrices, although a position has few features and few legal moves: on a GPU that
takes a fraction of the time of picking rows one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from eval.policy.encoding import path_targets
from eval.policy.file import DANGERS, FEATURES, PATHS, PLACES, QA, QB, TRAITS, Policy
from eval.policy.samples import CHOICE, MOST_MOVES, NOBODY, Choices

Tensor = Any  # torch.Tensor; torch need not be installed where types are checked

_LARGEST_WEIGHT = 127.49  # of an int8
_BOARD, _ATTACKED, _DEFENDED, _PATHS, _TRAITS, _DANGERS, _COUNT = (
    slice(0, 32), slice(32, 40), slice(40, 48), slice(48, 176), slice(176, 240), slice(240, 304), 304)
_MOVE_TABLES = {"path_weights": PATHS, "place_weights": PLACES, "trait_weights": TRAITS, "danger_weights": DANGERS}
_FIRST_TRAIT = PATHS + PLACES


def to_device(samples: Choices, device: str) -> Tensor:
    """Samples as rows of bytes on the device."""
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(len(samples), CHOICE.itemsize)
    return torch.from_numpy(rows).to(device)


@dataclass
class Batch:
    """Unpacked samples; the move that was played is the first one of each."""

    features: Tensor  # [samples, FEATURES]: 1 where a feature is present
    rows: Tensor  # [samples, 4 * MOST_MOVES]: paths, places, traits, dangers of the legal moves, in one table
    is_move: Tensor  # [samples, MOST_MOVES]: whether there are as many legal moves


class Unpacker:
    """Turns rows of bytes into batches, on one device."""

    def __init__(self, device: str) -> None:
        codes = torch.arange(16)
        self._bits = torch.arange(8, device=device, dtype=torch.uint8)
        self._squares = torch.arange(64, device=device)
        self._numbers = torch.arange(MOST_MOVES, device=device)
        self._targets = torch.from_numpy(path_targets()).to(device)
        self._offsets = torch.where(codes < NOBODY, codes * 64, FEATURES).to(device)  # empty squares come last

    def _flags(self, words: Tensor) -> Tensor:
        """[samples, 64] of 0 or 1."""
        return (words[:, :, None] >> self._bits & 1).view(len(words), 64).long()

    def __call__(self, rows: Tensor, dtype: Any = torch.float32) -> Batch:
        """The samples in `rows`."""
        packed = rows[:, _BOARD]
        board = torch.stack((packed & 15, packed >> 4), dim=2).view(len(rows), 64).long()
        index = self._offsets[board] + self._squares
        index += 12 * 64 * (2 * self._flags(rows[:, _ATTACKED]) + self._flags(rows[:, _DEFENDED]))
        features = torch.zeros(len(rows), FEATURES + 64, dtype=dtype, device=rows.device)
        features.scatter_(1, index, 1.0)
        return Batch(features[:, :FEATURES], self._move_rows(rows), self._numbers < rows[:, _COUNT, None])

    def _move_rows(self, rows: Tensor) -> Tensor:
        paths = rows[:, _PATHS].contiguous().view(torch.int16).long()
        traits, dangers = rows[:, _TRAITS].long(), rows[:, _DANGERS].long()
        moved, good = traits // (TRAITS // 6), traits & 1
        places = 64 * moved + self._targets[paths]
        dangers = 2 * (27 * moved + dangers) + good
        return torch.cat((paths, PATHS + places, _FIRST_TRAIT + traits, _FIRST_TRAIT + TRAITS + dangers), 1)


class Model:
    """The policy's numbers, with 1.0 where the file has QA or QB, and what they compute."""

    def __init__(self, hidden: int, device: str, seed: int) -> None:
        """Start with random numbers determined by `seed`, the same on every device."""
        generator = torch.Generator().manual_seed(seed)

        def spread(width: float, *size: int) -> Tensor:
            return (torch.rand(size, generator=generator) * 2 - 1) * width

        # All features of a man on a square begin alike, whatever threatens it.
        values = {"feature_weights": spread(0.1, FEATURES // 4, hidden).repeat(4, 1),
                  "feature_biases": torch.full((hidden,), 0.2),
                  **{name: spread(0.5 / math.sqrt(hidden), rows, hidden) for name, rows in _MOVE_TABLES.items()},
                  "trait_biases": torch.zeros(TRAITS)}
        self.parameters = {name: value.to(device).contiguous().requires_grad_() for name, value in values.items()}
        self.unpack = Unpacker(device)

    def scores(self, batch: Batch) -> Tensor:
        """[samples, MOST_MOVES]: the scores of the legal moves, and minus infinity elsewhere."""
        value = self.parameters
        cells = torch.addmm(value["feature_biases"], batch.features, value["feature_weights"]).clamp(0, 1).square()
        table = torch.cat([value[name] for name in _MOVE_TABLES])
        biases = torch.nn.functional.pad(value["trait_biases"], (_FIRST_TRAIT, DANGERS))
        return _gathered(torch.addmm(biases, cells, table.t()), batch)

    def loss(self, rows: Tensor) -> Tensor:
        """The mean cross-entropy of the moves that were played."""
        scores = self.scores(self.unpack(rows))
        return (scores.logsumexp(1) - scores[:, 0]).mean()

    def clamp(self) -> None:
        """Keep all weights within the range that the file can hold."""
        for name, one in (("feature_weights", QA), *((name, QB) for name in _MOVE_TABLES)):
            self.parameters[name].data.clamp_(-_LARGEST_WEIGHT / one, _LARGEST_WEIGHT / one)

    def quantised(self, provenance: dict[str, Any]) -> Policy:
        """The policy in integers, as the file holds it."""
        whole = {"feature_weights": (QA, np.int8), "feature_biases": (QA, np.int16),
                 **dict.fromkeys(_MOVE_TABLES, (QB, np.int8)), "trait_biases": (QA * QA * QB, np.int32)}
        arrays: dict[str, Any] = {
            name: np.rint(self.parameters[name].detach().cpu().double().numpy() * one).astype(code)
            for name, (one, code) in whole.items()}
        return Policy(**arrays, provenance=provenance)


def integer_scores(policy: Policy, batch: Batch) -> Tensor:
    """[samples, MOST_MOVES]: the scores by the file's integers, exactly as the kernels compute them."""
    def tensor(values: Any) -> Tensor:
        return torch.from_numpy(np.array(values)).to(batch.rows.device).double()

    # Doubles hold all of these integers exactly.
    cells = (batch.features.double() @ tensor(policy.feature_weights) + tensor(policy.feature_biases)).clamp(0, QA)
    table = tensor(np.concatenate([getattr(policy, name) for name in _MOVE_TABLES]))
    total = cells.square() @ table.t()
    total[:, _FIRST_TRAIT : _FIRST_TRAIT + TRAITS] += tensor(policy.trait_biases)
    return _gathered(total / (QA * QA * QB), batch)


def _gathered(scores: Tensor, batch: Batch) -> Tensor:
    """[samples, MOST_MOVES]: the sums of the four rows of each move, and minus infinity where there is no move."""
    sums = scores.gather(1, batch.rows).view(len(scores), 4, MOST_MOVES).sum(1)
    return sums.masked_fill(~batch.is_move, -math.inf)
