"""A training run of `tune network` or `tune teacher`: reading samples, stages, checkpoints, and the device."""

from __future__ import annotations

import argparse
import math
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import print_warning
from engine.cli.progress import progress_bar
from engine.lab.arena.replay import SampleFilter, SampleSource
from engine.lab.provenance import names_of
from engine.lab.tune.arguments import command_line_of, parse_wdl_weight
from engine.lab.tune.pretraining import Neighbours, PretrainStage, check_pretrain_stage
from engine.lab.tune.report import MILLION, loss_columns, print_now, report_line
from engine.system.errors import InputError, quote
from engine.system.extras import missing_extra
from engine.system.files import check_target
from engine.system.host import usable_cores
from eval.network.metrics import Losses, baseline_losses, fit_result_scale
from eval.network.samples import Samples

if TYPE_CHECKING:
    from eval.network.train import Trainer, TrainingConfig, TrainingStage

CPU = "cpu"
_CHECKPOINT_SECONDS = 60
_GRACE_SECONDS = 60.0  # after Ctrl-C, to evaluate and write the network
_RESERVE_SECONDS = 4.0  # kept back from --minutes to write the network,
_RESERVE_VALIDATIONS = 8  # as well as the time of this many passes over the validation set
_MAY_CHANGE = {"minutes", "device", "neighbours"}  # when a run is resumed


def require_torch(what: str) -> Any:
    """Import torch; InputError, naming `what` as what needs it, if it is not installed."""
    try:
        import torch
    except ImportError as error:
        raise missing_extra(what, "train", "torch") from error
    return torch


def find_device(name: str | None) -> str:
    """The torch device of that name, by default a GPU if there is one; InputError if torch has no such device."""
    if name is None:
        return _best_device()
    if name == CPU:
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
        return CPU
    return "cuda" if torch.cuda.is_available() else CPU


