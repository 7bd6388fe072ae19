"""Training the network or its teacher: stages of samples, cosine decay of the learning rate, checkpoints.

The seed determines everything but the time: the same samples in the same shards give the same parameters on the same
device type, unless the training is limited by time. A teacher's convolutions on a GPU are the exception.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from engine.system.errors import InputError
from eval.network.file import Network
from eval.network.metrics import Losses, losses_of
from eval.network.model import IntegerReference, NetworkModel, Objective, Tensor, save_tensors, to_device
from eval.network.samples import Samples
from eval.training import cosine_decay, prefetch

_STEPS_PER_SYNC = 64  # steps that may be queued on the device
_VALIDATION_ROWS = 32_768
_CHECKPOINT_VERSION = 4


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of a training run."""

    scale: float  # centipawns for a logit of 1
    batch: int = 16_384
    rate: float = 1e-3
    warm_up: int = 200  # steps
    weight_decay: float = 0.01
    wdl_weight: tuple[float, float] = (0.3, 0.3)  # of the result in the target, at the start and at the end
    power: float = 2.0  # of the absolute error in the loss
    average: float = 0.0  # of the parameters over the steps: the weight of the past at each step; 0 for no average
    seed: int = 1
    report_seconds: float = 20.0
    run_id: str = ""  # identifies data and options: a checkpoint can only be resumed by the same run

    def wdl_weight_at(self, progress: float) -> float:
        """The weight of the result in the target at this progress of a stage, from 0 to 1."""
        first, last = self.wdl_weight
        return first + (last - first) * progress


@dataclass(frozen=True)
class TrainingStage:
    """The samples of one stage, and its length: `epochs` passes or `seconds`, whichever ends first.

    `shards` starts a pass. `length` is the approximate number of shards in a pass. Positions of a game resemble each
    other: with a `thinning` of n, a pass takes only two neighbouring samples of every 2 n, the next pass the next two.
    """

    name: str
    shards: Callable[[], Iterator[Samples]]
    epochs: float
    seconds: float = math.inf
    length: int = 1
    has_results: bool = True
    rate: float | None = None  # the learning rate at the start; None for that of the config
    thinning: int = 1


@dataclass(frozen=True)
class TrainingReport:
    """The progress and the losses of a training run."""

    stage: str
    epoch: float  # passes done
    progress: float  # of the stage
    samples: int  # trained on so far, in all stages
    seconds: float
    rate: float
    training_loss: float
    validation: Losses
    is_end_of_epoch: bool
    speed: float  # samples per second


@dataclass
class TrainingPosition:
    """The position in a training run, from which it can be resumed."""

    stage: int = 0
    epoch: int = 0
    shard: int = 0
    begin: int = 0  # in the shard's order
    fraction: float = 0.0  # of the shard
    step: int = 0  # of the stage
    samples: int = 0  # in all
    stage_seconds: float = 0.0
    seconds: float = 0.0


@dataclass
class _LossSum:
    """The training loss since the last report."""

    total: Tensor = 0.0
    steps: int = 0
    samples: int = 0
    since: float = field(default_factory=time.perf_counter)

    def add(self, loss: Tensor, samples: int) -> None:
        self.total, self.steps, self.samples = self.total + loss, self.steps + 1, self.samples + samples


