"""`tune teacher FILE...`: teach a teacher, which labels positions for `tune network`."""

from __future__ import annotations

import argparse
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.shared.arguments import IntRange, OutputFile, conflicts_with, in_file
from engine.commands.tune.arguments import add_training_arguments
from engine.commands.tune.report import loss_columns, print_now
from engine.commands.tune.training_run import TrainingRun, require_torch
from engine.system.errors import InputError
from eval.network.file import read_network
from eval.network.metrics import losses_of

if TYPE_CHECKING:
    from eval.network.model import NetworkModel
    from eval.network.teacher import Teacher

_COMMAND = "tune teacher"


def _is_by_torch(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/data.pkl") for name in archive.namelist())


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", type=OutputFile("teacher", _is_by_torch), required=True, metavar="FILE.teacher",
                        help="where the teacher goes")
    parser.add_argument("--resume", action="store_true", help="go on where OUT.checkpoint was written")
    course = add_training_arguments(parser, epochs=2, batch=4096)
    course.add_argument("--start", type=in_file, metavar="FILE.teacher", help="begin with what this one has learned")
    conflicts_with(course.add_argument("--base", type=in_file, metavar="FILE.network",
                                       help="begin with this one's judgement, and learn what it misses"), "--start")
    shape = parser.add_argument_group("the teacher")
    shape.add_argument("--blocks", type=IntRange(1, 100), metavar="N", help="of two convolutions (default 8)")
    shape.add_argument("--channels", type=IntRange(8, 1024), metavar="N", help="(default 128)")


def run(arguments: argparse.Namespace) -> int:
    """Teach, print the losses, and return the exit status."""
    require_torch(_COMMAND)
    from eval.network.train import Trainer

    lessons = TrainingRun(arguments, _COMMAND)
    teacher = _first_teacher(arguments, lessons.device)
    trainer = Trainer(lessons.plan(), teacher, lessons.validation, lessons.device)
    lessons.print_baselines()

    def finish() -> None:
        teacher.save(arguments.out)
        found = losses_of(trainer.shares(), lessons.validation, lessons.scale, lessons.share[1])
        print_now(f"{'teacher':30s} {loss_columns(found)}")
        print_now(f"teacher in {arguments.out}, {arguments.out.stat().st_size} bytes, "
                  f"after {time.perf_counter() - lessons.started:.1f} s")

    lessons.train(trainer, lambda: lessons.stages(trainer), finish)
    return 0


def _first_teacher(arguments: argparse.Namespace, device: str) -> Teacher:
    """The teacher as it is before the course: one in a file, or one that knows nothing."""
    from eval.network.teacher import Teacher, TeacherShape, load_teacher

    asked = {name: size for name in ("blocks", "channels") if (size := getattr(arguments, name)) is not None}
    if arguments.start is None:
        return Teacher(TeacherShape(**asked), device, arguments.seed, _read_base(arguments.base, device))
    teacher = load_teacher(arguments.start, device)
    if replace(teacher.shape, **asked) != teacher.shape:
        raise InputError(f"{arguments.start} has another shape: --blocks {teacher.shape.blocks} "
                         f"--channels {teacher.shape.channels}")
    return teacher


def _read_base(path: Path | None, device: str) -> NetworkModel | None:
    """The network in a file, as a model to begin with; InputError if the file is none."""
    from eval.network.model import NetworkModel

    if path is None:
        return None
    network = read_network(path)
    model = NetworkModel(network.shape, device, 0)
    model.load_network(network)
    return model
