"""Training the policy with torch, on a GPU: the gradient of the cross-entropy over the legal moves.

Both layers are products of whole matrices, although a position has few features and few legal moves: on a GPU that
takes a fraction of the time of picking rows one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from eval.network.train import shuffled_order
from eval.policy.encoding import from_to_targets
from eval.policy.file import DANGERS, FEATURES, FROM_TO_ROWS, PIECE_TO_ROWS, TRAITS
from eval.policy.params import MOVE_TABLES, PolicyMetrics, Values, largest_of
from eval.policy.samples import CHOICE, MOST_MOVES, NO_PIECE_CODE, Choices

Tensor = Any  # torch.Tensor; torch need not be installed where types are checked

_BOARD, _ATTACKED, _DEFENDED, _FROM_TO, _TRAITS, _DANGERS, _COUNT = (
    slice(0, 32), slice(32, 40), slice(40, 48), slice(48, 176), slice(176, 240), slice(240, 304), 304)
_STEPS_PER_SYNC = 32  # steps that may be queued on the device
_EVALUATED_ROWS = 8192  # at a time
_FIRST_TRAIT = FROM_TO_ROWS + PIECE_TO_ROWS


def to_device(samples: Choices, device: str) -> Tensor:
    """Samples as rows of bytes on the device."""
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(len(samples), CHOICE.itemsize)
    return torch.from_numpy(rows).to(device)


@dataclass
class PolicyBatch:
    """Unpacked samples; the move that was played is the first one of each."""

    features: Tensor  # [samples, FEATURES]: 1 where a feature is present
    rows: Tensor  # [samples, 4 * MOST_MOVES]: from-to, piece-to, trait, danger rows of the legal moves, in one table
    is_move: Tensor  # [samples, MOST_MOVES]: whether the entry is a legal move


class PolicyUnpacker:
    """Turns rows of bytes into batches, on one device."""

    def __init__(self, device: str) -> None:
        codes = torch.arange(16)
        self._bits = torch.arange(8, device=device, dtype=torch.uint8)
        self._squares = torch.arange(64, device=device)
        self._numbers = torch.arange(MOST_MOVES, device=device)
        self._targets = torch.from_numpy(from_to_targets()).to(device)
        self._offsets = torch.where(codes < NO_PIECE_CODE, codes * 64, FEATURES).to(device)  # empty squares come last

    def _flags(self, words: Tensor) -> Tensor:
        """[samples, 64] of 0 or 1."""
        return (words[:, :, None] >> self._bits & 1).view(len(words), 64).long()

    def __call__(self, rows: Tensor, dtype: Any = torch.float32) -> PolicyBatch:
        """The samples in `rows`."""
        packed = rows[:, _BOARD]
        board = torch.stack((packed & 15, packed >> 4), dim=2).view(len(rows), 64).long()
        index = self._offsets[board] + self._squares
        index += 12 * 64 * (2 * self._flags(rows[:, _ATTACKED]) + self._flags(rows[:, _DEFENDED]))
        features = torch.zeros(len(rows), FEATURES + 64, dtype=dtype, device=rows.device)
        features.scatter_(1, index, 1.0)
        return PolicyBatch(features[:, :FEATURES], self._move_rows(rows), self._numbers < rows[:, _COUNT, None])

    def _move_rows(self, rows: Tensor) -> Tensor:
        from_to = rows[:, _FROM_TO].contiguous().view(torch.int16).long()
        traits, dangers = rows[:, _TRAITS].long(), rows[:, _DANGERS].long()
        moved, good = traits // (TRAITS // 6), traits & 1
        piece_to = 64 * moved + self._targets[from_to]
        dangers = 2 * (27 * moved + dangers) + good
        return torch.cat((from_to, FROM_TO_ROWS + piece_to, _FIRST_TRAIT + traits, _FIRST_TRAIT + TRAITS + dangers), 1)


class TorchPolicyModel:
    """A policy in training on a torch device, from the values `start`."""

    def __init__(self, start: Values, decay: float, device: str) -> None:
        self._device, self._unpack = device, PolicyUnpacker(device)
        self._values = self._on_device(start)
        for value in self._values.values():
            value.requires_grad_()
        self._optimizer = torch.optim.AdamW(self._values.values(), weight_decay=decay,
                                            fused=device.startswith("cuda"))
        self._losses: list[Tensor] = []
        self._resident: dict[str, tuple[Any, Tensor]] = {}
        self._order: Tensor = None

    def _on_device(self, values: Values) -> dict[str, Tensor]:
        return {name: torch.from_numpy(value.copy()).to(self._device) for name, value in values.items()}

    def _rows(self, samples: Choices, purpose: str) -> Tensor:
        """Samples on the device; the last ones for each purpose stay there."""
        if self._resident.get(purpose, (None, None))[0] is not samples:
            self._resident.pop(purpose, None)  # frees the memory of the old samples first
            self._resident[purpose] = samples, to_device(samples, self._device)
        return self._resident[purpose][1]

    def begin(self, samples: Choices, *seeds: int) -> None:
        """Train on these samples from now on, in an order determined by the seeds."""
        self._order = shuffled_order(len(self._rows(samples, "learn")), self._device, *seeds)

    def learn(self, begin: int, end: int, rate: float) -> None:
        """Take one step down the gradient of the samples from `begin` to `end` in their order."""
        torch.set_float32_matmul_precision("high")
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        rows = self._resident["learn"][1].index_select(0, self._order[begin:end])
        self._optimizer.zero_grad(set_to_none=True)
        scores = move_scores(self._values, self._unpack(rows))
        loss = (scores.logsumexp(1) - scores[:, 0]).mean()
        loss.backward()
        self._optimizer.step()
        for name, value in self._values.items():
            value.data.clamp_(-largest_of(name), largest_of(name))
        self._losses.append(loss.detach())
        if len(self._losses) % _STEPS_PER_SYNC == 0 and self._device.startswith("cuda"):
            torch.cuda.synchronize()

    def take_loss(self) -> float:
        """The mean training loss, a cross-entropy, since the last call."""
        loss = float(torch.stack(self._losses).mean()) if self._losses else 0.0
        self._losses = []
        return loss

    def evaluate(self, samples: Choices, values: Values | None = None) -> PolicyMetrics:
        """The metrics on samples of the current parameters, or of `values`."""
        torch.set_float32_matmul_precision("highest")
        numbers = self._values if values is None else self._on_device(values)
        sums = torch.zeros(3, dtype=torch.float64)
        with torch.no_grad():
            for rows in self._rows(samples, "evaluate").split(_EVALUATED_ROWS):
                sums += _sums(move_scores(numbers, self._unpack(rows)))
        return PolicyMetrics(*(sums / len(samples)).tolist())

    def values(self) -> Values:
        """A copy of the current parameters."""
        return {name: value.detach().cpu().numpy().copy() for name, value in self._values.items()}


def move_scores(values: Mapping[str, Tensor], batch: PolicyBatch) -> Tensor:
    """[samples, MOST_MOVES]: the scores of the legal moves, minus infinity where there is none."""
    cells = torch.addmm(values["feature_biases"], batch.features, values["feature_weights"]).clamp(0, 1).square()
    table = torch.cat([values[name] for name in MOVE_TABLES])
    biases = torch.nn.functional.pad(values["trait_biases"], (_FIRST_TRAIT, DANGERS))
    sums = torch.addmm(biases, cells, table.t()).gather(1, batch.rows).view(len(cells), 4, MOST_MOVES).sum(1)
    return sums.masked_fill(~batch.is_move, -math.inf)


def _sums(scores: Tensor) -> Tensor:
    """The sums over samples of cross-entropy, top-1 and top-3 hits."""
    entropy = scores.logsumexp(1) - scores[:, 0]
    better = (scores[:, 1:] >= scores[:, :1]).sum(1)  # a tie does not count as a hit
    return torch.stack((entropy.double().sum(), (better == 0).sum(), (better < 3).sum())).double().cpu()