class TrainableModel(Protocol):
    """A model that a Trainer can train."""

    shape: Any  # must equal that of a checkpoint
    parameters: dict[str, Tensor]  # updated by the optimizer
    state: dict[str, Tensor]  # the parameters and all other learned values

    def backward(self, rows: Tensor, objective: Objective) -> Tensor:
        """Set the gradient of the loss, and return the mean squared error to the targets."""

    def clamp(self) -> None:
        """Clamp the parameters to their range after a step."""

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view."""


class Trainer:
    """Trains a model and measures it on the validation set."""

    def __init__(self, config: TrainingConfig, model: TrainableModel, validation: Samples, device: str) -> None:
        self.config, self.model, self.device = config, model, device
        self.reports: list[TrainingReport] = []
        self.is_stopped = False
        # the report of the best epoch of the last stage, and the model's state then
        self.best: tuple[TrainingReport, dict[str, Tensor]] | None = None
        self._validation, self._validation_rows = validation, to_device(validation, device)
        self._optimizer = self._new_optimizer()
        self._position, self._sum = TrainingPosition(), _LossSum()
        self._resident: tuple[Samples | None, Tensor] = (None, None)
        self._average = self._copy_of_state() if config.average > 0 else {}  # empty without an average
        self._now = time.perf_counter()

    def _copy_of_state(self) -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in self.model.state.items()}

    def _new_optimizer(self) -> Any:
        return torch.optim.AdamW(self.model.parameters.values(), lr=self.config.rate,
                                 weight_decay=self.config.weight_decay, fused=self.device.startswith("cuda"))

    def _identity(self) -> str:
        """The shape and the config, which a checkpoint must share."""
        return f"{self.model.shape!r} {self.config!r}"

    def stop(self) -> None:
        """Stop the training after the current step; may be called from another thread."""
        self.is_stopped = True

    def run(self, stages: list[TrainingStage]) -> Iterator[TrainingReport]:
        """Train, yielding a report at intervals; after `stop` the run can be saved and resumed."""
        self._now, self._sum = time.perf_counter(), _LossSum()
        while self._position.stage < len(stages):
            is_last = self._position.stage == len(stages) - 1
            for report in self._run_stage(stages[self._position.stage]):
                self.reports.append(report)
                if is_last and report.is_end_of_epoch:
                    self._keep_best(report)
                yield report
            if self.is_stopped:
                return
            if is_last and self.reports:
                self._keep_best(self.reports[-1])  # training may end between epochs
            done = self._position
            self._position = TrainingPosition(stage=done.stage + 1, samples=done.samples, seconds=done.seconds)
            self._optimizer = self._new_optimizer()

    def _keep_best(self, report: TrainingReport) -> None:
        if self.best is None or report.validation.target < self.best[0].validation.target:
            with self._averaged():
                self.best = report, self._copy_of_state()

    def _update_average(self) -> None:
        """Move the average towards the parameters after a step; it begins with the plain mean of the first ones."""
        weight = max(1 - self.config.average, 1 / (self._position.step + 1))
        with torch.no_grad():
            for name, value in self._average.items():
                if value.is_floating_point():
                    value.lerp_(self.model.state[name], weight)
                else:
                    value.copy_(self.model.state[name])

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Give the model the averaged parameters for a while, if there are any."""
        if not self._average:
            yield
            return
        exact = self._copy_of_state()
        _restore(self.model, self._average)
        try:
            yield
        finally:
            _restore(self.model, exact)

    def _run_stage(self, stage: TrainingStage) -> Iterator[TrainingReport]:
        position = self._position
        while not self._is_done(stage):
            for number, samples in enumerate(prefetch(stage.shards())):
                if number < position.shard or not len(samples):
                    continue
                for _ in self._steps(stage, samples):
                    if self._now - self._sum.since >= self.config.report_seconds:
                        yield self._report(stage, is_end_of_epoch=False)
                if self.is_stopped or self._is_done(stage):
                    break
                position.shard, position.begin, position.fraction = number + 1, 0, 0.0
            if self.is_stopped:
                return
            if not self._is_done(stage):
                position.epoch, position.shard = position.epoch + 1, 0
            if self._sum.steps:
                yield self._report(stage, is_end_of_epoch=True)

    def _steps(self, stage: TrainingStage, samples: Samples) -> Iterator[None]:
        """Train on a shard, in an order determined by the seed; yields after each step."""
        position, config = self._position, self.config
        rows = self._on_device(samples)
        order = shuffled_order(len(rows), self.device, config.seed, position.stage, position.epoch, position.shard)
        if stage.thinning > 1:
            order = order[order // 2 % stage.thinning == position.epoch % stage.thinning]
        batch = max(min(config.batch, len(order)), 1)
        torch.set_float32_matmul_precision("high")
        while position.begin + batch <= len(order) and not self.is_stopped and not self._is_done(stage):
            progress = self._progress(stage)
            for group in self._optimizer.param_groups:
                group["lr"] = self._rate(stage, progress)
            wdl_weight = config.wdl_weight_at(progress) if stage.has_results else 0.0
            chosen = rows.index_select(0, order[position.begin : position.begin + batch])
            loss = self.model.backward(chosen, Objective(config.scale, wdl_weight, config.power))
            self._optimizer.step()
            self.model.clamp()
            if self._average:
                self._update_average()
            self._sum.add(loss, batch)
            position.begin += batch
            position.step += 1
            position.samples += batch
            position.fraction = position.begin / len(order)
            if position.step % _STEPS_PER_SYNC == 0:
                self._synchronize()
            self._update_clock()
            yield

    def _update_clock(self) -> None:
        """Add all time since the last call to the training time."""
        now = time.perf_counter()
        self._position.stage_seconds += now - self._now
        self._position.seconds += now - self._now
        self._now = now

    def _on_device(self, samples: Samples) -> Tensor:
        if self._resident[0] is not samples:
            self._resident = (None, None)  # frees the memory of the old samples first
            self._resident = samples, to_device(samples, self.device)
        return self._resident[1]

    def _synchronize(self) -> None:
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)

    def _progress(self, stage: TrainingStage) -> float:
        position = self._position
        epochs = position.epoch + min(1.0, (position.shard + position.fraction) / stage.length)
        return max(epochs / stage.epochs, position.stage_seconds / stage.seconds)

    def _is_done(self, stage: TrainingStage) -> bool:
        return self._progress(stage) >= 1

    def _rate(self, stage: TrainingStage, progress: float) -> float:
        warm_up = min(1.0, (self._position.step + 1) / self.config.warm_up)
        return (self.config.rate if stage.rate is None else stage.rate) * warm_up * cosine_decay(progress)

    def _report(self, stage: TrainingStage, *, is_end_of_epoch: bool) -> TrainingReport:
        losses_since, position = self._sum, self._position
        training_loss = float(losses_since.total) / losses_since.steps  # waits for the device
        speed = losses_since.samples / max(time.perf_counter() - losses_since.since, 1e-9)
        progress = self._progress(stage)
        with self._averaged():
            losses = losses_of(self.predictions(), self._validation, self.config.scale, self.config.wdl_weight[1])
        self._update_clock()
        self._sum = _LossSum()
        torch.set_float32_matmul_precision("high")
        return TrainingReport(stage.name, position.epoch + (position.shard + position.fraction) / stage.length,
                              min(progress, 1.0), position.samples, position.seconds, self._rate(stage, progress),
                              training_loss, losses, is_end_of_epoch, speed)

    def predictions(self) -> Any:
        """The model's expected results for the validation set, from 0 to 1, in full precision."""
        torch.set_float32_matmul_precision("highest")
        parts = [torch.sigmoid(self.model.logits(rows)) for rows in self._validation_rows.split(_VALIDATION_ROWS)]
        return torch.cat(parts).double().cpu().numpy()

    def take_best(self) -> None:
        """Restore the model of the best epoch of the last stage."""
        if self.best is not None:
            _restore(self.model, self.best[1])

    def save(self, path: Path) -> None:
        """Write a checkpoint; an incomplete one never replaces another."""
        content = {"version": _CHECKPOINT_VERSION, "identity": self._identity(), "position": asdict(self._position),
                   "parameters": self.model.state, "average": self._average, "optimizer": self._optimizer.state_dict(),
                   "reports": [asdict(report) for report in self.reports],
                   "best": None if self.best is None else (asdict(self.best[0]), self.best[1])}
        save_tensors(content, path)

    def load(self, path: Path) -> None:
        """Resume from a checkpoint; InputError if it is damaged or of a different run."""
        try:
            content = torch.load(path, map_location=self.device, weights_only=True)
            is_ours = content["version"] == _CHECKPOINT_VERSION and content["identity"] == self._identity()
        except Exception as error:  # a damaged file may raise anything
            raise InputError(f"cannot read the checkpoint {path}: it is damaged or not a checkpoint") from error
        if not is_ours:
            raise InputError(f"the checkpoint {path} was made with other settings, or by another version")
        self._position = TrainingPosition(**content["position"])
        _restore(self.model, content["parameters"])
        self._average = content["average"]
        self._optimizer.load_state_dict(content["optimizer"])
        self.reports = [_read_report(report) for report in content["reports"]]
        best = content["best"]
        self.best = None if best is None else (_read_report(best[0]), best[1])


