"""Training the network or its teacher: stages of samples, a learning rate that falls along a cosine, checkpoints.

Everything but the time is determined by the seed: the same samples in the same shards give the same numbers on the same
kind of device, unless the training is limited by time. A teacher's convolutions on a GPU are the exception.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from engine.system.errors import InputError
from eval.network.file import Network
from eval.network.metrics import Losses, losses_of
from eval.network.model import Aim, IntegerReference, NetworkModel, Tensor, save_tensors, to_device
from eval.network.samples import Samples
from eval.training import cosine_decay, prefetched

_STEPS_A_SYNC = 64  # steps that may be waiting on the device
_VALIDATION_ROWS = 32_768
_CHECKPOINT_VERSION = 2


@dataclass(frozen=True)
class TrainingConfig:
    """How to learn."""

    scale: float  # centipawns for a logit of 1
    batch: int = 16_384
    rate: float = 1e-3
    warm_up: int = 200  # steps
    decay: float = 0.01  # of weights
    wdl_weight: tuple[float, float] = (0.3, 0.3)  # of the result in the target, at the start and at the end
    power: float = 2.0  # of the absolute error in the loss
    seed: int = 1
    report_seconds: float = 20.0
    run_id: str = ""  # what is learned from, and how often: a checkpoint is of use for the same course only

    def share_at(self, progress: float) -> float:
        """The share of the result in the target at some point of the training."""
        first, last = self.wdl_weight
        return first + (last - first) * progress


@dataclass(frozen=True)
class TrainingStage:
    """What to learn from, and for how long: `epochs` passes or `seconds`, whichever ends first.

    `shards` starts a pass. `length` is roughly the number of shards in a pass. Positions of a game resemble each other:
    with a `thinning` of n, a pass takes only two neighbouring samples of every 2 n, and the next pass the next two.
    """

    name: str
    shards: Callable[[], Iterator[Samples]]
    epochs: float
    seconds: float = math.inf
    length: int = 1
    has_results: bool = True
    rate: float | None = None  # the learning rate at the start; None for the plan's
    thinning: int = 1


@dataclass(frozen=True)
class TrainingReport:
    """How far the training has come."""

    stage: str
    epoch: float  # passes done
    progress: float  # of the stage
    samples: int  # learned from so far, in all stages
    seconds: float
    rate: float
    training_loss: float
    validation: Losses
    is_end_of_epoch: bool
    speed: float  # samples a second


@dataclass
class TrainingPosition:
    """Where the training is."""

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
class _Sum:
    """The training loss since the last report."""

    total: Tensor = 0.0
    steps: int = 0
    samples: int = 0
    since: float = field(default_factory=time.perf_counter)

    def add(self, loss: Tensor, samples: int) -> None:
        self.total, self.steps, self.samples = self.total + loss, self.steps + 1, self.samples + samples


class TrainableModel(Protocol):
    """What can be trained."""

    shape: Any  # what a checkpoint must agree with
    parameters: dict[str, Tensor]  # what the optimizer changes
    state: dict[str, Tensor]  # everything that was learned, the parameters included

    def backward(self, rows: Tensor, aim: Aim) -> Tensor:
        """Set the gradient of the loss, and return the mean squared error to the targets."""

    def clamp(self) -> None:
        """Bring the parameters back into their range after a step."""

    def logits(self, rows: Tensor) -> Tensor:
        """[samples]: the score divided by the scale, from the side to move's view."""


