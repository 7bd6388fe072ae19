"""Training the policy: passes over shards of choices, with a learning rate that falls along a cosine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from eval.network.train import cosine, prefetched, shuffled
from eval.policy.file import Policy
from eval.policy.model import Model, Tensor, integer_scores, to_device
from eval.policy.samples import Choices

_WARM_UP = 200  # steps
_STEPS_A_SYNC = 32  # steps that may be waiting on the device
_JUDGED_ROWS = 8192  # at a time


@dataclass(frozen=True)
class Plan:
    """How to learn: for `epochs` passes or `seconds`, whichever ends first."""

    hidden: int
    epochs: float
    seconds: float = math.inf
    batch: int = 16_384
    rate: float = 1e-3
    decay: float = 0.01  # of weights
    seed: int = 1
    report_seconds: float = 20.0


@dataclass(frozen=True)
class Judgement:
    """How well choices are predicted."""

    entropy: float  # mean cross-entropy of the moves that were played
    first: float  # the share of positions where the first choice was played
    among_three: float  # the share where one of the first three was


@dataclass(frozen=True)
class Report:
    """How far the training has come."""

    epoch: float  # passes done
    progress: float
    samples: int
    seconds: float
    rate: float
    training_loss: float
    validation: Judgement
    speed: float  # samples a second


class Trainer:
    """A policy in training."""

    def __init__(self, plan: Plan, validation: Choices, device: str) -> None:
        self.plan, self.device = plan, device
        self.model = Model(plan.hidden, device, plan.seed)
        self.is_stopped = False
        self.samples, self.epoch = 0, 0.0
        self._validation = to_device(validation, device)
        self._optimizer = torch.optim.AdamW(self.model.parameters.values(), lr=plan.rate, weight_decay=plan.decay,
                                            fused=device.startswith("cuda"))
        self._step, self._started = 0, time.perf_counter()
        self._resident: tuple[Any, Tensor] = (None, None)
        self._summed: list[Tensor] = []

    def stop(self) -> None:
        """End the training after the current step; may be called from another thread."""
        self.is_stopped = True

    @property
    def progress(self) -> float:
        """From 0 at the start to 1 at the end."""
        return max(self.epoch / self.plan.epochs, (time.perf_counter() - self._started) / self.plan.seconds)

    def run(self, shards: Callable[[], Iterator[Choices]], length: int) -> Iterator[Report]:
        """Train, with a report now and then. `shards` begins a pass over roughly `length` shards."""
        self._started = reported = time.perf_counter()
        before = 0
        for number in range(math.ceil(min(self.plan.epochs, 1e9))):
            for shard, samples in enumerate(prefetched(shards())):
                for fraction in self._steps(samples, number, shard):
                    self.epoch = number + min(1.0, (shard + fraction) / length)
                    if time.perf_counter() - reported >= self.plan.report_seconds:
                        yield self._report(before, reported)
                        before, reported = self.samples, time.perf_counter()
                    if self.progress >= 1 or self.is_stopped:
                        break
                if self.progress >= 1 or self.is_stopped:
                    break
            if self.progress >= 1 or self.is_stopped:
                break
            self.epoch = number + 1.0
        if self._summed:
            yield self._report(before, reported)

    def _steps(self, samples: Choices, epoch: int, shard: int) -> Iterator[float]:
        """Learn from a shard, in an order determined by the seed; yields how much of it is done, after each step."""
        if self._resident[0] is not samples:
            self._resident = (None, None)  # first make room
            self._resident = samples, to_device(samples, self.device)
        rows = self._resident[1]
        batch = min(self.plan.batch, len(rows))
        order = shuffled(len(rows), self.device, self.plan.seed, epoch, shard)
        torch.set_float32_matmul_precision("high")
        for begin in range(0, len(rows) - batch + 1, batch):
            self._descend(rows.index_select(0, order[begin : begin + batch]))
            self.samples += batch
            yield (begin + batch) / len(rows)

    def _descend(self, rows: Tensor) -> None:
        """Take one step down the gradient."""
        for group in self._optimizer.param_groups:
            group["lr"] = self.rate
        self._optimizer.zero_grad(set_to_none=True)
        loss = self.model.loss(rows)
        loss.backward()
        self._optimizer.step()
        self.model.clamp()
        self._summed.append(loss.detach())
        self._step += 1
        if self._step % _STEPS_A_SYNC == 0 and self.device.startswith("cuda"):
            torch.cuda.synchronize()

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return self.plan.rate * min(1.0, (self._step + 1) / _WARM_UP) * cosine(self.progress)

    def _report(self, before: int, since: float) -> Report:
        training_loss = float(torch.stack(self._summed).mean())  # waits for the device
        speed = (self.samples - before) / max(time.perf_counter() - since, 1e-9)
        self._summed = []
        judgement = self.judge()
        torch.set_float32_matmul_precision("high")
        return Report(self.epoch, min(self.progress, 1.0), self.samples, time.perf_counter() - self._started, self.rate,
                      training_loss, judgement, speed)

    def judge(self, policy: Policy | None = None) -> Judgement:
        """How well the held-out choices are predicted, by the model in full precision or by the integers of a file."""
        torch.set_float32_matmul_precision("highest")
        sums = torch.zeros(3, dtype=torch.float64)
        with torch.no_grad():
            for rows in self._validation.split(_JUDGED_ROWS):
                batch = self.model.unpack(rows)
                sums += _sums(self.model.scores(batch) if policy is None else integer_scores(policy, batch))
        return Judgement(*(sums / len(self._validation)).tolist())

    def difference(self, policy: Policy) -> float:
        """The mean difference between the model's scores and those of the file, over the held-out choices."""
        torch.set_float32_matmul_precision("highest")
        total, count = 0.0, 0
        with torch.no_grad():
            for rows in self._validation.split(_JUDGED_ROWS):
                batch = self.model.unpack(rows)
                differences = (self.model.scores(batch).double() - integer_scores(policy, batch))[batch.is_move]
                total, count = total + float(differences.abs().sum()), count + len(differences)
        return total / count


def _sums(scores: Tensor) -> Tensor:
    """Over some samples: cross-entropy, first choices that were played, played among the first three."""
    entropy = scores.logsumexp(1) - scores[:, 0]
    better = (scores[:, 1:] >= scores[:, :1]).sum(1)  # a tie is no first choice
    return torch.stack((entropy.double().sum(), (better == 0).sum(), (better < 3).sum())).double().cpu()
