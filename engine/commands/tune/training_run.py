"""A training run of `tune network` or `tune teacher`: reading samples, stages, checkpoints, and the device."""

from __future__ import annotations

import argparse
import math
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.arena.replay import SampleFilter, SampleSource
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.progress import progress_bar
from engine.commands.shared.provenance import names_of
from engine.commands.tune.arguments import command_line_of, read_wdl_weight
from engine.commands.tune.pretraining import Neighbours, PretrainStage, check_pretrain_stage
from engine.commands.tune.report import MILLION, loss_columns, print_now, report_line
from engine.system.errors import InputError, quote
from engine.system.extras import missing_extra
from engine.system.files import check_target
from engine.system.host import usable_cores
from eval.network.metrics import Losses, baseline_losses, fitted_scale
from eval.network.samples import Samples

if TYPE_CHECKING:
    from eval.network.train import Trainer, TrainingConfig, TrainingStage

PROCESSOR = "cpu"
_CHECKPOINT_SECONDS = 60
_PATIENCE = 60.0  # seconds to judge and to write what was learned, after Ctrl-C
_RESERVE_SECONDS = 4.0  # to judge and to write, when time is limited
_JUDGINGS = 8  # as long as so many looks at the validation samples
_MAY_CHANGE = {"minutes", "device", "neighbours"}  # when a course is resumed


def require_torch(what: str) -> Any:
    """The module torch; InputError if it is not installed, though `what` needs it."""
    try:
        import torch
    except ImportError as error:
        raise missing_extra(what, "train", "torch") from error
    return torch


def find_device(name: str | None) -> str:
    """The device of that name, or by default a GPU if there is one; InputError if torch has none of that name."""
    if name is None:
        return _best_device()
    if name == PROCESSOR:
        return name
    torch = require_torch("--device")
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"--device {quote(name)}: {str(error).splitlines()[0]}") from error
    return name


def _best_device() -> str:
    try:
        import torch
    except ImportError:
        return PROCESSOR
    return "cuda" if torch.cuda.is_available() else PROCESSOR


