"""`tune weights FILE...`: tune the weights of the features on training games or labelled positions."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.cli.arguments import FloatRange, OutputFile, add_seed, in_file, positive
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import percent, print_warning
from engine.cli.plots import plot_file, save_plot
from engine.cli.progress import track
from engine.lab.arena.game_file import Games, read_games
from engine.lab.arena.tuner_samples import labelled_samples, quiet_samples
from engine.lab.provenance import today
from engine.system.errors import InputError
from engine.system.files import read_json
from engine.system.host import usable_cores
from eval.tuner.samples import Samples
from eval.tuner.wdl import fit_wdl_model
from eval.tuner.weights import Epoch, TuningConfig, WeightTuner, rounded_weights
from eval.wdl import WdlModel, format_wdl_model
from eval.weight_file import LARGEST_WEIGHT, read_weight_file
from eval.weights import WeightsRecord, load_weights, save_weights

_LABELLED = (".epd", ".fen")
_NO_IMPROVEMENT = 1


def _is_weight_file(path: Path) -> bool:
    try:
        content = read_json(path)
    except InputError:
        return False
    return isinstance(content, dict) and "weights" in content


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    defaults = TuningConfig()
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games from `selfplay`, or .epd files, also compressed, with the games' results")
    parser.add_argument("--out", type=OutputFile("weight file", _is_weight_file), required=True,
                        metavar="FILE.json",
                        help="the best weights, written after every epoch; for `match FILE.json default`")
    parser.add_argument("--start", type=in_file, metavar="FILE.json",
                        help="start from these weights (default: the engine's own)")
    parser.add_argument("--epochs", type=positive, default=defaults.epochs, metavar="N",
                        help=f"passes over the data (default {defaults.epochs})")
    parser.add_argument("--learning-rate", type=FloatRange(0, LARGEST_WEIGHT, above=True), default=defaults.rate,
                        metavar="CP", help=f"largest step of a weight at the start (default {defaults.rate})")
    parser.add_argument("--wdl-weight", type=FloatRange(0, 1), default=defaults.blend, metavar="X",
                        help="weight of the game result in the target; the rest is the score "
                             f"(default {defaults.blend})")
    parser.add_argument("--regularization", type=FloatRange(0, 1), default=defaults.regularization, metavar="X",
                        help="how strongly weights are held near their starting values "
                             f"(default {defaults.regularization})")
    add_seed(parser, "the order of the positions")
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help="draw the losses")


def run(arguments: argparse.Namespace) -> int:
    """Tune the weights, print the losses, and return the exit status: 1 if no epoch improved on the start."""
    start = load_weights(arguments.start)
    threads = usable_cores()
    samples = _samples(arguments.data, start, threads)
    config = TuningConfig(epochs=arguments.epochs, rate=arguments.learning_rate, blend=arguments.wdl_weight,
                          regularization=arguments.regularization, seed=arguments.seed, threads=threads)
    tuner = WeightTuner(samples, start, config)
    print(f"{len(samples)} quiet positions; a lead of 100 centipawns scores "
          f"{percent(_expected_result(tuner.steepness))}")
    model = _fit_wdl_model(samples, arguments.start)
    with stop_on_interrupt(tuner.stop):
        epochs = _tune(tuner, config, arguments, samples, model)
    if not epochs:
        return 0
    first, best = epochs[0], min(epochs, key=lambda epoch: epoch.validation_loss)
    if best is first:
        print(f"no epoch improved on the weights at the start; {arguments.out} was not written")
        return _NO_IMPROVEMENT
    print(f"best after epoch {best.number}: validation loss {best.validation_loss:.6f}, "
          f"{100 * (best.validation_loss / first.validation_loss - 1):+.2f} %; weights in {arguments.out}")
    if arguments.plot is not None:
        _plot(epochs, arguments.plot)
    return 0


def _fit_wdl_model(samples: Samples, start: Path | None) -> WdlModel:
    """The WDL model fitted to the samples; if that fails, warn and return the model of the weights at the start."""
    try:
        model, likelihood = fit_wdl_model(samples)
    except InputError as error:
        print_warning(f"{error}; the WDL model stays as it was")
        return WdlModel(*read_weight_file(start).outcome)
    print(f"WDL model: {format_wdl_model(model)}; mean negative log-likelihood {likelihood:.4f}")
    return model


def _samples(paths: Sequence[Path], start: WeightsRecord, threads: int) -> Samples:
    """The samples in the files: all of training games, or all of labelled positions."""
    are_labelled = [any(suffix in _LABELLED for suffix in path.suffixes) for path in paths]
    if all(are_labelled):
        parts: list[Samples] = []
        for path in paths:
            first_game = int(parts[-1].rows["game"][-1]) + 1 if parts and len(parts[-1]) else 0
            parts.append(labelled_samples(path, start, first_game, print_warning))
        return Samples.join(parts)
    if any(are_labelled):
        raise InputError("training games and labelled positions cannot be mixed: only the games have searched scores")
    return quiet_samples(_blocks(paths), threads)


def _blocks(paths: Sequence[Path]) -> Iterator[Games]:
    for path in paths:
        yield from read_games(path)


def _expected_result(steepness: float) -> float:
    """The expected result of a lead of 100 centipawns, from 0 to 1."""
    return 1 / (1 + math.exp(-100 * steepness))


def _tune(tuner: WeightTuner, config: TuningConfig, arguments: argparse.Namespace, samples: Samples,
          model: WdlModel) -> list[Epoch]:
    """Run all epochs and return them; the file always holds the best weights so far."""
    epochs: list[Epoch] = []
    following = tuner.run()
    for number in track(range(config.epochs + 1), lambda number: f"epoch {number}"):
        epoch = next(following, None)
        if epoch is None:
            break
        print(f"epoch {number}: training loss {epoch.training_loss:.6f}, validation loss {epoch.validation_loss:.6f}",
              flush=True)
        if epochs and epoch.validation_loss < min(earlier.validation_loss for earlier in epochs):
            provenance = _provenance(epochs[0], epoch, arguments, samples)
            save_weights(rounded_weights(epoch), arguments.out, provenance, model)
        epochs.append(epoch)
    return epochs


def _provenance(first: Epoch, best: Epoch, arguments: argparse.Namespace, samples: Samples) -> str:
    """The command, data and losses of the tuning, in one line for the weight file."""
    files = " ".join(path.name for path in arguments.data)
    return (f"tune weights {files} --epochs {arguments.epochs} --learning-rate {arguments.learning_rate} "
            f"--wdl-weight {arguments.wdl_weight} --regularization {arguments.regularization} --seed {arguments.seed}; "
            f"{today()}; {len(samples)} quiet positions; "
            f"validation loss {first.validation_loss:.6f} -> {best.validation_loss:.6f} in epoch "
            f"{best.number}")


def _plot(epochs: Sequence[Epoch], path: Path) -> None:
    numbers = [epoch.number for epoch in epochs]
    save_plot(path, ("epoch", "mean squared error of the expected result"), {
        "training": (numbers, [epoch.training_loss for epoch in epochs]),
        "validation": (numbers, [epoch.validation_loss for epoch in epochs])}, title="Losses of the tuned weights")