class Trainer:
    """A model in training."""

    def __init__(self, plan: TrainingConfig, model: TrainableModel, validation: Samples, device: str) -> None:
        self.plan, self.model, self.device = plan, model, device
        self.reports: list[TrainingReport] = []
        self.is_stopped = False
        # of the last stage's epochs, and what was learned
        self.best: tuple[TrainingReport, dict[str, Tensor]] | None = None
        self._validation, self._validation_rows = validation, to_device(validation, device)
        self._optimizer = self._new_optimizer()
        self._place, self._summed = TrainingPosition(), _Sum()
        self._resident: tuple[Samples | None, Tensor] = (None, None)
        self._now = time.perf_counter()

    def _new_optimizer(self) -> Any:
        return torch.optim.AdamW(self.model.parameters.values(), lr=self.plan.rate, weight_decay=self.plan.decay,
                                 fused=self.device.startswith("cuda"))

    def _settings(self) -> str:
        return f"{self.model.shape!r} {self.plan!r}"

    def stop(self) -> None:
        """End the training after the current step; may be called from another thread."""
        self.is_stopped = True

    def run(self, stages: list[TrainingStage]) -> Iterator[TrainingReport]:
        """Train, with a report now and then; if it ends early it can be saved and resumed."""
        self._now, self._summed = time.perf_counter(), _Sum()
        while self._place.stage < len(stages):
            is_last = self._place.stage == len(stages) - 1
            for report in self._run_stage(stages[self._place.stage]):
                self.reports.append(report)
                if is_last and report.is_end_of_epoch:
                    self._remember(report)
                yield report
            if self.is_stopped:
                return
            if is_last and self.reports:
                self._remember(self.reports[-1])  # training may end between epochs
            done = self._place
            self._place = TrainingPosition(stage=done.stage + 1, samples=done.samples, seconds=done.seconds)
            self._optimizer = self._new_optimizer()

    def _remember(self, report: TrainingReport) -> None:
        if self.best is None or report.validation.target < self.best[0].validation.target:
            self.best = report, {name: value.detach().clone() for name, value in self.model.state.items()}

    def _run_stage(self, stage: TrainingStage) -> Iterator[TrainingReport]:
        place = self._place
        while not self._is_done(stage):
            for number, samples in enumerate(prefetched(stage.shards())):
                if number < place.shard or not len(samples):
                    continue
                for _ in self._steps(stage, samples):
                    if self._now - self._summed.since >= self.plan.report_seconds:
                        yield self._report(stage, is_end_of_epoch=False)
                if self.is_stopped or self._is_done(stage):
                    break
                place.shard, place.begin, place.fraction = number + 1, 0, 0.0
            if self.is_stopped:
                return
            if not self._is_done(stage):
                place.epoch, place.shard = place.epoch + 1, 0
            if self._summed.steps:
                yield self._report(stage, is_end_of_epoch=True)

    def _steps(self, stage: TrainingStage, samples: Samples) -> Iterator[None]:
        """Learn from a shard, in an order determined by the seed; it may be left after each step."""
        place, plan = self._place, self.plan
        rows = self._on_device(samples)
        order = shuffled(len(rows), self.device, plan.seed, place.stage, place.epoch, place.shard)
        if stage.thinning > 1:
            order = order[order // 2 % stage.thinning == place.epoch % stage.thinning]
        batch = max(min(plan.batch, len(order)), 1)
        torch.set_float32_matmul_precision("high")
        while place.begin + batch <= len(order) and not self.is_stopped and not self._is_done(stage):
            progress = self._progress(stage)
            for group in self._optimizer.param_groups:
                group["lr"] = self._rate(stage, progress)
            share = plan.share_at(progress) if stage.has_results else 0.0
            chosen = rows.index_select(0, order[place.begin : place.begin + batch])
            loss = self.model.backward(chosen, Aim(plan.scale, share, plan.power))
            self._optimizer.step()
            self.model.clamp()
            self._summed.add(loss, batch)
            place.begin, place.step, place.samples = place.begin + batch, place.step + 1, place.samples + batch
            place.fraction = place.begin / len(order)
            if place.step % _STEPS_A_SYNC == 0:
                self._synchronize()
            self._take_time()
            yield

    def _take_time(self) -> None:
        """Count all time since the last step, whatever it was spent on."""
        now = time.perf_counter()
        self._place.stage_seconds += now - self._now
        self._place.seconds += now - self._now
        self._now = now

    def _on_device(self, samples: Samples) -> Tensor:
        if self._resident[0] is not samples:
            self._resident = (None, None)  # first make room
            self._resident = samples, to_device(samples, self.device)
        return self._resident[1]

    def _synchronize(self) -> None:
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)

    def _progress(self, stage: TrainingStage) -> float:
        place = self._place
        epochs = place.epoch + min(1.0, (place.shard + place.fraction) / stage.length)
        return max(epochs / stage.epochs, place.stage_seconds / stage.seconds)

    def _is_done(self, stage: TrainingStage) -> bool:
        return self._progress(stage) >= 1

    def _rate(self, stage: TrainingStage, progress: float) -> float:
        warmth = min(1.0, (self._place.step + 1) / self.plan.warm_up)
        return (self.plan.rate if stage.rate is None else stage.rate) * warmth * cosine_decay(progress)

    def _report(self, stage: TrainingStage, *, is_end_of_epoch: bool) -> TrainingReport:
        summed, place = self._summed, self._place
        training_loss = float(summed.total) / summed.steps  # waits for the device
        speed = summed.samples / max(time.perf_counter() - summed.since, 1e-9)
        progress = self._progress(stage)
        losses = losses_of(self.shares(), self._validation, self.plan.scale, self.plan.wdl_weight[1])
        self._take_time()
        self._summed = _Sum()
        torch.set_float32_matmul_precision("high")
        return TrainingReport(stage.name, place.epoch + (place.shard + place.fraction) / stage.length,
                              min(progress, 1.0),
                              place.samples, place.seconds, self._rate(stage, progress), training_loss, losses,
                              is_end_of_epoch,
                              speed)

    def shares(self) -> Any:
        """The model's predictions for the validation samples, as precise as it makes them."""
        torch.set_float32_matmul_precision("highest")
        parts = [torch.sigmoid(self.model.logits(rows)) for rows in self._validation_rows.split(_VALIDATION_ROWS)]
        return torch.cat(parts).double().cpu().numpy()

    def take_best(self) -> None:
        """Go back to the best epoch of the last stage."""
        if self.best is not None:
            _restore(self.model, self.best[1])

    def save(self, path: Path) -> None:
        """Write a checkpoint; an incomplete one never replaces another."""
        content = {"version": _CHECKPOINT_VERSION, "plan": self._settings(), "place": asdict(self._place),
                   "parameters": self.model.state, "optimizer": self._optimizer.state_dict(),
                   "course": [asdict(report) for report in self.reports],
                   "best": None if self.best is None else (asdict(self.best[0]), self.best[1])}
        save_tensors(content, path)

    def load(self, path: Path) -> None:
        """Resume from a checkpoint; InputError if it is damaged or from another plan."""
        try:
            content = torch.load(path, map_location=self.device, weights_only=True)
            is_ours = content["version"] == _CHECKPOINT_VERSION and content["plan"] == self._settings()
        except Exception as error:  # a damaged file may raise anything
            raise InputError(f"cannot read the checkpoint {path}: it is damaged or not a checkpoint") from error
        if not is_ours:
            raise InputError(f"the checkpoint {path} was made with other settings, or by another version")
        self._place = TrainingPosition(**content["place"])
        _restore(self.model, content["parameters"])
        self._optimizer.load_state_dict(content["optimizer"])
        self.reports = [_read_report(report) for report in content["course"]]
        best = content["best"]
        self.best = None if best is None else (_read_report(best[0]), best[1])


def _read_report(values: dict[str, Any]) -> TrainingReport:
    return TrainingReport(**{**values, "validation": Losses(**values["validation"])})


def _restore(model: TrainableModel, learned: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, value in learned.items():
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


def shuffled(length: int, device: str, *seeds: int) -> Tensor:
    """An order of `length` samples on a device, determined by the seeds."""
    words = np.random.SeedSequence(seeds).generate_state(2)
    generator = torch.Generator(device).manual_seed(int(words[0]) << 31 | int(words[1]) >> 1)
    return torch.randperm(length, generator=generator, device=device)