class TrainingRun:
    """The samples of one call of a command, read, and the course through them."""

    def __init__(self, arguments: argparse.Namespace, command: str) -> None:
        """Read the first shard; InputError if something is wrong with the arguments or the files."""
        self.started = time.perf_counter()
        if arguments.pretrain_part == 1:
            raise InputError("--pretrain-part must be below 1: the games need some of the minutes")
        for lesson in arguments.pretrain:
            check_pretrain_stage(lesson, arguments)
        self.arguments, self.share = arguments, read_wdl_weight(arguments.share)
        self.device = find_device(arguments.device)
        self.checkpoint = arguments.out.with_name(arguments.out.name + ".checkpoint")
        check_target(self.checkpoint, zipfile.is_zipfile, "checkpoint")
        if arguments.resume and not self.checkpoint.exists():
            raise InputError(f"there is no checkpoint {self.checkpoint} to go on from")
        sizes = [path.stat().st_size for path in arguments.data]
        self._course = f"{command_line_of(command, arguments, _MAY_CHANGE)} {sizes}"
        filter_by = SampleFilter(arguments.first_ply, arguments.largest_score, arguments.per_game, arguments.held_out,
                                 arguments.few_men_share, arguments.seed, arguments.decay_of_returns)
        self.source = SampleSource(arguments.data, filter_by, shard_positions=int(arguments.shard * MILLION),
                                   threads=usable_cores(), complain=lambda line: print(f"error: {line}",
                                                                                       file=sys.stderr))
        self.scale = float(round(arguments.scale)) if arguments.scale else fitted_scale(self.training)
        print_now(f"{self.source.first_games.positions} positions read, {len(self.training)} to learn from and "
                  f"{len(self.validation)} to judge by{self._shard_note()}; "
                  f"{self.scale:.0f} centipawns for a logit of 1; "
                  f"on {self.device} after {time.perf_counter() - self.started:.1f} s")

    @property
    def training(self) -> Samples:
        """The first shard of what is learned from."""
        return next(self.source.shards())

    @property
    def validation(self) -> Samples:
        """The samples to judge by."""
        return self.source.validation

    def _shard_note(self) -> str:
        return " in the first shard" if self.source.length > 1 else ""

    def plan(self) -> TrainingConfig:
        """How the arguments say it is to be learned."""
        from eval.network.train import TrainingConfig

        arguments = self.arguments
        return TrainingConfig(self.scale, arguments.batch, arguments.rate, decay=arguments.decay, wdl_weight=self.share,
                              power=arguments.loss_power, seed=arguments.seed, run_id=self._course)

    def print_baselines(self) -> Losses:
        """Print how well simpler predictors do; returns the losses of the features."""
        sticks = baseline_losses(self.training, self.validation, self.scale, self.share[1])
        print_now("mean squared error against:        target    result     score")
        for name, losses in sticks.items():
            print_now(f"{name:30s} {loss_columns(losses)}")
        return sticks["features"]

    def stages(self, trainer: Trainer, label: Callable[[Samples], Samples] | None = None,
               games: Callable[[], Iterator[Samples]] | None = None) -> list[TrainingStage]:
        """The stages of the course: neighbours, labelled by `label` where a lesson wants a teacher, then the games."""
        from eval.network.train import TrainingStage

        arguments, stages = self.arguments, []
        lessons = [(lesson, self._labelled(number, lesson, label))
                   for number, lesson in enumerate(arguments.pretrain, start=1)]
        seconds = self._seconds_left(trainer)
        limited = arguments.minutes is not None
        for number, (lesson, found) in enumerate(lessons, start=1):
            stages.append(TrainingStage(f"neighbours {number}", partial(single_shard, found),
                                        math.inf if limited else lesson.epochs,
                                        seconds * arguments.pretrain_part / len(lessons), has_results=False))
        seconds *= 1 - arguments.pretrain_part if lessons else 1
        stages.append(TrainingStage("games", games or self.source.shards, math.inf if limited else arguments.epochs,
                                    seconds,
                                    self.source.length, rate=arguments.games_rate, thinning=arguments.thin))
        return stages

    def _seconds_left(self, trainer: Trainer) -> float:
        if self.arguments.minutes is None:
            return math.inf
        begun = time.perf_counter()
        trainer.shares()
        now = time.perf_counter()
        reserve = _RESERVE_SECONDS + _JUDGINGS * (now - begun)
        return max(60 * float(self.arguments.minutes) - reserve - (now - self.started), 1.0)

    def _labelled(self, number: int, lesson: PretrainStage, label: Callable[[Samples], Samples] | None) -> Samples:
        begun = time.perf_counter()
        found = Neighbours(self.arguments, self.source, self.scale).labelled(number, lesson, label)
        print_now(f"{len(found)} neighbours labelled in {time.perf_counter() - begun:.1f} s")
        return found

    def train(self, trainer: Trainer, make_stages: Callable[[], list[TrainingStage]],
              finish: Callable[[], None]) -> None:
        """Take the course to its end or until somebody stops it, and finish with the best that was learned."""
        if self.arguments.resume:
            trainer.load(self.checkpoint)
        stages = make_stages()  # an interruption before anything has been learned need not be waited for
        with stop_on_interrupt(trainer.stop, _PATIENCE):
            self._run_stages(trainer, stages)
            if trainer.is_stopped:
                trainer.save(self.checkpoint)
                print_now(f"stopped; go on with --resume, which reads {self.checkpoint}")
            if trainer.reports:
                trainer.take_best()
                finish()

    def _run_stages(self, trainer: Trainer, stages: list[TrainingStage]) -> None:
        """A line for each report, and a checkpoint now and then."""
        saved = time.perf_counter()
        with progress_bar(1.0, counts=False) as show:
            for report in trainer.run(stages):
                show(report.progress, report.stage)
                print_now(report_line(report))
                if time.perf_counter() - saved >= _CHECKPOINT_SECONDS:
                    self._save(trainer)
                    saved = time.perf_counter()

    def _save(self, trainer: Trainer) -> None:
        """Write a checkpoint on the way; if that fails, there may be room for the network nevertheless."""
        try:
            trainer.save(self.checkpoint)
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)

    def data_used(self, trainer: Trainer) -> str:
        """What was learned from, in words."""
        last = trainer.reports[-1]
        best = f", the best after {trainer.best[0].epoch:.2f}" if trainer.best is not None else ""
        return (f"{names_of(self.arguments.data)}: {self.source.first_games.positions} positions"
                f"{self._shard_note()}, {last.samples} samples learned from, {last.epoch:.2f} epochs{best}")


def single_shard(samples: Samples) -> Iterator[Samples]:
    """A pass over samples that lie in one shard."""
    return iter((samples,))
