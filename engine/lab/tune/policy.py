"""`tune policy FILE...`: train a policy on the moves of training games or of people, or evaluate a trained one."""

from __future__ import annotations

import argparse
import math
import time
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from engine.cli.arguments import (
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
from engine.cli.interruption import check_interruption, stop_on_interrupt
from engine.cli.output import percent, print_warning
from engine.cli.progress import progress_bar
from engine.lab.arena.policy_samples import PolicySampleSource, held_out_positions, policy_agreement
from engine.lab.arena.replay import SampleFilter
from engine.lab.provenance import command_of, names_of, today
from engine.lab.tune.report import MILLION, print_now
from engine.lab.tune.training_run import CPU, find_device
from engine.system.errors import InputError
from engine.system.files import begins_with
from engine.system.host import usable_cores
from eval.policy.file import LARGEST_WIDTH, MAGIC, WIDTH_STEP, read_policy, write_policy
from eval.policy.memory import LoadedPolicy
from eval.policy.params import floats_of, initial_values, quantize_policy

if TYPE_CHECKING:
    from eval.policy.params import PolicyMetrics, Values
    from eval.policy.train import PolicyModel, PolicyReport, PolicyTrainer

_GRACE_SECONDS = 60.0  # after Ctrl-C, to evaluate and write the policy
_RESERVE_SECONDS = 6.0  # kept back from --minutes to evaluate and write the policy
_Z_95 = 1.96
_PROVENANCE_OPTIONS = ("start", "hidden", "epochs", "minutes", "batch", "learning_rate", "weight_decay", "seed",
                       "first_ply", "per_game", "held_out", "shard")
_ALL_SCORES = 40_000  # larger than any


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("data", nargs="+", type=in_file, metavar="FILE",
        help="training games from `selfplay`, or games in PGN, also compressed")
    add("--out", type=OutputFile("policy", begins_with(MAGIC)), metavar="FILE.policy", help="the trained policy")
    conflicts_with(add("--evaluate", type=in_file, metavar="FILE.policy",
                       help="train nothing: compare this policy with what searches play"), "--out")
    conflicts_with(add("--start", type=in_file, metavar="FILE.policy", help="start from this policy, of its width"),
                   "--hidden", "--evaluate")
    _add_training(parser)
    samples = parser.add_argument_group("samples")
    for name, value, least, what in (("first_ply", 0, 0, "plies of each game to skip"),
                                     ("per_game", 1000, 1, "at most about this many positions from one game"),
                                     ("held_out", 50, 2, "one game in this many is held out for validation")):
        samples.add_argument(f"--{name.replace('_', '-')}", type=IntRange(least), default=value, metavar="N",
                             help=f"{what} (default {value})")
    samples.add_argument("--shard", type=FloatRange(1 / MILLION, 10_000), default=40, metavar="X",
                         help="million positions in memory at a time, 312 bytes each (default 40)")
    evaluation = parser.add_argument_group("evaluation")
    evaluation.add_argument("--positions", type=IntRange(0), default=2000, metavar="N",
                            help="held-out positions to compare with searches (default 2000)")
    evaluation.add_argument("--nodes", type=positive, default=100_000, metavar="N",
                            help="nodes per search (default 100000)")


def _add_training(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("training").add_argument
    add("--hidden", type=IntRange(WIDTH_STEP, LARGEST_WIDTH), default=128, metavar="N",
        help="width of the hidden layer (default 128)")
    add("--epochs", type=positive, default=20, metavar="N", help="passes over the games (default 20)")
    add("--minutes", type=minutes, metavar="X", help="as many passes as fit into this time, reading included")
    add("--batch", type=positive, metavar="N", help="batch size (default 2048, or 16384 on a GPU)")
    add("--learning-rate", type=FloatRange(0, 1, above=True), default=1e-3, metavar="X",
        help="learning rate at the start (default 0.001)")
    add("--weight-decay", type=FloatRange(0, 1), default=0.01, metavar="X", help="weight decay (default 0.01)")
    add("--device", type=text, metavar="NAME",
        help="torch device (default: cuda if there is one, otherwise the CPU without torch)")
    add_seed(parser, "the training")


def run(arguments: argparse.Namespace) -> int:
    """Train or evaluate a policy, print how well it predicts moves, and return the exit status."""
    started = time.perf_counter()
    if arguments.out is None and arguments.evaluate is None:
        raise InputError("tune policy needs --out to train, or --evaluate")
    if arguments.hidden % WIDTH_STEP:
        raise InputError(f"--hidden must be a multiple of {WIDTH_STEP}, got {arguments.hidden}")
    policy = None if arguments.evaluate is None else read_policy(arguments.evaluate)
    device = find_device(arguments.device) if policy is None else CPU
    threads = usable_cores()
    filter_by = SampleFilter(arguments.first_ply, _ALL_SCORES, arguments.per_game, arguments.held_out,
                             seed=arguments.seed)
    source = PolicySampleSource(arguments.data, filter_by, shard_positions=int(arguments.shard * MILLION),
                                threads=threads, warn=print_warning)
    if policy is None:
        _PolicyRun(arguments, source, device, started).run()
        policy = read_policy(arguments.out)
    _print_agreement(LoadedPolicy(policy), source, arguments, threads)
    return 0


def _print_agreement(policy: LoadedPolicy, source: PolicySampleSource, arguments: argparse.Namespace,
                     threads: int) -> None:
    """Print how often searches of held-out positions play the policy's first choice."""
    if not arguments.positions:
        return
    positions = islice(held_out_positions(source, arguments.seed), arguments.positions)
    results: list[bool] = []
    with progress_bar(arguments.positions) as show:
        for agrees in policy_agreement(policy, positions, arguments.nodes, threads):
            results.append(agrees)
            show(len(results), "searches")
            check_interruption()
    if not results:
        raise InputError("no positions to search: the held-out games are too short")
    fraction = sum(results) / len(results)
    error = _Z_95 * math.sqrt(fraction * (1 - fraction) / len(results))
    print_now(f"a search of {arguments.nodes} nodes plays the policy's first choice in {percent(fraction)} "
              f"+- {percent(error)} of {len(results)} positions of held-out games")


def _default_batch(device: str) -> int:
    """The batch size for a device; a GPU is fast with large batches only."""
    return 2048 if device == CPU else 16_384


def _new_model(start: Values, weight_decay: float, device: str, threads: int) -> PolicyModel:
    if device == CPU:
        from eval.policy.train_cpu import CpuPolicyModel

        return CpuPolicyModel(start, weight_decay, threads)
    from eval.policy.train_torch import TorchPolicyModel

    return TorchPolicyModel(start, weight_decay, device)


class _PolicyRun:
    """One training run."""

    def __init__(self, arguments: argparse.Namespace, source: PolicySampleSource, device: str, started: float) -> None:
        from eval.policy.train import PolicyConfig, PolicyTrainer

        self._arguments, self._source, self._started = arguments, source, started
        self._start = None if arguments.start is None else read_policy(arguments.start)
        training = next(source.shards())
        print_now(f"{source.first_games.positions} positions read: {len(training)} for training, "
                  f"{len(source.validation)} for validation{' in the first shard' if source.length > 1 else ''}; "
                  f"on {device} after {time.perf_counter() - started:.1f} s")
        uniform = float(np.log(source.validation["count"]).mean())
        print_now(f"cross-entropy of a random guess {uniform:.4f}; one first choice in "
                  f"{1 / float((1 / source.validation['count']).mean()):.1f} would be right")
        is_timed = arguments.minutes is not None
        seconds = math.inf
        if is_timed:
            seconds = max(60 * arguments.minutes - _RESERVE_SECONDS - (time.perf_counter() - started), 1.0)
        config = PolicyConfig(math.inf if is_timed else arguments.epochs, seconds,
                              arguments.batch or _default_batch(device), arguments.learning_rate, arguments.seed)
        if self._start is not None:
            arguments.hidden = self._start.hidden
        start = floats_of(self._start) if self._start is not None else initial_values(arguments.hidden, arguments.seed)
        model = _new_model(start, arguments.weight_decay, device, source.threads)
        self._trainer: PolicyTrainer = PolicyTrainer(config, model, source.validation)

    def run(self) -> None:
        """Train until the end or until the user interrupts, and write the best policy."""
        trainer, arguments = self._trainer, self._arguments
        last = None
        with stop_on_interrupt(trainer.stop, _GRACE_SECONDS), progress_bar(1.0, counts=False) as show:
            for report in trainer.run(self._source.shards, self._source.length):
                show(report.progress, "training")
                print_now(_report_line(report))
                last = report
            if last is None:
                raise InputError("stopped before the first report; no policy was written")
            assert trainer.best is not None
            values = trainer.best[1]
            exact = trainer.evaluate(values)
            data = (f"{names_of(arguments.data)}: {self._source.first_games.positions} positions"
                    f"{' in the first shard' if self._source.length > 1 else ''}, "
                    f"{last.samples} samples learned from, {last.epoch:.2f} epochs")
            provenance = {
                "command": command_of("tune policy", arguments, _PROVENANCE_OPTIONS), "data": data, "date": today(),
                "seed": arguments.seed, "result": f"held-out games: {_format_metrics(exact)}"}
            if self._start is not None:
                provenance["start"] = self._start.provenance
            policy = quantize_policy(values, provenance)
            write_policy(policy, arguments.out)
            print_now(f"floats:   {_format_metrics(exact)}")
            print_now(f"integers: {_format_metrics(trainer.evaluate(floats_of(policy)))}")
        print_now(f"policy in {arguments.out}, {arguments.out.stat().st_size} bytes, after "
                  f"{time.perf_counter() - self._started:.1f} s")


def _format_metrics(metrics: PolicyMetrics) -> str:
    return f"cross-entropy {metrics.entropy:.4f}, top-1 {percent(metrics.top1, 2)}, top-3 {percent(metrics.top3, 2)}"


def _report_line(report: PolicyReport) -> str:
    return (f"epoch {report.epoch:7.2f} ({100 * report.progress:5.1f} %) training {report.training_loss:.4f} "
            f"validation {_format_metrics(report.validation)}; rate {report.rate:.1e} {report.speed / MILLION:.3f} M/s "
            f"at {report.seconds:.0f} s")
