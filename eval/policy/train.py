"""Training the policy: passes over shards of choices, with a learning rate that falls along a cosine.

Everything but the time is determined by the seed: the same samples in the same shards give the same numbers on the same
kind of device with as many threads, unless the training is limited by time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from eval.policy.params import PolicyMetrics, Values
from eval.policy.samples import Choices
from eval.training import cosine_decay, prefetched

_WARM_UP = 200  # steps
_GLANCE = 20_000  # held-out choices that a report looks at; the end looks at all


class PolicyModel(Protocol):
    """The policy's numbers in training, wherever that is."""

    def begin(self, samples: Choices, *seeds: int) -> None:
        """Learn from these samples, in an order determined by the seeds."""

    def learn(self, begin: int, end: int, rate: float) -> None:
        """Take one step down the gradient of the samples from `begin` to `end` in their order."""

    def take_loss(self) -> float:
        """The mean cross-entropy of what was learned since the last call."""
        ...

    def judge(self, samples: Choices, values: Values | None = None) -> PolicyMetrics:
        """How well samples are predicted by what was learned, or by other values."""
        ...

    def values(self) -> Values:
        """A copy of what was learned."""
        ...


@dataclass(frozen=True)
class PolicyConfig:
    """How to learn: for `epochs` passes or `seconds`, whichever ends first."""

    epochs: float
    seconds: float = math.inf
    batch: int = 16_384
    rate: float = 1e-3
    seed: int = 1
    report_seconds: float = 20.0


@dataclass(frozen=True)
class PolicyReport:
    """How far the training has come."""

    epoch: float  # passes done
    progress: float
    samples: int
    seconds: float
    rate: float
    training_loss: float
    validation: PolicyMetrics
    speed: float  # samples a second


class PolicyTrainer:
    """A policy in training."""

    def __init__(self, plan: PolicyConfig, learner: PolicyModel, validation: Choices) -> None:
        self.plan, self.learner = plan, learner
        self.is_stopped = False
        self.samples, self.epoch = 0, 0.0
        self._validation, self._glance = validation, validation[:: max(1, len(validation) // _GLANCE)].copy()
        self._step, self._started, self._reported = 0, 0.0, 0.0
        self._samples_before = 0
        self.best: tuple[float, Values] | None = None  # the lowest cross-entropy of a report, and what was learned then

    def stop(self) -> None:
        """End the training after the current step; may be called from another thread."""
        self.is_stopped = True

    @property
    def progress(self) -> float:
        """From 0 at the start to 1 at the end."""
        return max(self.epoch / self.plan.epochs, (time.perf_counter() - self._started) / self.plan.seconds)

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to be learned."""
        return self.is_stopped or self.progress >= 1

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return self.plan.rate * min(1.0, (self._step + 1) / _WARM_UP) * cosine_decay(self.progress)

    def run(self, shards: Callable[[], Iterator[Choices]], length: int) -> Iterator[PolicyReport]:
        """Train, with a report now and then. `shards` begins a pass over roughly `length` shards."""
        self._started = self._reported = time.perf_counter()
        number = 0
        while not self.is_done:
            for shard, samples in enumerate(prefetched(shards())):
                if not len(samples):
                    continue
                for fraction in self._steps(samples, number, shard):
                    self.epoch = number + min(1.0, (shard + fraction) / length)
                    if self.is_done:
                        break
                    if time.perf_counter() - self._reported >= self.plan.report_seconds:
                        yield self._report()
                if self.is_done:
                    break
            else:
                number += 1
                self.epoch = float(number)
        if self.samples > self._samples_before:
            yield self._report()

    def _steps(self, samples: Choices, epoch: int, shard: int) -> Iterator[float]:
        """Learn from a shard; yields how much of it is done, after each step."""
        self.learner.begin(samples, self.plan.seed, epoch, shard)
        batch = min(self.plan.batch, len(samples))
        for begin in range(0, len(samples) - batch + 1, batch):
            self.learner.learn(begin, begin + batch, self.rate)
            self._step += 1
            self.samples += batch
            yield (begin + batch) / len(samples)

    def _report(self) -> PolicyReport:
        training_loss = self.learner.take_loss()  # waits for the device
        now = time.perf_counter()
        speed = (self.samples - self._samples_before) / max(now - self._reported, 1e-9)
        judgement = self.learner.judge(self._glance)
        if self.best is None or judgement.entropy < self.best[0]:
            self.best = judgement.entropy, self.learner.values()
        self._samples_before, self._reported = self.samples, time.perf_counter()
        return PolicyReport(self.epoch, min(self.progress, 1.0), self.samples, now - self._started, self.rate,
                            training_loss,
                            judgement, speed)

    def judge(self, values: Values) -> PolicyMetrics:
        """How well all held-out choices are predicted."""
        return self.learner.judge(self._validation, values)