class TrainingRun:
    """One training run: its samples, stages and checkpoints."""

    def __init__(self, arguments: argparse.Namespace, command: str) -> None:
        """Read the first shard; InputError if the arguments or the files are invalid."""
        self.started = time.perf_counter()
        if arguments.pretrain_share == 1:
            raise InputError("--pretrain-share must be below 1: the games need some of the minutes")
        for pretrain_stage in arguments.pretrain:
            check_pretrain_stage(pretrain_stage, arguments)
        self.arguments, self.wdl_weight = arguments, parse_wdl_weight(arguments.wdl_weight)
        self.device = find_device(arguments.device)
        self.checkpoint = arguments.out.with_name(arguments.out.name + ".checkpoint")
        check_target(self.checkpoint, zipfile.is_zipfile, "checkpoint")
        if arguments.resume and not self.checkpoint.exists():
            raise InputError(f"no checkpoint {self.checkpoint} to resume from")
        sizes = [path.stat().st_size for path in (*arguments.data, *arguments.window)]
        self._run_id = f"{command_line_of(command, arguments, _MAY_CHANGE)} {sizes}"
        filter_by = SampleFilter(arguments.first_ply, arguments.largest_score, arguments.per_game, arguments.held_out,
                                 arguments.few_pieces_share, arguments.seed, vars(arguments)["lambda"])
        self.source = SampleSource(arguments.data, filter_by, shard_positions=int(arguments.shard * MILLION),
                                   threads=usable_cores(), window=arguments.window, warn=print_warning)
        self.scale = float(round(arguments.scale)) if arguments.scale else fit_result_scale(self.training)
        print_now(f"{self.source.first_games.positions} positions read: {len(self.training)} for training, "
                  f"{len(self.validation)} for validation{self._shard_note()}; "
                  f"{self.scale:.0f} centipawns for a logit of 1; "
                  f"on {self.device} after {time.perf_counter() - self.started:.1f} s")

    @property
    def training(self) -> Samples:
        """The first shard of the training samples."""
        return next(self.source.shards())

    @property
    def validation(self) -> Samples:
        """The validation set: the samples of the held-out games."""
        return self.source.validation

    def _shard_note(self) -> str:
        return " in the first shard" if self.source.length > 1 else ""

    def config(self) -> TrainingConfig:
        """The training config that the arguments describe."""
        from eval.network.train import TrainingConfig

        arguments = self.arguments
        return TrainingConfig(self.scale, arguments.batch, arguments.learning_rate, weight_decay=arguments.weight_decay,
                              wdl_weight=self.wdl_weight, power=arguments.loss_power, average=arguments.average,
                              seed=arguments.seed, run_id=self._run_id)

    def print_baselines(self) -> Losses:
        """Print the losses of simpler predictors; returns those of the features."""
        baselines = baseline_losses(self.training, self.validation, self.scale, self.wdl_weight[1])
        print_now("mean squared error against:        target    result     score")
        for name, losses in baselines.items():
            print_now(f"{name:30s} {loss_columns(losses)}")
        return baselines["features"]

    def stages(self, trainer: Trainer, label: Callable[[Samples], Samples] | None = None,
               games: Callable[[], Iterator[Samples]] | None = None) -> list[TrainingStage]:
        """The stages of the run: pretraining on neighbours, labelled by `label` if by a teacher, then the games.

        `games` starts a pass over the games' samples, by default as they were read.
        """
        from eval.network.train import TrainingStage

        arguments, stages = self.arguments, []
        pretraining = [(stage, self._label_neighbours(number, stage, label))
                       for number, stage in enumerate(arguments.pretrain, start=1)]
        seconds = self._seconds_left(trainer)
        is_timed = arguments.minutes is not None
        for number, (stage, samples) in enumerate(pretraining, start=1):
            stages.append(TrainingStage(f"neighbours {number}", partial(single_shard, samples),
                                        math.inf if is_timed else stage.epochs,
                                        seconds * arguments.pretrain_share / len(pretraining), has_results=False))
        seconds *= 1 - arguments.pretrain_share if pretraining else 1
        stages.append(TrainingStage("games", games or self.source.shards, math.inf if is_timed else arguments.epochs,
                                    seconds, self.source.length, rate=arguments.games_learning_rate,
                                    thinning=arguments.thin))
        return stages

    def _seconds_left(self, trainer: Trainer) -> float:
        if self.arguments.minutes is None:
            return math.inf
        start = time.perf_counter()
        trainer.predictions()
        now = time.perf_counter()
        reserve = _RESERVE_SECONDS + _RESERVE_VALIDATIONS * (now - start)
        return max(60 * float(self.arguments.minutes) - reserve - (now - self.started), 1.0)

    def _label_neighbours(self, number: int, stage: PretrainStage,
                          label: Callable[[Samples], Samples] | None) -> Samples:
        start = time.perf_counter()
        samples = Neighbours(self.arguments, self.source, self.scale).labelled_samples(number, stage, label)
        print_now(f"{len(samples)} neighbours labelled in {time.perf_counter() - start:.1f} s")
        return samples

    def train(self, trainer: Trainer, make_stages: Callable[[], list[TrainingStage]],
              finish: Callable[[], None]) -> None:
        """Train until the last stage ends or the user interrupts, then call `finish` with the best parameters."""
        if self.arguments.resume:
            trainer.load(self.checkpoint)
        stages = make_stages()  # before the handler is installed: until then there is nothing to save
        with stop_on_interrupt(trainer.stop, _GRACE_SECONDS):
            self._run_stages(trainer, stages)
            if trainer.is_stopped:
                trainer.save(self.checkpoint)
                print_now(f"stopped; continue with --resume (reads {self.checkpoint})")
            if trainer.reports:
                trainer.take_best()
                finish()

    def _run_stages(self, trainer: Trainer, stages: list[TrainingStage]) -> None:
        """Print a line for each report, and write a checkpoint about once per minute."""
        saved = time.perf_counter()
        with progress_bar(1.0, counts=False) as show:
            for report in trainer.run(stages):
                show(report.progress, report.stage)
                print_now(report_line(report))
                if time.perf_counter() - saved >= _CHECKPOINT_SECONDS:
                    self._save(trainer)
                    saved = time.perf_counter()

    def _save(self, trainer: Trainer) -> None:
        """Write a checkpoint; if that fails, only warn, since there may still be room for the network."""
        try:
            trainer.save(self.checkpoint)
        except InputError as error:
            print_warning(str(error))

    def describe_data(self, trainer: Trainer) -> str:
        """The training data, for the provenance of the network."""
        last = trainer.reports[-1]
        best = f", the best after {trainer.best[0].epoch:.2f}" if trainer.best is not None else ""
        names = names_of([*self.arguments.data, *self.arguments.window])
        return (f"{names}: {self.source.first_games.positions} positions"
                f"{self._shard_note()}, {last.samples} samples learned from, {last.epoch:.2f} epochs{best}")


def single_shard(samples: Samples) -> Iterator[Samples]:
    """A pass over samples that form a single shard."""
    return iter((samples,))
