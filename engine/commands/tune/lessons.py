"""What `tune network` and `tune teacher` have in common: the samples, the course, and how it is reported."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.arena.replay import Filter, GameSource
from engine.commands.shared.arguments import Real, Whole, add_seed, folder, in_file, minutes, only_with, positive, text
from engine.commands.shared.interruption import stopped_by_user
from engine.commands.shared.progress import progress_bar
from engine.commands.shared.provenance import command_of, names_of
from engine.core.errors import InputError, quote
from engine.host import usable_cores
from eval.network.data import Samples
from eval.network.judge import Losses, fitted_scale, yardsticks

if TYPE_CHECKING:
    from eval.network.train import Plan, Report, Stage, Trainer

MILLION = 1_000_000
BY_TEACHER = -1  # as the nodes of a lesson

_TEACHER = "teacher"
_CHECKPOINT_SECONDS = 60
_SEEDS_APART = 1000  # of the lessons, so that no position is drawn alike
_PATIENCE = 60.0  # seconds to judge and to write what was learned, after Ctrl-C
_RESERVE_SECONDS = 4.0  # to judge and to write, when time is limited
_JUDGINGS = 8  # as long as so many looks at the validation samples
_NOT_OF_THE_COURSE = {"data", "out", "plot", "resume", "command", "what"}


class Lesson(NamedTuple):
    """A stage of pretraining: how many neighbours to look for, how they are labelled, and how often they are seen."""

    wanted: int
    nodes: int = 0  # of a search; 0 for the features' static evaluation
    epochs: int = 1

    def __str__(self) -> str:
        return f"{self.wanted}:{_TEACHER if self.nodes == BY_TEACHER else self.nodes}:{self.epochs}"


@dataclass(frozen=True)
class LessonKind:
    """A lesson as it is written on a command line."""

    def __call__(self, words: str) -> Lesson:
        """The lesson; ArgumentTypeError if it is none."""
        parts = words.split(":")
        is_taught = parts[1:2] == [_TEACHER]
        try:
            lesson = Lesson(*(0 if part == _TEACHER else int(part) for part in parts))
        except (TypeError, ValueError):
            raise argparse.ArgumentTypeError(f"{quote(words)} is not like 1000000 or 1000000:50:2") from None
        if lesson.wanted < 1 or lesson.nodes < 0 or lesson.epochs < 1:
            raise argparse.ArgumentTypeError(f"{quote(words)}: COUNT and EPOCHS are at least 1, NODES at least 0")
        return lesson._replace(nodes=BY_TEACHER) if is_taught else lesson


def add_course(parser: argparse.ArgumentParser, epochs: int, batch: int) -> Any:
    """Declare what is learned from, and how; returns the group for the course."""
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games, from `selfplay`, also packed by xz")
    course = parser.add_argument_group("the course")
    add = course.add_argument
    add("--epochs", type=positive, default=epochs, metavar="N", help=f"passes over the games (default {epochs})")
    add("--minutes", type=minutes, metavar="X", help="as many passes as fit into this, reading included")
    add("--batch", type=positive, default=batch, metavar="N", help=f"(default {batch})")
    add("--rate", type=Real(0, 1, above=True), default=1e-3, metavar="X",
        help="of learning, at first (default 0.001)")
    add("--decay", type=Real(0, 1), default=0.01, metavar="X", help="of weights (default 0.01)")
    add("--share", type=text, default="0.3", metavar="X[:Y]",
        help="of the result in the target, from X at first to Y at last (default 0.3)")
    add("--scale", type=Real(1, 10_000), metavar="CP", help="for a logit of 1 (default: fitted to the results)")
    add("--pretrain", type=LessonKind(), action="append", default=[], metavar="COUNT[:NODES[:EPOCHS]]",
        help="first teach neighbours of the games' positions, labelled by the features' static evaluation or, with "
        "NODES, by searches; may be given several times")
    add("--pretrain-part", type=Real(0, 1, above=True), default=0.3, metavar="X", help="of the minutes (default 0.3)")
    only_with(add("--neighbours", type=folder, metavar="FOLDER", help="keep the labelled neighbours here, and use "
                  "those that are there"), "--pretrain")
    add("--games-rate", type=Real(0, 1, above=True), metavar="X",
        help="of learning from the games, after neighbours (default: as --rate)")
    add_seed(parser, "the course")
    add("--device", type=text, metavar="NAME", help="torch's name for it (default: cuda where there is one)")
    _add_samples(parser)
    return course


def _add_samples(parser: argparse.ArgumentParser) -> None:
    defaults = Filter()
    samples = parser.add_argument_group("the samples")
    for name, least, what in (("first_ply", 0, "plies of a game to leave out"), ("largest_score", 1, "centipawns"),
                              ("per_game", 1, "the most positions from one game, roughly"),
                              ("held_out", 2, "one game in this many is held out for validation")):
        value = getattr(defaults, name)
        samples.add_argument(f"--{name.replace('_', '-')}", type=Whole(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--few-men-share", type=Real(0, 1), default=defaults.few_men_share, metavar="X",
                         help=f"of positions with nine men or fewer, at most (default {defaults.few_men_share})")
    samples.add_argument("--decay-of-returns", type=Real(0, 1), default=defaults.decay, metavar="X",
                         help="take returns for scores: a score counts X times as much as the one before it in the "
                         f"game, down to the result (default {defaults.decay:g}: only a position's own score)")
    samples.add_argument("--shard", type=Real(0, 10_000, above=True), default=100, metavar="X",
                         help="million positions at a time in memory")


def say(line: str) -> None:
    """Print a line at once, also into a file."""
    print(line, flush=True)


def figures(losses: Losses) -> str:
    """The three losses, in columns."""
    return f"{losses.target:9.6f} {losses.result:9.6f} {losses.score:9.6f}"


def course_of(name: str, arguments: argparse.Namespace) -> str:
    """The command without what only says where things go."""
    return command_of(name, arguments, sorted(vars(arguments).keys() - _NOT_OF_THE_COURSE))


def _read_share(words: str) -> tuple[float, float]:
    try:
        first, _, last = words.partition(":")
        pair = float(first), float(last or first)
    except ValueError as error:
        raise InputError(f"--share is X or X:Y, not {quote(words)}") from error
    if not all(0 <= share <= 1 for share in pair):
        raise InputError("--share must lie from 0 to 1")
    return pair


def require_torch(command: str) -> Any:
    """The module torch; InputError if it is not installed."""
    try:
        import torch
    except ImportError as error:
        raise InputError(f"{command} needs torch: pip install '.[train]', where the sources are") from error
    return torch


class Lessons:
    """The samples of one call of a command, read, and the course through them."""

    def __init__(self, arguments: argparse.Namespace, command: str) -> None:
        """Read the first shard; InputError if something is wrong with the arguments or the files."""
        self.started = time.perf_counter()
        torch = require_torch(command)
        if arguments.pretrain_part == 1:
            raise InputError("--pretrain-part must be below 1: the games need some of the minutes")
        for lesson in arguments.pretrain:
            if lesson.nodes == BY_TEACHER and getattr(arguments, _TEACHER, None) is None:
                raise InputError(f"--pretrain {lesson}: which teacher? Name it by --teacher")
        self.arguments, self.share = arguments, _read_share(arguments.share)
        self.device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._threads = usable_cores()
        filter_by = Filter(arguments.first_ply, arguments.largest_score, arguments.per_game, arguments.held_out,
                           arguments.few_men_share, arguments.seed, arguments.decay_of_returns)
        self.source = GameSource(arguments.data, filter_by, shard_positions=int(arguments.shard * MILLION),
                                 threads=self._threads, complain=lambda line: print(f"error: {line}", file=sys.stderr))
        self.scale = float(round(arguments.scale)) if arguments.scale else fitted_scale(self.training)
        say(f"{self.source.first_games.positions} positions read, {len(self.training)} to learn from and "
            f"{len(self.validation)} to judge by{self._shard_note()}; {self.scale:.0f} centipawns for a logit of 1; "
            f"on {self.device} after {time.perf_counter() - self.started:.1f} s")
        self.checkpoint = arguments.out.with_name(arguments.out.name + ".checkpoint")

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

    def plan(self) -> Plan:
        """How the arguments say it is to be learned."""
        from eval.network.train import Plan

        arguments = self.arguments
        return Plan(self.scale, arguments.batch, arguments.rate, decay=arguments.decay, share=self.share,
                    seed=arguments.seed)

    def print_yardsticks(self) -> Losses:
        """Print how well simpler predictors do; returns the losses of the features."""
        sticks = yardsticks(self.training, self.validation, self.scale, self.share[1])
        say("mean squared error against:        target    result     score")
        for name, losses in sticks.items():
            say(f"{name:30s} {figures(losses)}")
        return sticks["features"]

    def stages(self, trainer: Trainer, label: Callable[[Samples], Samples] | None = None,
               games: Callable[[], Iterator[Samples]] | None = None) -> list[Stage]:
        """The stages of the course: neighbours, labelled by `label` where a lesson wants a teacher, then the games."""
        from eval.network.train import Stage

        arguments, stages = self.arguments, []
        lessons = [(lesson, self._neighbours(number, lesson, label))
                   for number, lesson in enumerate(arguments.pretrain, start=1)]
        seconds = self._seconds_left(trainer)
        limited = arguments.minutes is not None
        for number, (lesson, found) in enumerate(lessons, start=1):
            stages.append(Stage(f"neighbours {number}", partial(once, found), math.inf if limited else lesson.epochs,
                                seconds * arguments.pretrain_part / len(lessons), has_results=False))
        seconds *= 1 - arguments.pretrain_part if lessons else 1
        stages.append(Stage("games", games or self.source.shards, math.inf if limited else arguments.epochs, seconds,
                            self.source.length, rate=arguments.games_rate))
        return stages

    def _seconds_left(self, trainer: Trainer) -> float:
        if self.arguments.minutes is None:
            return math.inf
        begun = time.perf_counter()
        trainer.shares()
        now = time.perf_counter()
        reserve = _RESERVE_SECONDS + _JUDGINGS * (now - begun)
        return max(60 * float(self.arguments.minutes) - reserve - (now - self.started), 1.0)

    def _neighbours(self, number: int, lesson: Lesson, label: Callable[[Samples], Samples] | None) -> Samples:
        """The samples of a lesson: those of an earlier call, if they were kept."""
        begun, kept = time.perf_counter(), self._kept(number, lesson)
        if kept is not None and kept.exists():
            found: Samples = np.load(kept)
        else:
            found = self._labelled(self._seed_of(number), lesson, label)
            if kept is not None:
                np.save(kept, found)
        say(f"{len(found)} neighbours labelled in {time.perf_counter() - begun:.1f} s")
        if not len(found):
            raise InputError("--pretrain: no neighbours were found")
        return found

    def _seed_of(self, number: int) -> int:
        return int(self.arguments.seed) + _SEEDS_APART * (number - 1)

    def _kept(self, number: int, lesson: Lesson) -> Path | None:
        """The file that holds the samples of a lesson, or will."""
        if self.arguments.neighbours is None:
            return None
        labels = self.arguments.teacher.stem if lesson.nodes == BY_TEACHER else lesson.nodes
        return Path(self.arguments.neighbours, f"{lesson.wanted}-{labels}-{self._seed_of(number)}.npy")

    def _labelled(self, seed: int, lesson: Lesson, label: Callable[[Samples], Samples] | None) -> Samples:
        from engine.arena.neighbours import neighbours

        found = neighbours(self.source.first_games, lesson.wanted, max(lesson.nodes, 0), seed, self._threads,
                           self.arguments.largest_score)
        return found if label is None or lesson.nodes != BY_TEACHER else label(found)

    def learn(self, trainer: Trainer, make_stages: Callable[[], list[Stage]], finish: Callable[[], None]) -> None:
        """Take the course to its end or until somebody stops it, and finish with the best that was learned."""
        if self.arguments.resume:
            trainer.load(self.checkpoint)
        with stopped_by_user(trainer.stop, _PATIENCE):
            self._take_course(trainer, make_stages())
            if trainer.is_stopped:
                trainer.save(self.checkpoint)
                say(f"stopped; go on with --resume, which reads {self.checkpoint}")
            if trainer.course:
                trainer.take_best()
                finish()

    def _take_course(self, trainer: Trainer, stages: list[Stage]) -> None:
        """A line for each report, and a checkpoint now and then."""
        saved = time.perf_counter()
        with progress_bar(1.0, counts=False) as show:
            for report in trainer.run(stages):
                show(report.progress, report.stage)
                say(_line(report))
                if time.perf_counter() - saved >= _CHECKPOINT_SECONDS:
                    trainer.save(self.checkpoint)
                    saved = time.perf_counter()

    def data_used(self, last: Report) -> str:
        """What was learned from, in words."""
        return (f"{names_of(self.arguments.data)}: {self.source.first_games.positions} positions"
                f"{self._shard_note()}, {last.samples} samples learned from, {last.epoch:.2f} epochs")


def _line(report: Report) -> str:
    return (f"{report.stage} {report.epoch:7.2f} ({report.progress:6.1%}) training {report.training_loss:.6f} "
            f"validation {figures(report.validation)} rate {report.rate:.1e} {report.speed / MILLION:.2f} M/s "
            f"at {report.seconds:.0f} s")


def once(samples: Samples) -> Iterator[Samples]:
    """A pass over samples that lie in one shard."""
    return iter((samples,))
