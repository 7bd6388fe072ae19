"""`tune judge FILE...`: compare networks by their errors on held-out games, which none of them was trained on.

The labels are lambda targets, as in training, and, for some of the positions, the scores of long searches. Positions
from elsewhere, which no training has seen, can be added as yardsticks. Each network's scores are scaled to fit
the labels best, so that a wrong scale does not count as an error.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from engine.cli.arguments import FloatRange, IntRange, in_file, positive, text
from engine.cli.output import print_warning
from engine.cli.progress import count_with_progress
from engine.lab.arena.deep_scores import deep_scores, quiet_deep_scores, sample_of
from engine.lab.arena.openings import Openings
from engine.lab.arena.replay import SampleFilter, held_out_samples
from engine.lab.tune.training_run import find_device, require_torch
from engine.system.errors import InputError
from engine.system.host import usable_cores
from eval.network.file import Network, read_network
from eval.network.samples import Samples, expected_result, fit_scale
from eval.networks import BUILT_IN_FILE

if TYPE_CHECKING:
    from pathlib import Path

_COMMAND = "tune judge"
_SCALE = 140.0  # centipawns for a logit of 1 in the labels
_ROWS_AT_A_TIME = 32_768
_STRETCHES = 200  # of consecutive samples: their mean errors are independent, those of neighbouring samples are not
_Z_95 = 1.96
_FEWEST = 10  # positions of a yardstick

Reals = npt.NDArray[np.float64]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    defaults = SampleFilter()
    parser.add_argument("data", nargs="+", type=in_file, metavar="FILE",
                        help="training games from `selfplay`, also compressed by xz")
    parser.add_argument("--network", type=in_file, action="append", default=[], metavar="FILE.network",
                        help="a network to compare with the built-in one; may be repeated")
    parser.add_argument("--held-out", type=IntRange(1), default=defaults.held_out, metavar="N",
                        help=f"one game in this many was held out (default {defaults.held_out})")
    parser.add_argument("--lambda", type=FloatRange(0, 1), default=0.7, metavar="X",
                        help="as in `tune network` (default 0.7)")
    parser.add_argument("--positions", type=IntRange(0), default=2000, metavar="N",
                        help="positions to search as well (default 2000)")
    parser.add_argument("--nodes", type=positive, default=100_000, metavar="N",
                        help="nodes per search (default 100000)")
    parser.add_argument("--yardstick", type=in_file, action="append", default=[], metavar="FILE.epd",
                        help="search these positions too (EPD or FEN), such as those of `tune yardstick` and `tune "
                        "blind-spots`; those with checks, captures or promotions are left out; may be repeated")
    parser.add_argument("--device", type=text, metavar="NAME", help="torch device (default: cuda if there is one)")


def run(arguments: argparse.Namespace) -> int:
    """Print the errors of all networks, and return the exit status."""
    require_torch(_COMMAND)
    networks = {_name(path): read_network(path) for path in (BUILT_IN_FILE, *arguments.network)}
    if len(networks) <= len(arguments.network):
        raise InputError("the networks must have different names")
    device, threads = find_device(arguments.device), usable_cores()
    filter_by = SampleFilter(held_out=arguments.held_out, lambda_=vars(arguments)["lambda"])
    samples = held_out_samples(arguments.data, filter_by, threads, warn=print_warning)
    if len(samples) < _STRETCHES:
        raise InputError(f"too few positions of held-out games: expected at least {_STRETCHES}, got {len(samples)}")
    scores = {name: _scores(network, samples, device) for name, network in networks.items()}
    _print_errors(f"lambda targets of {len(samples)} positions", expected_result(samples["score"], _SCALE), scores)
    if arguments.positions:
        chosen = slice(None, None, max(len(samples) // arguments.positions, 1))
        some = samples[chosen][:arguments.positions]
        deep = np.array(list(count_with_progress(deep_scores(some, arguments.nodes, threads), "searches", len(some))),
                        np.int64)
        _print_errors(f"searches of {arguments.nodes} nodes, {len(some)} positions", expected_result(deep, _SCALE),
                      {name: values[chosen][:arguments.positions] for name, values in scores.items()})
    for yardstick in arguments.yardstick:
        _print_yardstick(yardstick, arguments.nodes, networks, device, threads)
    return 0


def _print_yardstick(path: Path, nodes: int, networks: dict[str, Network], device: str, threads: int) -> None:
    """Print the errors of all networks on the quiet positions of a file; InputError if there are too few."""
    boards = [opening.board() for opening in Openings(path).read_all(print_warning)]
    scores = quiet_deep_scores(boards, nodes, threads)
    deep = list(count_with_progress(scores, "searches", len(boards)))
    quiet = [(sample_of(board), score) for board, score in zip(boards, deep, strict=True) if score is not None]
    if len(quiet) < _FEWEST:
        raise InputError(f"too few quiet positions in {path}: expected at least {_FEWEST}, got {len(quiet)}")
    samples, labels = np.concatenate([sample for sample, _ in quiet]), np.array([score for _, score in quiet])
    _print_errors(f"searches of {nodes} nodes, {len(quiet)} quiet positions of {path.name}",
                  expected_result(labels, _SCALE),
                  {name: _scores(network, samples, device) for name, network in networks.items()})


def _name(path: Path) -> str:
    return "built-in" if path == BUILT_IN_FILE else path.stem


def _scores(network: Network, samples: Samples, device: str) -> Reals:
    """The static scores of samples by the quantized network, in centipawns from the side to move's view."""
    import torch

    from eval.network.model import IntegerReference, Unpacker, to_device

    torch.set_float32_matmul_precision("highest")
    layers, unpack, parts = IntegerReference(network, device), Unpacker(network.shape, device), []
    for rows in to_device(samples, device).split(_ROWS_AT_A_TIME):
        batch = unpack(rows)
        parts.append(layers.scores(batch, unpack.dense(batch, torch.float64)))
    scores: Reals = torch.cat(parts).double().cpu().numpy()
    return scores


def _print_errors(against: str, labels: Reals, scores: dict[str, Reals]) -> None:
    print(f"mean squared error against the {against}:")
    first: Any = None
    for name, values in scores.items():
        scale = fit_scale(values, labels)
        errors = (expected_result(values, scale) - labels) ** 2
        first = errors if first is None else first
        mean, margin = _mean_with_margin(errors - first)
        note = "" if errors is first else f"  {mean:+.6f} +- {margin:.6f} ({100 * mean / first.mean():+.2f} %)"
        print(f"  {name:20s} {errors.mean():.6f} with a scale of {scale:.0f}{note}", flush=True)


def _mean_with_margin(differences: Reals) -> tuple[float, float]:
    """(mean, half of its 95 % interval) of a series whose neighbouring values are correlated."""
    means = [float(part.mean()) for part in np.array_split(differences, min(_STRETCHES, len(differences)))]
    return float(differences.mean()), _Z_95 * float(np.std(means, ddof=1)) / math.sqrt(len(means))
