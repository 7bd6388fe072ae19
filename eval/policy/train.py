"""Training the policy: epochs over shards of samples, with cosine decay of the learning rate.

The seed determines everything but the time: the same samples in the same shards give the same parameters on the same
device type with the same number of threads, unless the training is limited by time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from eval.policy.params import PolicyMetrics, Values
from eval.policy.samples import Choices
from eval.training import cosine_decay, prefetch

_WARM_UP = 200  # steps
_REPORT_SAMPLES = 20_000  # of the validation set, for reports; the final evaluation uses all


class PolicyModel(Protocol):
    """A policy in training, on the CPU or on a torch device."""

    def begin(self, samples: Choices, *seeds: int) -> None:
        """Train on these samples from now on, in an order determined by the seeds."""

    def learn(self, begin: int, end: int, rate: float) -> None:
        """Take one step down the gradient of the samples from `begin` to `end` in their order."""

    def take_loss(self) -> float:
        """The mean training loss, a cross-entropy, since the last call."""
        ...

    def evaluate(self, samples: Choices, values: Values | None = None) -> PolicyMetrics:
        """The metrics on samples of the current parameters, or of `values`."""
        ...

    def values(self) -> Values:
        """A copy of the current parameters."""
        ...


@dataclass(frozen=True)
class PolicyConfig:
    """The settings of a training run, which lasts `epochs` passes or `seconds`, whichever ends first."""

    epochs: float
    seconds: float = math.inf
    batch: int = 16_384
    rate: float = 1e-3
    seed: int = 1
    report_seconds: float = 20.0


@dataclass(frozen=True)
class PolicyReport:
    """The progress and the losses of a training run."""

    epoch: float  # passes done
    progress: float
    samples: int
    seconds: float
    rate: float
    training_loss: float
    validation: PolicyMetrics
    speed: float  # samples per second


class PolicyTrainer:
    """Trains a policy and measures it on the validation set."""

    def __init__(self, config: PolicyConfig, model: PolicyModel, validation: Choices) -> None:
        self.config, self.model = config, model
        self.is_stopped = False
        self.samples, self.epoch = 0, 0.0
        self._validation = validation
        self._report_samples = validation[:: max(1, len(validation) // _REPORT_SAMPLES)].copy()
        self._step, self._started, self._reported = 0, 0.0, 0.0
        self._samples_before = 0
        self.best: tuple[float, Values] | None = None  # the lowest validation loss, and its parameters

    def stop(self) -> None:
        """Stop the training after the current step; may be called from another thread."""
        self.is_stopped = True

    @property
    def progress(self) -> float:
        """From 0 at the start to 1 at the end."""
        return max(self.epoch / self.config.epochs, (time.perf_counter() - self._started) / self.config.seconds)

    @property
    def is_done(self) -> bool:
        """Whether the training has ended or was stopped."""
        return self.is_stopped or self.progress >= 1

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return self.config.rate * min(1.0, (self._step + 1) / _WARM_UP) * cosine_decay(self.progress)

    def run(self, shards: Callable[[], Iterator[Choices]], length: int) -> Iterator[PolicyReport]:
        """Train, yielding a report at intervals. `shards` starts a pass over about `length` shards."""
        self._started = self._reported = time.perf_counter()
        number = 0
        while not self.is_done:
            for shard, samples in enumerate(prefetch(shards())):
                if not len(samples):
                    continue
                for fraction in self._steps(samples, number, shard):
                    self.epoch = number + min(1.0, (shard + fraction) / length)
                    if self.is_done:
                        break
                    if time.perf_counter() - self._reported >= self.config.report_seconds:
                        yield self._report()
                if self.is_done:
                    break
            else:
                number += 1
                self.epoch = float(number)
        if self.samples > self._samples_before:
            yield self._report()

    def _steps(self, samples: Choices, epoch: int, shard: int) -> Iterator[float]:
        """Train on a shard; yields the fraction of it that is done, after each step."""
        self.model.begin(samples, self.config.seed, epoch, shard)
        batch = min(self.config.batch, len(samples))
        for begin in range(0, len(samples) - batch + 1, batch):
            self.model.learn(begin, begin + batch, self.rate)
            self._step += 1
            self.samples += batch
            yield (begin + batch) / len(samples)

    def _report(self) -> PolicyReport:
        training_loss = self.model.take_loss()  # waits for the device
        now = time.perf_counter()
        speed = (self.samples - self._samples_before) / max(now - self._reported, 1e-9)
        metrics = self.model.evaluate(self._report_samples)
        if self.best is None or metrics.entropy < self.best[0]:
            self.best = metrics.entropy, self.model.values()
        self._samples_before, self._reported = self.samples, time.perf_counter()
        return PolicyReport(self.epoch, min(self.progress, 1.0), self.samples, now - self._started, self.rate,
                            training_loss, metrics, speed)

    def evaluate(self, values: Values) -> PolicyMetrics:
        """The metrics of `values` on the whole validation set."""
        return self.model.evaluate(self._validation, values)