def _read_report(values: dict[str, Any]) -> TrainingReport:
    return TrainingReport(**{**values, "validation": Losses(**values["validation"])})


def _restore(model: TrainableModel, state: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, value in state.items():
            model.state[name].copy_(value)


def check_integers(model: NetworkModel, network: Network, samples: Samples, device: str) -> tuple[Any, float, float]:
    """(integer scores of the samples, mean and largest difference from the model's floats), in centipawns."""
    torch.set_float32_matmul_precision("highest")
    layers, whole, exact = IntegerReference(network, device), [], []
    for rows in to_device(samples, device).split(_VALIDATION_ROWS):
        batch = model.unpack(rows)
        whole.append(layers.scores(batch, model.unpack.dense(batch, torch.float64)))
        exact.append(model.logits(rows).double() * network.scale)
    scores = torch.cat(whole)
    differences = (scores - torch.cat(exact)).abs()
    return scores.cpu().numpy(), float(differences.mean()), float(differences.max())


def shuffled_order(length: int, device: str, *seeds: int) -> Tensor:
    """A random order of `length` samples on a device, determined by the seeds."""
    words = np.random.SeedSequence(seeds).generate_state(2)
    generator = torch.Generator(device).manual_seed(int(words[0]) << 31 | int(words[1]) >> 1)
    return torch.randperm(length, generator=generator, device=device)
