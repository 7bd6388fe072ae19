"""`tune network FILE...`: teach a network on files of training games."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.arena.replay import Filter, GameSource
from engine.commands.shared.arguments import (
    OutFile,
    Real,
    Whole,
    add_seed,
    folder,
    in_file,
    minutes,
    only_with,
    positive,
    text,
)
from engine.commands.shared.interruption import stopped_by_user
from engine.commands.shared.plots import plot_file, save_plot
from engine.commands.shared.progress import progress_bar
from engine.core.errors import InputError, quote
from engine.files import begins_with
from eval.network.data import Samples, expected
from eval.network.file import MAGIC, Shape, write_network
from eval.network.judge import Losses, by_men, features_shares, fitted_scale, losses_of, yardsticks

if TYPE_CHECKING:
    from eval.network.train import Report, Stage, Trainer

_CHECKPOINT_SECONDS = 60
_SEEDS_APART = 1000  # of the lessons, so that no position is drawn alike
_PATIENCE = 60.0  # seconds to judge and to write what was learned, after Ctrl-C
_RESERVE_SECONDS = 4.0  # to judge and to write, when time is limited
_JUDGINGS = 8  # as long as so many looks at the validation samples
_MILLION = 1_000_000

# Where the own king may stand, files a to d, from its first rank on; what lies beyond belongs to the last bucket.
_KING_BUCKETS = {1: ("0000",), 2: ("0000", "0000", "1111"), 4: ("0011", "2222", "3333"),
                 8: ("0012", "3344", "5555", "6666", "6666", "7777")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    defaults = Filter()
    add = parser.add_argument
    add("data", nargs="+", type=in_file, metavar="FILE", help="training games, from `selfplay`, also packed by xz")
    add("--out", type=OutFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
        help="where the network goes")
    add("--plot", type=plot_file, metavar="FILE.png", help="draw the course of the losses")
    add("--resume", action="store_true", help="go on where OUT.checkpoint was written")
    shape = parser.add_argument_group("the network")
    shape.add_argument("--hidden", type=positive, default=512, metavar="N", help="its width (default 512)")
    shape.add_argument("--output-buckets", type=Whole(1, 32), default=8, metavar="N", help="by piece count (default 8)")
    shape.add_argument("--king-buckets", type=int, default=1, choices=tuple(_KING_BUCKETS), help="(default 1)")
    shape.add_argument("--unmirrored", action="store_true", help="do not mirror by the king's wing")
    course = parser.add_argument_group("the course")
    course.add_argument("--epochs", type=positive, default=20, metavar="N", help="passes over the games (default 20)")
    course.add_argument("--minutes", type=minutes, metavar="X",
                        help="as many passes as fit into this, reading included")
    course.add_argument("--batch", type=positive, default=16_384, metavar="N", help="(default 16384)")
    course.add_argument("--rate", type=Real(0, 1, above=True), default=1e-3, metavar="X",
                        help="of learning, at first (default 0.001)")
    course.add_argument("--decay", type=Real(0, 1), default=0.01, metavar="X", help="of weights (default 0.01)")
    course.add_argument("--share", type=text, default="0.3", metavar="X[:Y]",
                        help="of the result in the target, from X at first to Y at last (default 0.3)")
    course.add_argument("--scale", type=Real(1, 10_000), metavar="CP",
                        help="for a logit of 1 (default: fitted to the results)")
    course.add_argument("--pretrain", type=LessonKind(), action="append", default=[], metavar="COUNT[:NODES[:EPOCHS]]",
                        help="first teach neighbours of the games' positions, labelled by the features' static "
                        "evaluation or, with NODES, by searches; may be given several times")
    course.add_argument("--pretrain-part", type=Real(0, 1, above=True), default=0.3, metavar="X",
                        help="of the minutes (default 0.3)")
    only_with(course.add_argument("--neighbours", type=folder, metavar="FOLDER", help="keep the labelled neighbours "
                                  "here, and use those that are there"), "--pretrain")
    course.add_argument("--games-rate", type=Real(0, 1, above=True), metavar="X",
                        help="of learning from the games, after neighbours (default: as --rate)")
    add_seed(parser, "the course")
    course.add_argument("--device", type=text, metavar="NAME",
                        help="torch's name for it (default: cuda where there is one)")
    course.add_argument("--precision", default="tf32", choices=("tf32", "bf16"), help="on a GPU (default tf32)")
    samples = parser.add_argument_group("the samples")
    for name, least, what in (("first_ply", 0, "plies of a game to leave out"), ("largest_score", 1, "centipawns"),
                              ("per_game", 1, "the most positions from one game, roughly"),
                              ("held_out", 2, "one game in this many is held out for validation")):
        value = getattr(defaults, name)
        samples.add_argument(f"--{name.replace('_', '-')}", type=Whole(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--few-men-share", type=Real(0, 1), default=defaults.few_men_share, metavar="X",
                         help=f"of positions with nine men or fewer, at most (default {defaults.few_men_share})")
    samples.add_argument("--shard", type=Real(0, 10_000, above=True), default=100, metavar="X",
                         help="million positions at a time in memory")


def run(arguments: argparse.Namespace) -> int:
    """Teach, print the losses, and return the exit status."""
    started = time.perf_counter()
    try:
        import torch
    except ImportError as error:
        raise InputError("tune network needs torch: pip install '.[train]', where the sources are") from error
    _check(arguments)
    device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    filter_by = Filter(arguments.first_ply, arguments.largest_score, arguments.per_game, arguments.held_out,
                       arguments.few_men_share, arguments.seed)
    source = GameSource(arguments.data, filter_by, shard_positions=int(arguments.shard * _MILLION), threads=threads,
                        complain=lambda line: print(f"error: {line}", file=sys.stderr))
    training = next(source.shards())
    scale = float(round(arguments.scale)) if arguments.scale else fitted_scale(training)
    _say(f"{source.first_games.positions} positions read, {len(training)} to learn from and {len(source.validation)} "
         f"to judge by{' in the first shard' if source.length > 1 else ''}; {scale:.0f} centipawns for a logit of 1; "
         f"on {device} after {time.perf_counter() - started:.1f} s")
    return _Session(arguments, source, scale, device, threads, started).run()


class _Lesson(NamedTuple):
    """A stage of pretraining: how many neighbours to look for, how they are labelled, and how often they are seen."""

    wanted: int
    nodes: int = 0
    epochs: int = 1


@dataclass(frozen=True)
class LessonKind:
    """A lesson as it is written on a command line."""

    def __call__(self, words: str) -> _Lesson:
        """The lesson; ArgumentTypeError if it is none."""
        try:
            lesson = _Lesson(*(int(part) for part in words.split(":")))
        except (TypeError, ValueError):
            raise argparse.ArgumentTypeError(f"{quote(words)} is not like 1000000 or 1000000:50:2") from None
        if lesson.wanted < 1 or lesson.nodes < 0 or lesson.epochs < 1:
            raise argparse.ArgumentTypeError(f"{quote(words)}: COUNT and EPOCHS are at least 1, NODES at least 0")
        return lesson


def _check(arguments: argparse.Namespace) -> None:
    if arguments.pretrain_part == 1:
        raise InputError("--pretrain-part must be below 1: the games need some of the minutes")
    if arguments.hidden < 64 or arguments.hidden % 64 or arguments.hidden > 2048:
        raise InputError(f"--hidden must be a multiple of 64 up to 2048, not {arguments.hidden}")
    _read_share(arguments.share)


def _read_share(words: str) -> tuple[float, float]:
    try:
        first, _, last = words.partition(":")
        pair = float(first), float(last or first)
    except ValueError as error:
        raise InputError(f"--share is X or X:Y, not {quote(words)}") from error
    if not all(0 <= share <= 1 for share in pair):
        raise InputError("--share must lie from 0 to 1")
    return pair


def king_buckets(count: int) -> tuple[int, ...]:
    """The bucket of each square, the same on both wings."""
    ranks = [_KING_BUCKETS[count][min(rank, len(_KING_BUCKETS[count]) - 1)] for rank in range(8)]
    return tuple(int(letter) for rank in ranks for letter in rank + rank[::-1])


def _say(line: str) -> None:
    print(line, flush=True)


class _Session:
    """One call of the command, after the first shard has been read."""

    def __init__(self, arguments: argparse.Namespace, source: GameSource, scale: float, device: str, threads: int,
                 started: float) -> None:
        from eval.network.train import Plan, Trainer

        self._arguments, self._source, self._scale = arguments, source, scale
        self._threads, self._started = threads, started
        shape = Shape(arguments.hidden, king_buckets(arguments.king_buckets), not arguments.unmirrored,
                      arguments.output_buckets)
        self._share = _read_share(arguments.share)
        plan = Plan(shape, scale, arguments.batch, arguments.rate, decay=arguments.decay, share=self._share,
                    seed=arguments.seed, precision=arguments.precision)
        self._trainer: Trainer = Trainer(plan, source.validation, device)
        self._checkpoint = arguments.out.with_name(arguments.out.name + ".checkpoint")

    def run(self) -> int:
        """Learn to the end, or until somebody stops it."""
        training, validation = next(self._source.shards()), self._source.validation
        if self._arguments.resume:
            self._trainer.load(self._checkpoint)
        sticks = yardsticks(training, validation, self._scale, self._share[1])
        _say("mean squared error against:        target    result     score")
        for name, losses in sticks.items():
            _say(f"{name:30s} {_figures(losses)}")
        with stopped_by_user(self._trainer.stop, _PATIENCE):
            self._learn(self._stages())
            self._finish(sticks["features"])
        return 0

    def _finish(self, features: Losses) -> None:
        """Write what was learned, also if it was stopped before the end."""
        if self._trainer.is_stopped:
            self._trainer.save(self._checkpoint)
            _say(f"stopped; go on with --resume, which reads {self._checkpoint}")
        if not self._trainer.course:
            return
        self._trainer.take_best()
        self._write(features)
        if self._arguments.plot is not None:
            _plot(self._trainer.course, features, self._arguments.plot)

    def _stages(self) -> list[Stage]:
        from eval.network.train import Stage

        arguments, stages = self._arguments, []
        lessons = [(lesson, self._neighbours(number, lesson))
                   for number, lesson in enumerate(arguments.pretrain, start=1)]
        seconds = math.inf
        if arguments.minutes is not None:
            begun = time.perf_counter()
            self._trainer.shares()
            now = time.perf_counter()
            reserve = _RESERVE_SECONDS + _JUDGINGS * (now - begun)
            seconds = max(60 * arguments.minutes - reserve - (now - self._started), 1.0)
        limited = arguments.minutes is not None
        for number, (lesson, found) in enumerate(lessons, start=1):
            stages.append(Stage(f"neighbours {number}", partial(_once, found),
                                math.inf if limited else lesson.epochs,
                                seconds * arguments.pretrain_part / len(lessons), has_results=False))
        seconds *= 1 - arguments.pretrain_part if lessons else 1
        stages.append(Stage("games", self._source.shards, math.inf if limited else arguments.epochs, seconds,
                            self._source.length, rate=arguments.games_rate))
        return stages

    def _neighbours(self, number: int, lesson: _Lesson) -> Any:
        """The samples of a lesson: those of an earlier call, if they were kept."""
        from engine.arena.neighbours import neighbours

        arguments, begun = self._arguments, time.perf_counter()
        seed = arguments.seed + _SEEDS_APART * (number - 1)
        kept = arguments.neighbours and arguments.neighbours / f"{lesson.wanted}-{lesson.nodes}-{seed}.npy"
        if kept and kept.exists():
            found = np.load(kept)
        else:
            found = neighbours(self._source.first_games, lesson.wanted, lesson.nodes, seed, self._threads,
                               arguments.largest_score)
            if kept:
                np.save(kept, found)
        _say(f"{len(found)} neighbours labelled in {time.perf_counter() - begun:.1f} s")
        if not len(found):
            raise InputError("--pretrain: no neighbours were found")
        return found

    def _learn(self, stages: list[Stage]) -> None:
        """Run the course, with a line for each report and a checkpoint now and then."""
        saved = time.perf_counter()
        with progress_bar(1.0, counts=False) as show:
            for report in self._trainer.run(stages):
                show(report.progress, report.stage)
                _say(_line(report))
                if time.perf_counter() - saved >= _CHECKPOINT_SECONDS:
                    self._trainer.save(self._checkpoint)
                    saved = time.perf_counter()

    def _write(self, features: Losses) -> None:
        """Quantise, judge the integers, and write the file."""
        arguments, trainer, validation = self._arguments, self._trainer, self._source.validation
        floats = trainer.shares()
        exact = losses_of(floats, validation, self._scale, self._share[1])
        last = trainer.course[-1]
        data = (f"{' '.join(path.name for path in arguments.data)}: {self._source.first_games.positions} positions"
                f"{' in the first shard' if self._source.length > 1 else ''}, "
                f"{last.samples} samples learned from, {last.epoch:.2f} epochs")
        provenance = {"command": _command_of(arguments), "data": data, "date": f"{datetime.now(UTC):%Y-%m-%d}",
                      "seed": arguments.seed,
                      "result": f"validation loss {exact.target:.6f} (features {features.target:.6f}), "
                                f"result {exact.result:.6f} ({features.result:.6f}), "
                                f"score {exact.score:.6f} ({features.score:.6f})"}
        network = trainer.model.quantised(self._scale, provenance)
        scores, mean, largest = trainer.check_integers(network)
        write_network(network, arguments.out)
        whole = losses_of(expected(scores, self._scale), validation, self._scale, self._share[1])
        _say(f"{'network, floats':30s} {_figures(exact)}")
        _say(f"{'network, integers':30s} {_figures(whole)}")
        _say(f"integers and floats differ by {mean:.2f} centipawns on average, by {largest:.0f} at most")
        training = next(self._source.shards())
        statics = features_shares(training, validation, self._scale, self._share[1])
        for group in by_men(floats, statics, validation, self._scale, self._share[1]):
            _say(f"{group.fewest:2d} to {group.most:2d} men ({group.share:6.1%}): network {group.network:.6f}, "
                 f"features {group.features:.6f}")
        _say(f"network in {arguments.out}, {arguments.out.stat().st_size} bytes, "
             f"after {time.perf_counter() - self._started:.1f} s")


def _figures(losses: Losses) -> str:
    return f"{losses.target:9.6f} {losses.result:9.6f} {losses.score:9.6f}"


def _line(report: Report) -> str:
    return (f"{report.stage} {report.epoch:7.2f} ({report.progress:6.1%}) training {report.training_loss:.6f} "
            f"validation {_figures(report.validation)} rate {report.rate:.1e} {report.speed / _MILLION:.2f} M/s "
            f"at {report.seconds:.0f} s")


def _command_of(arguments: argparse.Namespace) -> str:
    """What was asked for, as it could be typed again."""
    words = ["tune network", *(path.name for path in arguments.data)]
    for name, value in sorted(vars(arguments).items()):
        if name not in ("data", "out", "plot", "resume", "command", "what", "run") and value not in (None, False):
            words.append(f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}"))
    return " ".join(words)


def _plot(course: Sequence[Report], features: Losses, path: Path) -> None:
    places = [report.samples / _MILLION for report in course]
    ends = [places[0], places[-1]]
    save_plot(path, ("million samples", "mean squared error of the expected point"), {
        "training": (places, [report.training_loss for report in course]),
        "validation": (places, [report.validation.target for report in course]),
        "validation, results": (places, [report.validation.result for report in course]),
        "features": (ends, [features.target] * 2), "features, results": (ends, [features.result] * 2),
    }, title="How the network learned", dashed=("features", "features, results"))


def _once(samples: Samples) -> Iterator[Samples]:
    """A pass over samples that lie in one shard."""
    return iter((samples,))
