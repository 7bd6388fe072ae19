"""`tune policy FILE...`: teach a policy which moves the engine's own searches play, or judge one that was taught."""

from __future__ import annotations

import argparse
import math
import sys
import time
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from engine.arena.policy_samples import PolicySampleSource, held_out_positions, policy_agreement
from engine.arena.replay import SampleFilter
from engine.commands.shared.arguments import (
    FloatRange,
    IntRange,
    OutputFile,
    add_seed,
    conflicts_with,
    in_file,
    minutes,
    positive,
    text,
)
from engine.commands.shared.interruption import check_interruption, stop_on_interrupt
from engine.commands.shared.progress import progress_bar
from engine.commands.shared.provenance import command_of, names_of, today
from engine.commands.tune.training_run import PROCESSOR, find_device
from engine.system.errors import InputError
from engine.system.files import begins_with
from engine.system.host import usable_cores
from eval.policy.file import LARGEST_WIDTH, MAGIC, WIDTH_STEP, read_policy, write_policy
from eval.policy.memory import LoadedPolicy
from eval.policy.params import floats_of, quantised

if TYPE_CHECKING:
    from eval.policy.params import PolicyMetrics
    from eval.policy.train import PolicyModel, PolicyReport, PolicyTrainer

_MILLION = 1_000_000
_PATIENCE = 60.0  # seconds to judge and to write what was learned, after Ctrl-C
_RESERVE_SECONDS = 6.0  # to judge and to write, when time is limited
_TWO_SIGMA = 1.96  # 95 %
_OF_THE_COURSE = ("hidden", "epochs", "minutes", "batch", "rate", "decay", "seed", "first_ply", "per_game", "held_out",
                  "shard")
