"""`tune network FILE...`: train a network on training games."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cli.arguments import FloatRange, IntRange, OutputFile, in_file, positive, requires_option, text
from engine.cli.plots import plot_file, save_plot
from engine.lab.provenance import today
from engine.lab.tune.arguments import add_training_arguments, command_line_of, parse_wdl_weight
from engine.lab.tune.mixing import MixArgument, MixedSamples, draw
from engine.lab.tune.report import MILLION, loss_columns, print_now
from engine.lab.tune.training_run import TrainingRun, require_torch, single_shard
from engine.system.errors import InputError, quote
from engine.system.files import begins_with
from eval.network.file import DEFAULT_LAYERS, FEATURES, MAGIC, Network, Shape, check_shape, read_network, write_network
from eval.network.metrics import Losses, features_predictions, losses_by_piece_count, losses_of, subsample
from eval.network.nnue import is_nnue
from eval.network.samples import Samples, expected_result

if TYPE_CHECKING:
    from eval.network.teacher import LabellingTeacher
    from eval.network.train import TrainingReport, TrainingStage

_COMMAND = "tune network"
_OUTPUT_BUCKETS = 8

# By number of buckets: the bucket of each square of the own king on files a to d, from its first rank; the ranks beyond
# the last one listed belong to the same buckets as that one.
_KING_BUCKETS = {1: ("0000",), 2: ("0000", "0000", "1111"), 4: ("0011", "2222", "3333"),
                 8: ("0012", "3344", "5555", "6666", "6666", "7777")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", type=OutputFile("network", begins_with(MAGIC)), required=True, metavar="FILE.network",
                        help="the trained network")
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help="draw the losses")
    parser.add_argument("--resume", action="store_true", help="continue from OUT.checkpoint")
    parser.add_argument("--start", type=in_file, metavar="FILE.network",
                        help="start from this network; one king bucket may become several")
    shape = parser.add_argument_group("network")
    shape.add_argument("--hidden", type=positive, default=512, metavar="N",
                       help="width of the first layer (default 512)")
    shape.add_argument("--output-buckets", type=IntRange(1, 32), default=_OUTPUT_BUCKETS, metavar="N",
                       help=f"output sets, by piece count (default {_OUTPUT_BUCKETS})")
    shape.add_argument("--king-buckets", type=int, default=1, choices=tuple(_KING_BUCKETS),
                       help="feature sets, by king square (default 1)")
    layers = _format_layers(DEFAULT_LAYERS)
    shape.add_argument("--layers", type=text, default=layers, metavar="N:M",
                       help=f"widths of the two small layers (default {layers})")
    shape.add_argument("--unmirrored", action="store_true", help="do not mirror positions by the king's wing")
    training = add_training_arguments(parser, epochs=20, batch=16_384)
    training.add_argument("--precision", default="tf32", choices=("tf32", "bf16"),
                          help="precision on a GPU (default tf32)")
    training.add_argument("--teacher", type=in_file, metavar="FILE",
                          help="a file of `tune teacher`, or the network of Stockfish 15.1, 17 or 17.1 "
                               "(its `export_net`)")
    requires_option(training.add_argument("--teacher-weight", type=FloatRange(0, 1), default=0.0, metavar="X",
                                          help="weight of the teacher's score in the scores of the games (default 0)"),
                    "--teacher")
    requires_option(training.add_argument("--mix", type=MixArgument(), action="append", default=[],
                                          metavar="ORIGIN:COUNT[:NODES]",
                                          help="mix in positions that the teacher labels: neighbours:COUNT, or "
                                          "leaves:COUNT:NODES, from searches of that many nodes; may be repeated; "
                                          "requires `--wdl-weight 0`, since they have no results"),
                    "--teacher")


def run(arguments: argparse.Namespace) -> int:
    """Train, print the losses, and return the exit status."""
    require_torch(_COMMAND)
    shape = Shape(arguments.hidden, _parse_layers(arguments.layers), king_buckets(arguments.king_buckets),
                  not arguments.unmirrored, arguments.output_buckets)
    check_shape(shape)
    if arguments.mix and parse_wdl_weight(arguments.wdl_weight) != (0, 0):
        raise InputError("--mix requires --wdl-weight 0: positions that are mixed in have no results")
    start = _read_start(arguments.start, shape) if arguments.start is not None else None
    return _NetworkTraining(arguments, shape, start).run()


def _read_start(path: Path, shape: Shape) -> Network:
    """The network in a file, with the king buckets of `shape`; InputError if anything else differs."""
    start = read_network(path)
    fitting = start.with_king_buckets(shape.king_buckets) if start.shape.rows == FEATURES else start
    if fitting.shape != shape:
        raise InputError(f"{path} has a different shape: {_format_options(start.shape)}")
    return fitting


def _format_options(shape: Shape) -> str:
    """The options for a network of this shape, except that its king buckets may differ from `--king-buckets`."""
    words = [f"--hidden {shape.hidden}"]
    if shape.layers != DEFAULT_LAYERS:
        words.append(f"--layers {_format_layers(shape.layers)}")
    if shape.rows > FEATURES:
        words.append(f"--king-buckets {shape.rows // FEATURES}")
    if shape.output_buckets != _OUTPUT_BUCKETS:
        words.append(f"--output-buckets {shape.output_buckets}")
    if not shape.mirrored:
        words.append("--unmirrored")
    return " ".join(words)


def _format_layers(layers: tuple[int, int]) -> str:
    return ":".join(map(str, layers))


def _parse_layers(words: str) -> tuple[int, int]:
    try:
        first, second = (int(word) for word in words.split(":"))
    except ValueError as error:
        raise InputError(f"--layers must be two widths N:M, got {quote(words)}") from error
    return first, second


def king_buckets(count: int) -> tuple[int, ...]:
    """The bucket of each king square for this number of buckets, the same on both wings."""
    ranks = [_KING_BUCKETS[count][min(rank, len(_KING_BUCKETS[count]) - 1)] for rank in range(8)]
    return tuple(int(letter) for rank in ranks for letter in rank + rank[::-1])


class _NetworkTraining:
    """One call of the command, once the first shard has been read."""

    def __init__(self, arguments: argparse.Namespace, shape: Shape, start: Network | None) -> None:
        from eval.network.model import NetworkModel
        from eval.network.train import Trainer

        self._arguments, self._start, self._run = arguments, start, TrainingRun(arguments, _COMMAND)
        device = self._run.device
        self._model = NetworkModel(shape, device, arguments.seed, arguments.precision)
        if start is not None:
            self._model.load_network(start)
        self._teacher = None if arguments.teacher is None else self._load_teacher(arguments.teacher, device)
        self._validation = self._blend(self._run.validation)
        self._trainer = Trainer(self._run.config(), self._model, self._validation, device)

    def _load_teacher(self, path: Path, device: str) -> LabellingTeacher:
        """The teacher in a file, its scores on the scale of the student's."""
        from eval.network.nnue_teacher import load_nnue_teacher
        from eval.network.teacher import load_teacher

        teacher: LabellingTeacher = (load_nnue_teacher if is_nnue(path) else load_teacher)(path, device)
        some = subsample(self._run.training)
        teacher.calibrate(some, expected_result(self._scores_of_student(some), self._run.scale))
        return teacher

    def _scores_of_student(self, samples: Samples) -> Any:
        """The scores of the network to start from, or else those of the searches."""
        from eval.network.train import check_integers

        if self._start is None:
            return samples["score"]
        return check_integers(self._model, self._start, samples, self._run.device)[0]

    def _blend(self, samples: Samples) -> Samples:
        """The samples with the teacher's scores blended into theirs."""
        part = self._arguments.teacher_weight
        return samples if self._teacher is None or part == 0 else self._teacher.label(samples, self._run.scale, part)

    def run(self) -> int:
        """Train until the last stage ends or the user interrupts, and write the network; returns the exit status."""
        features = self._run.print_baselines()
        self._run.train(self._trainer, self._stages, partial(self._finish, features))
        return 0

    def _stages(self) -> list[TrainingStage]:
        if self._teacher is None:
            return self._run.stages(self._trainer)
        label = partial(self._teacher.label, scale=self._run.scale)
        return self._run.stages(self._trainer, label, self._taught_games())

    @cached_property
    def _mixtures(self) -> list[MixedSamples]:
        """The samples of all mixtures."""
        drawn = []
        for number, mixture in enumerate(self._arguments.mix):
            started = time.perf_counter()
            assert self._teacher is not None
            drawn.append(draw(mixture, number, self._run.source, self._arguments.largest_score,
                              partial(self._teacher.label, scale=self._run.scale)))
            print_now(f"{len(drawn[-1].training)} {mixture.origin} drawn and labelled in "
                      f"{time.perf_counter() - started:.1f} s")
        return drawn

    @cached_property
    def _first_shard(self) -> Samples:
        """The first shard of the games, blended, and what is mixed into it; kept, so that it is labelled only once."""
        return np.concatenate([self._blend(self._run.training), *(samples.training for samples in self._mixtures)])

    def _taught_games(self) -> Callable[[], Iterator[Samples]]:
        """Starts a pass over the games, with the teacher's scores."""
        source = self._run.source
        if not self._arguments.mix and self._arguments.teacher_weight == 0:
            return source.shards
        first = self._first_shard
        if source.length == 1:
            return partial(single_shard, first)
        return lambda: chain((first,), map(self._blend, islice(source.shards(), 1, None)))

    def _calibration_rows(self) -> Any:
        """Some of the training samples, on the device, for the quantization."""
        from eval.network.model import to_device

        return to_device(subsample(self._first_shard if self._arguments.mix else self._run.training), self._run.device)

    def _print_errors_of_mixtures(self, name: str, network: Network) -> None:
        """Print the errors of a network's integers on held-out positions of each mixture."""
        from eval.network.train import check_integers

        scale = self._run.scale
        for mixture, samples in zip(self._arguments.mix, self._mixtures, strict=True):
            scores, _, _ = check_integers(self._model, network, samples.held_out, self._run.device)
            error = losses_of(expected_result(scores, scale), samples.held_out, scale, 0).score
            print_now(f"{name} on {len(samples.held_out)} held-out {mixture.origin}: {error:.6f}")

    def _finish(self, features: Losses) -> None:
        """Quantize the network, measure the loss of the integers, write the file, and print the losses."""
        from eval.network.quantize import quantize_with_compensation
        from eval.network.train import check_integers

        arguments, trainer, run = self._arguments, self._trainer, self._run
        validation, scale, wdl_weight = self._validation, run.scale, run.wdl_weight[1]
        floats = trainer.predictions()
        exact = losses_of(floats, validation, scale, wdl_weight)
        provenance = {"command": command_line_of(_COMMAND, arguments), "data": run.describe_data(trainer),
                      "date": today(), "seed": arguments.seed,
                      "result": f"validation loss {exact.target:.6f} (features {features.target:.6f}), "
                                f"result {exact.result:.6f} ({features.result:.6f}), "
                                f"score {exact.score:.6f} ({features.score:.6f})"}
        if self._start is not None:
            provenance["start"] = self._start.provenance
        network = quantize_with_compensation(self._model, self._model.quantize(scale, provenance),
                                             self._calibration_rows())
        scores, mean, largest = check_integers(self._model, network, validation, run.device)
        write_network(network, arguments.out)
        print_now(f"{'network, floats':30s} {loss_columns(exact)}")
        quantized = losses_of(expected_result(scores, scale), validation, scale, wdl_weight)
        print_now(f"{'network, integers':30s} {loss_columns(quantized)}")
        if self._start is not None:
            self._print_errors_of_mixtures("start", self._start)
        self._print_errors_of_mixtures("network, integers", network)
        print_now(f"integers and floats differ by {mean:.2f} centipawns on average, by {largest:.0f} at most")
        statics = features_predictions(run.training, validation, scale, wdl_weight)
        for group in losses_by_piece_count(floats, statics, validation, scale, wdl_weight):
            print_now(f"{group.fewest:2d} to {group.most:2d} pieces ({100 * group.fraction:5.1f} %): "
                      f"network {group.network:.6f}, features {group.features:.6f}")
        print_now(f"network in {arguments.out}, {arguments.out.stat().st_size} bytes, "
                  f"after {time.perf_counter() - run.started:.1f} s")
        if arguments.plot is not None:
            _plot(trainer.reports, features, arguments.plot)


def _plot(reports: Sequence[TrainingReport], features: Losses, path: Path) -> None:
    samples = [report.samples / MILLION for report in reports]
    ends = [samples[0], samples[-1]]
    save_plot(path, ("million samples", "mean squared error of the expected result"), {
        "training": (samples, [report.training_loss for report in reports]),
        "validation": (samples, [report.validation.target for report in reports]),
        "validation, results": (samples, [report.validation.result for report in reports]),
        "features": (ends, [features.target] * 2), "features, results": (ends, [features.result] * 2),
    }, title="Losses of the network", dashed=("features", "features, results"))
