"""The teacher: a convolutional network, too slow to search with, that labels positions for the network.

It learns more from the same games than the network, since it recognises a pattern on every square once it has learned
it on one. It then labels as many positions as the network needs. It may add its output to that of a fixed network, and
so learn only the difference: then a few games are enough to surpass that network.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from engine.system.errors import InputError
from eval.network.file import Shape
from eval.network.model import NetworkModel, Objective, Tensor, save_tensors, to_device
from eval.network.samples import BOARD_BYTES, NO_PIECE_CODE, Samples, expected_result

_VERSION = 2
_SQUEEZE = 8  # channels of a block per channel of its gate
_HEAD_CHANNELS, _HEAD_WIDTH = 32, 128
_ROWS_AT_A_TIME = 16_384
_NEARLY_CERTAIN = 1e-6
_LARGEST_LABEL = 32_767  # of 16 bits


@dataclass(frozen=True)
class TeacherShape:
    """The size of a teacher."""

    blocks: int = 8
    channels: int = 128


class LabellingTeacher(ABC):
    """What labels samples: anything that evaluates them in batches."""

    def __init__(self, device: str, rows_at_a_time: int = _ROWS_AT_A_TIME) -> None:
        self._device, self._rows_at_a_time = device, rows_at_a_time

    @abstractmethod
    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view."""

    def calibrate(self, samples: Samples, expected: Any) -> None:  # noqa: B027  most teachers have nothing to do
        """Match the scale of the scores to `expected`, a student's expected results for the samples.

        Does nothing here: a teacher that was trained has learned the scale of its own training games.
        """

    def predictions(self, samples: Samples) -> Any:
        """The expected results of samples, from 0 to 1, as a NumPy array of float32."""
        results = torch.empty(len(samples), device=self._device)  # kept on the device, so that no batch is waited for
        for begin in range(0, len(samples), self._rows_at_a_time):
            rows = to_device(samples[begin : begin + self._rows_at_a_time], self._device)
            results[begin : begin + len(rows)] = torch.sigmoid(self.logits(rows))
        return results.cpu().numpy()

    def label(self, samples: Samples, scale: float, part: float = 1.0) -> Samples:
        """A copy of the samples with scores blended from the teacher's, weighted by `part`, and their own."""
        results = self.predictions(samples)
        if part < 1:
            results = part * results + (1 - part) * expected_result(samples["score"], scale)
        results = np.clip(results, _NEARLY_CERTAIN, 1 - _NEARLY_CERTAIN)
        labelled = samples.copy()
        scores = np.rint(scale * np.log(results / (1 - results)))
        labelled["score"] = np.clip(scores, -_LARGEST_LABEL, _LARGEST_LABEL)
        return labelled