_ALL_SCORES = 40_000  # larger than any


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("data", nargs="+", type=in_file, metavar="FILE", help="training games, from `selfplay`, also packed by xz")
    add("--out", type=OutputFile("policy", begins_with(MAGIC)), metavar="FILE.policy", help="where the policy goes")
    conflicts_with(add("--judge", type=in_file, metavar="FILE.policy", help="teach nothing: judge this one"), "--out")
    course = parser.add_argument_group("the course")
    course.add_argument("--hidden", type=IntRange(WIDTH_STEP, LARGEST_WIDTH), default=128, metavar="N",
                        help="hidden cells (default 128)")
    course.add_argument("--epochs", type=positive, default=20, metavar="N", help="passes over the games (default 20)")
    course.add_argument("--minutes", type=minutes, metavar="X",
                        help="as many passes as fit into this, reading included")
    course.add_argument("--batch", type=positive, metavar="N",
                        help="(default 2048, or 16384 on a GPU)")
    course.add_argument("--rate", type=FloatRange(0, 1, above=True), default=1e-3, metavar="X",
                        help="of learning, at first (default 0.001)")
    course.add_argument("--decay", type=FloatRange(0, 1), default=0.01, metavar="X", help="of weights (default 0.01)")
    course.add_argument("--device", type=text, metavar="NAME",
                        help="torch's name for it (default: cuda where there is one, else cpu, without torch)")
    add_seed(parser, "the course")
    samples = parser.add_argument_group("the samples")
    for name, value, least, what in (("first_ply", 0, 0, "plies of a game to leave out"),
                                     ("per_game", 1000, 1, "the most positions from one game, roughly"),
                                     ("held_out", 50, 2, "one game in this many is held out for validation")):
        samples.add_argument(f"--{name.replace('_', '-')}", type=IntRange(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--shard", type=FloatRange(1 / _MILLION, 10_000), default=40, metavar="X",
                         help="million positions at a time in memory, 312 bytes each (default 40)")
    judging = parser.add_argument_group("the judgement")
    judging.add_argument("--positions", type=IntRange(0), default=2000, metavar="N",
                         help="of held-out games, each searched to see if the policy agrees (default 2000)")
    judging.add_argument("--nodes", type=positive, default=100_000, metavar="N", help="per search (default 100000)")


def run(arguments: argparse.Namespace) -> int:
    """Teach or judge, print how well the policy predicts moves, and return the exit status."""
    started = time.perf_counter()
    if arguments.out is None and arguments.judge is None:
        raise InputError("tune policy needs --out, to teach, or --judge")
    if arguments.hidden % WIDTH_STEP:
        raise InputError(f"--hidden must be a multiple of {WIDTH_STEP}, not {arguments.hidden}")
    policy = None if arguments.judge is None else read_policy(arguments.judge)
    device = find_device(arguments.device) if policy is None else PROCESSOR
    threads = usable_cores()
    filter_by = SampleFilter(arguments.first_ply, _ALL_SCORES, arguments.per_game, arguments.held_out,
                             seed=arguments.seed)
    source = PolicySampleSource(arguments.data, filter_by, shard_positions=int(arguments.shard * _MILLION),
                                threads=threads,
                                complain=lambda line: print(f"error: {line}", file=sys.stderr))
    if policy is None:
        _PolicyRun(arguments, source, device, started).run()
        policy = read_policy(arguments.out)
    _print_agreement(LoadedPolicy(policy), source, arguments, threads)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def _print_agreement(policy: LoadedPolicy, source: PolicySampleSource, arguments: argparse.Namespace,
                     threads: int) -> None:
    """Print how often searches play the policy's first choice."""
    if not arguments.positions:
        return
    positions = islice(held_out_positions(source, arguments.seed), arguments.positions)
    found: list[bool] = []
    with progress_bar(arguments.positions) as show:
        for agrees in policy_agreement(policy, positions, arguments.nodes, threads):
            found.append(agrees)
            show(len(found), "searches")
            check_interruption()
    if not found:
        raise InputError("there are no positions to search: the held-out games are too short")
    share = sum(found) / len(found)
    error = _TWO_SIGMA * math.sqrt(share * (1 - share) / len(found))
    _say(f"a search of {arguments.nodes} nodes plays the policy's first choice in {share:.1%} +- {error:.1%} of "
         f"{len(found)} positions of held-out games")


def _batch_for(device: str) -> int:
    """A GPU is fast with large batches only."""
    return 2048 if device == PROCESSOR else 16_384


def _learner(arguments: argparse.Namespace, device: str, threads: int) -> PolicyModel:
    if device == PROCESSOR:
        from eval.policy.train_cpu import CpuPolicyModel

        return CpuPolicyModel(arguments.hidden, arguments.seed, arguments.decay, threads)
    from eval.policy.train_torch import TorchPolicyModel

    return TorchPolicyModel(arguments.hidden, arguments.seed, arguments.decay, device)


class _PolicyRun:
    """One training."""

    def __init__(self, arguments: argparse.Namespace, source: PolicySampleSource, device: str, started: float) -> None:
        from eval.policy.train import PolicyConfig, PolicyTrainer

        self._arguments, self._source, self._started = arguments, source, started
        training = next(source.shards())
        _say(f"{source.first_games.positions} positions read, {len(training)} to learn from and "
             f"{len(source.validation)} to judge by{' in the first shard' if source.length > 1 else ''}; on {device} "
             f"after {time.perf_counter() - started:.1f} s")
        uniform = float(np.log(source.validation["count"]).mean())
        _say(f"cross-entropy of a blind guess {uniform:.4f}; one first choice in "
             f"{1 / float((1 / source.validation['count']).mean()):.1f} would be right")
        is_timed = arguments.minutes is not None
        seconds = math.inf
        if is_timed:
            seconds = max(60 * arguments.minutes - _RESERVE_SECONDS - (time.perf_counter() - started), 1.0)
        plan = PolicyConfig(math.inf if is_timed else arguments.epochs, seconds, arguments.batch or _batch_for(device),
                            arguments.rate, arguments.seed)
        self._trainer: PolicyTrainer = PolicyTrainer(plan, _learner(arguments, device, source.threads),
                                                     source.validation)

    def run(self) -> None:
        """Learn to the end, or until somebody stops it, and write the policy."""
        trainer, arguments = self._trainer, self._arguments
        last = None
        with stop_on_interrupt(trainer.stop, _PATIENCE), progress_bar(1.0, counts=False) as show:
            for report in trainer.run(self._source.shards, self._source.length):
                show(report.progress, "learning")
                _say(_line(report))
                last = report
            if last is None:
                raise InputError("stopped before anything was learned; no policy was written")
            assert trainer.best is not None
            values = trainer.best[1]
            exact = trainer.judge(values)
            data = (f"{names_of(arguments.data)}: {self._source.first_games.positions} positions"
                    f"{' in the first shard' if self._source.length > 1 else ''}, "
                    f"{last.samples} samples learned from, {last.epoch:.2f} epochs")
            policy = quantised(values, {
                "command": command_of("tune policy", arguments, _OF_THE_COURSE), "data": data, "date": today(),
                "seed": arguments.seed, "result": f"held-out games: {_words(exact)}"})
            write_policy(policy, arguments.out)
            _say(f"floats:   {_words(exact)}")
            _say(f"integers: {_words(trainer.judge(floats_of(policy)))}")
        _say(f"policy in {arguments.out}, {arguments.out.stat().st_size} bytes, after "
             f"{time.perf_counter() - self._started:.1f} s")


def _words(judgement: PolicyMetrics) -> str:
    return (f"cross-entropy {judgement.entropy:.4f}, first choice {judgement.top1:.2%}, "
            f"one of three {judgement.top3:.2%}")


def _line(report: PolicyReport) -> str:
    return (f"epoch {report.epoch:7.2f} ({report.progress:6.1%}) training {report.training_loss:.4f} validation "
            f"{_words(report.validation)}; rate {report.rate:.1e} {report.speed / _MILLION:.3f} M/s "
            f"at {report.seconds:.0f} s")
