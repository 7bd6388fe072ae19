"""`tune teacher FILE...`: train a teacher, a larger network that labels positions for `tune network`."""

from __future__ import annotations

import argparse
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import IntRange, OutputFile, conflicts_with, in_file
from engine.lab.tune.arguments import add_training_arguments
from engine.lab.tune.report import loss_columns, print_now
from engine.lab.tune.training_run import TrainingRun, require_torch
from engine.system.errors import InputError
from eval.network.file import read_network
from eval.network.metrics import losses_of

if TYPE_CHECKING:
    from eval.network.model import NetworkModel
    from eval.network.teacher import Teacher

_COMMAND = "tune teacher"


def _is_torch_file(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/data.pkl") for name in archive.namelist())


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", type=OutputFile("teacher", _is_torch_file), required=True, metavar="FILE.teacher",
                        help="the trained teacher")
    parser.add_argument("--resume", action="store_true", help="continue from OUT.checkpoint")
    training = add_training_arguments(parser, epochs=2, batch=4096)
    training.add_argument("--start", type=in_file, metavar="FILE.teacher", help="start from this teacher")
    conflicts_with(training.add_argument("--base", type=in_file, metavar="FILE.network",
                                         help="add the teacher's output to that of this network, which stays fixed"),
                   "--start")
    shape = parser.add_argument_group("teacher")
    shape.add_argument("--blocks", type=IntRange(1, 100), metavar="N",
                       help="residual blocks of two convolutions (default 8)")
    shape.add_argument("--channels", type=IntRange(8, 1024), metavar="N",
                       help="channels of each convolution (default 128)")


def run(arguments: argparse.Namespace) -> int:
    """Train, print the losses, and return the exit status."""
    require_torch(_COMMAND)
    from eval.network.train import Trainer

    training_run = TrainingRun(arguments, _COMMAND)
    teacher = _first_teacher(arguments, training_run.device)
    trainer = Trainer(training_run.config(), teacher, training_run.validation, training_run.device)
    training_run.print_baselines()

    def finish() -> None:
        teacher.save(arguments.out)
        losses = losses_of(trainer.predictions(), training_run.validation, training_run.scale,
                           training_run.wdl_weight[1])
        print_now(f"{'teacher':30s} {loss_columns(losses)}")
        print_now(f"teacher in {arguments.out}, {arguments.out.stat().st_size} bytes, "
                  f"after {time.perf_counter() - training_run.started:.1f} s")

    training_run.train(trainer, lambda: training_run.stages(trainer), finish)
    return 0


def _first_teacher(arguments: argparse.Namespace, device: str) -> Teacher:
    """The teacher before the training: that of --start, or a new one."""
    from eval.network.teacher import Teacher, TeacherShape, load_teacher

    requested = {name: size for name in ("blocks", "channels") if (size := getattr(arguments, name)) is not None}
    if arguments.start is None:
        return Teacher(TeacherShape(**requested), device, arguments.seed, _read_base(arguments.base, device))
    teacher = load_teacher(arguments.start, device)
    if replace(teacher.shape, **requested) != teacher.shape:
        raise InputError(f"{arguments.start} has a different shape: --blocks {teacher.shape.blocks} "
                         f"--channels {teacher.shape.channels}")
    return teacher


def _read_base(path: Path | None, device: str) -> NetworkModel | None:
    """The network in a file as a model; InputError if the file holds no network."""
    from eval.network.model import NetworkModel

    if path is None:
        return None
    network = read_network(path)
    model = NetworkModel(network.shape, device, 0)
    model.load_network(network)
    return model