class _ResidualBlock(nn.Module):  # type: ignore[misc]  # torch need not be installed where types are checked
    """Two convolutions with a skip connection; a gate weights each channel by its mean over the board."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(channels)
        self.squeeze = nn.Linear(channels, channels // _SQUEEZE)
        self.gate = nn.Linear(channels // _SQUEEZE, channels)

    def forward(self, boards: Tensor) -> Tensor:
        """[samples, channels, 8, 8], the same shape as the input."""
        inner = torch.relu(self.first_norm(self.first(boards)))
        inner = self.second_norm(self.second(inner))
        gates = torch.sigmoid(self.gate(torch.relu(self.squeeze(inner.mean((2, 3))))))
        return torch.relu(torch.addcmul(boards, inner, gates[:, :, None, None]))


class Teacher(LabellingTeacher):
    """The teacher's model, which evaluates packed samples."""

    def __init__(self, shape: TeacherShape, device: str, seed: int,
                 base: NetworkModel | None = None) -> None:
        """Start with random weights determined by `seed`; with `base`, which stays fixed, start with its output."""
        super().__init__(device)
        torch.manual_seed(seed)
        channels = shape.channels
        self.shape = shape
        self._net = nn.Sequential(
            nn.Conv2d(NO_PIECE_CODE, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            *(_ResidualBlock(channels) for _ in range(shape.blocks)),
            nn.Conv2d(channels, _HEAD_CHANNELS, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(64 * _HEAD_CHANNELS, _HEAD_WIDTH), nn.ReLU(), nn.Linear(_HEAD_WIDTH, 1),
        ).to(device, memory_format=torch.channels_last)
        self._base = base
        if base is not None:
            nn.init.zeros_(self._net[-1].weight)
            nn.init.zeros_(self._net[-1].bias)
        self.parameters = dict(self._net.named_parameters())
        self.state = self._net.state_dict(keep_vars=True)
        self._device_type = torch.device(device).type
        torch.backends.cudnn.benchmark = True  # batches are all of one size

    def _planes(self, rows: Tensor) -> Tensor:
        """[samples, 12, 8, 8]: 1 where a piece of that type stands; mirrored if the king is on files e to h."""
        packed = rows[:, :BOARD_BYTES]
        board = torch.stack((packed & 15, packed >> 4), dim=2).view(len(rows), 8, 8)
        is_mirrored = (rows[:, BOARD_BYTES + 6] >> 2 & 1).bool()[:, None, None]
        board = torch.where(is_mirrored, board.flip(2), board)
        codes = torch.arange(NO_PIECE_CODE, device=rows.device, dtype=torch.uint8)
        planes = (board[..., None] == codes).to(torch.bfloat16 if self._device_type == "cuda" else torch.float32)
        return planes.permute(0, 3, 1, 2)  # channels last, as they lie in memory

    def _forward(self, rows: Tensor) -> Tensor:
        with torch.autocast(self._device_type, torch.bfloat16, enabled=self._device_type == "cuda"):
            outputs = self._net(self._planes(rows))
        logits = outputs.float().squeeze(1)
        return logits if self._base is None else logits + self._base.logits(rows)

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view."""
        self._net.eval()
        with torch.inference_mode():
            return self._forward(rows)

    def backward(self, rows: Tensor, objective: Objective) -> Tensor:
        """Set the gradient of the loss, and return the mean squared error to the targets."""
        self._net.train()
        for parameter in self.parameters.values():
            parameter.grad = None
        scores = rows[:, BOARD_BYTES : BOARD_BYTES + 2].view(torch.int16).squeeze(1).float()
        results = (rows[:, BOARD_BYTES + 4].view(torch.int8).float() + 1) / 2
        errors = torch.sigmoid(self._forward(rows)) - objective.targets(scores, results)
        objective.loss(errors).backward()
        return errors.detach().square().mean()

    def clamp(self) -> None:
        """Do nothing: a teacher is never quantized, so its weights need no bounds."""

    def save(self, path: Path) -> None:
        """Write a file for `load_teacher`."""
        base = None if self._base is None else {"shape": asdict(self._base.shape), "state": self._base.state}
        save_tensors({"version": _VERSION, "shape": asdict(self.shape), "state": self._net.state_dict(),
                      "base": base}, path)

    def load(self, state: dict[str, Tensor]) -> None:
        """Set the parameters to those of another teacher of the same shape."""
        self._net.load_state_dict(state)


def _read_base(content: dict[str, Any] | None, device: str) -> NetworkModel | None:
    """The fixed network of a teacher, as `save` wrote it."""
    if content is None:
        return None
    base = NetworkModel(Shape(**content["shape"]), device, 0)
    with torch.no_grad():
        for name, value in content["state"].items():
            base.state[name].copy_(value)
    return base


def load_teacher(path: Path, device: str) -> Teacher:
    """The teacher in a file; InputError if the file is not a teacher."""
    try:
        content = torch.load(path, map_location=device, weights_only=True)
        is_ours = content["version"] == _VERSION
        teacher = Teacher(TeacherShape(**content["shape"]), device, 0, _read_base(content["base"], device))
        teacher.load(content["state"])
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"cannot read the teacher {path}: it is damaged or not a teacher") from error
    if not is_ours:
        raise InputError(f"the teacher {path} was made by another version")
    return teacher
