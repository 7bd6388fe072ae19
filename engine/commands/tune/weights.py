"""`tune eval FILE...`: learn the weights of the evaluation from files of training games."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.arena.game_file import Games, read_games
from engine.arena.tuner_samples import labelled_samples, quiet_samples
from engine.commands.shared.arguments import FloatRange, OutputFile, add_seed, in_file, positive
from engine.commands.shared.interruption import stop_on_interrupt
from engine.commands.shared.plots import plot_file, save_plot
from engine.commands.shared.progress import track
from engine.commands.shared.provenance import today
from engine.system.errors import InputError
from engine.system.files import read_json
from engine.system.host import usable_cores
from eval.tuner.samples import Samples
from eval.tuner.wdl import fit_outcome
from eval.tuner.weights import Epoch, TuningConfig, WeightTuner, rounded_weights
from eval.wdl import WdlModel, described
from eval.weight_file import LARGEST_WEIGHT, read_weight_file
from eval.weights import WeightsRecord, load_weights, save_weights

_LABELLED = (".epd", ".fen")
_NOTHING_LEARNED = 1


def _is_weight_file(path: Path) -> bool:
    try:
        content = read_json(path)
    except InputError:
        return False
    return isinstance(content, dict) and "weights" in content


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    plan = TuningConfig()
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games, from `selfplay`; or .epd files, also packed, with the games' results")
    parser.add_argument("--out", type=OutputFile("file of weights", _is_weight_file), required=True,
                        metavar="FILE.json",
                        help="where the best weights go, after every epoch; for `match FILE.json default`")
    parser.add_argument("--start", type=in_file, metavar="FILE.json", help="begin with these weights, not the engine's")
    parser.add_argument("--epochs", type=positive, default=plan.epochs, metavar="N", help=f"(default {plan.epochs})")
    parser.add_argument("--rate", type=FloatRange(0, LARGEST_WEIGHT, above=True), default=plan.rate, metavar="CP",
                        help=f"the largest step of a weight at first (default {plan.rate})")
    parser.add_argument("--blend", type=FloatRange(0, 1), default=plan.blend, metavar="X",
                        help=f"share of the game's result in the target (default {plan.blend}), the rest is the score")
    parser.add_argument("--pull", type=FloatRange(0, 1), default=plan.regularization, metavar="X",
                        help=f"how strongly weights are held where they begin (default {plan.regularization})")
    add_seed(parser, "the order of the positions")
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help="draw the course of the losses")


def run(arguments: argparse.Namespace) -> int:
    """Learn, print the losses, and return the exit status."""
    start = load_weights(arguments.start)
    threads = usable_cores()
    samples = _samples(arguments.data, start, threads)
    plan = TuningConfig(epochs=arguments.epochs, rate=arguments.rate, blend=arguments.blend,
                        regularization=arguments.pull,
                        seed=arguments.seed, threads=threads)
    learner = WeightTuner(samples, start, plan)
    print(f"{len(samples)} quiet positions; a pawn more is worth {_winning_share(learner.steepness):.1%} of the point")
    outcome = _fitted_outcome(samples, arguments.start)
    with stop_on_interrupt(learner.stop):
        course = _learn(learner, plan, arguments, samples, outcome)
    if not course:
        return 0
    first, best = course[0], min(course, key=lambda epoch: epoch.validation_loss)
    if best is first:
        print(f"no epoch was better than the weights at the start: {arguments.out} is not written")
        return _NOTHING_LEARNED
    print(f"best after epoch {best.number}: validation loss {best.validation_loss:.6f}, "
          f"{100 * (best.validation_loss / first.validation_loss - 1):+.2f} %; weights in {arguments.out}")
    if arguments.plot is not None:
        _plot(course, arguments.plot)
    return 0


def _fitted_outcome(samples: Samples, start: Path | None) -> WdlModel:
    """What scores mean for the game; where the samples do not say it, what they meant with the weights at the start."""
    try:
        outcome, likelihood = fit_outcome(samples)
    except InputError as error:
        print(f"error: {error}; the chances of the game stay as they were", file=sys.stderr)
        return WdlModel(*read_weight_file(start).outcome)
    print(f"chances of the game: {described(outcome)}; mean negative log-likelihood {likelihood:.4f}")
    return outcome


def _samples(paths: Sequence[Path], start: WeightsRecord, threads: int) -> Samples:
    """What the files hold: training games, or positions that others labelled."""
    are_labelled = [any(suffix in _LABELLED for suffix in path.suffixes) for path in paths]
    if all(are_labelled):
        parts: list[Samples] = []
        for path in paths:
            first_game = int(parts[-1].rows["game"][-1]) + 1 if parts and len(parts[-1]) else 0
            parts.append(labelled_samples(path, start, first_game,
                                          lambda text: print(f"error: {text}", file=sys.stderr)))
        return Samples.join(parts)
    if any(are_labelled):
        raise InputError("training games and labelled positions cannot be mixed: only the games have searched scores")
    return quiet_samples(_blocks(paths), threads)


def _blocks(paths: Sequence[Path]) -> Iterator[Games]:
    for path in paths:
        yield from read_games(path)


def _winning_share(steepness: float) -> float:
    return 1 / (1 + math.exp(-100 * steepness))


def _learn(learner: WeightTuner, plan: TuningConfig, arguments: argparse.Namespace, samples: Samples,
           outcome: WdlModel) -> list[Epoch]:
    """Run all epochs; the file always holds the best weights so far."""
    course: list[Epoch] = []
    epochs = learner.run()
    for number in track(range(plan.epochs + 1), lambda number: f"epoch {number}"):
        epoch = next(epochs, None)
        if epoch is None:
            break
        print(f"epoch {number}: training loss {epoch.training_loss:.6f}, validation loss {epoch.validation_loss:.6f}",
              flush=True)
        if course and epoch.validation_loss < min(earlier.validation_loss for earlier in course):
            provenance = _provenance(course[0], epoch, arguments, samples)
            save_weights(rounded_weights(epoch), arguments.out, provenance, outcome)
        course.append(epoch)
    return course


def _provenance(first: Epoch, best: Epoch, arguments: argparse.Namespace, samples: Samples) -> str:
    """Where weights come from, in one line."""
    files = " ".join(path.name for path in arguments.data)
    return (f"tune eval {files} --epochs {arguments.epochs} --rate {arguments.rate} --blend {arguments.blend} "
            f"--pull {arguments.pull} --seed {arguments.seed}; {today()}; {len(samples)} quiet "
            f"positions; validation loss {first.validation_loss:.6f} -> {best.validation_loss:.6f} in epoch "
            f"{best.number}")


def _plot(course: Sequence[Epoch], path: Path) -> None:
    numbers = [epoch.number for epoch in course]
    save_plot(path, ("epoch", "mean squared error of the expected point"), {
        "training": (numbers, [epoch.training_loss for epoch in course]),
        "validation": (numbers, [epoch.validation_loss for epoch in course])}, title="How the weights learned")
