"""Pretraining: a network or teacher first trains on neighbours of the games' positions, then on the games."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.alphabeta.params import default_params
from engine.lab.arena.replay import SampleSource
from engine.system.errors import InputError, quote
from engine.system.files import create_folder, replacing
from eval.blank import label_by_material
from eval.network.samples import SAMPLE, Samples
from eval.networks import BUILT_IN_FILE
from eval.weight_file import DEFAULT_FILE

BY_TEACHER, BY_MATERIAL = -1, -2  # as the nodes of a stage

_TEACHER = "teacher"
_LABELS = {_TEACHER: BY_TEACHER, "material": BY_MATERIAL}  # [word on the command line]
_SEEDS_APART = 1000  # between the stages, so that they draw different positions


class PretrainStage(NamedTuple):
    """A stage of pretraining: how many neighbours to draw, how to label them, and how many epochs to train on them."""

    positions: int
    nodes: int = 0  # of each labelling search; 0 for the features' static evaluation, or BY_TEACHER or BY_MATERIAL
    epochs: int = 1

    def __str__(self) -> str:
        return f"{self.positions}:{self.labels}:{self.epochs}"

    @property
    def labels(self) -> str:
        """What labels the neighbours, as it is written on the command line."""
        return next((word for word, nodes in _LABELS.items() if nodes == self.nodes), str(self.nodes))


@dataclass(frozen=True)
class PretrainArgument:
    """Parses a stage as it is written on a command line."""

    def __call__(self, words: str) -> PretrainStage:
        """The stage; ArgumentTypeError if `words` is not COUNT[:NODES[:EPOCHS]]."""
        parts = words.split(":")
        special = _LABELS.get(parts[1]) if len(parts) > 1 else None
        try:
            stage = PretrainStage(*(0 if part in _LABELS else int(part) for part in parts))
        except (TypeError, ValueError):
            raise argparse.ArgumentTypeError(f"must be like 1000000 or 1000000:50:2, got {quote(words)}") from None
        if stage.positions < 1 or stage.nodes < 0 or stage.epochs < 1:
            raise argparse.ArgumentTypeError("COUNT and EPOCHS must be at least 1, NODES at least 0, "
                                             f"got {quote(words)}")
        return stage if special is None else stage._replace(nodes=special)


def check_pretrain_stage(stage: PretrainStage, arguments: argparse.Namespace) -> None:
    """InputError if a stage needs a teacher and the arguments name none, or if `--minutes` would ignore its passes."""
    if stage.epochs > 1 and arguments.minutes is not None:
        raise InputError(f"--pretrain {stage}: with --minutes the number of passes follows from the time")
    if stage.nodes != BY_TEACHER:
        return
    if not hasattr(arguments, _TEACHER):
        raise InputError(f"--pretrain {stage}: a teacher cannot label positions for a teacher")
    if arguments.teacher is None:
        raise InputError(f"--pretrain {stage} requires --teacher FILE")


class Neighbours:
    """Draws and labels the neighbours for one training run."""

    def __init__(self, arguments: argparse.Namespace, source: SampleSource, scale: float) -> None:
        self._arguments, self._source, self._scale = arguments, source, scale

    def labelled_samples(self, number: int, stage: PretrainStage,
                         label: Callable[[Samples], Samples] | None) -> Samples:
        """The samples of a stage, read from the folder of neighbours if an earlier run kept them there.

        `label` is the teacher's labelling, for stages that use a teacher.
        """
        kept = self._samples_file(number, stage)
        if kept is not None and kept.exists():
            samples = _read(kept)
        else:
            if kept is not None:
                create_folder(kept.parent)  # before the work: it may be impossible
            samples = self._draw(self._stage_seed(number), stage, label)
            if kept is not None:
                with replacing(kept) as file:
                    np.save(file, samples)
        if not len(samples):
            raise InputError("--pretrain: no neighbours were found")
        return samples

    def _stage_seed(self, number: int) -> int:
        return int(self._arguments.seed) + _SEEDS_APART * (number - 1)

    def _samples_file(self, number: int, stage: PretrainStage) -> Path | None:
        """The file for the samples of a stage; its name depends on what determines them."""
        if self._arguments.neighbours is None:
            return None
        digest = hashlib.sha256(f"{stage.nodes} {self._stage_seed(number)} {self._arguments.largest_score}".encode())
        for part in (self._source.first_games.rows, self._source.first_games.moves):
            digest.update(part.tobytes())
        digest.update(DEFAULT_FILE.read_bytes())
        if stage.nodes > 0:  # by searches with the built-in network
            digest.update(BUILT_IN_FILE.read_bytes() + str(default_params()).encode())
        if stage.nodes == BY_TEACHER:
            digest.update(self._arguments.teacher.read_bytes() + f"{self._scale}".encode())
        return Path(self._arguments.neighbours, f"{stage.positions}-{stage.labels}-{digest.hexdigest()[:16]}.npy")

    def _draw(self, seed: int, stage: PretrainStage, label: Callable[[Samples], Samples] | None) -> Samples:
        from engine.lab.arena.neighbours import neighbours

        samples = neighbours(self._source.first_games, stage.positions, max(stage.nodes, 0), seed, self._source.threads,
                             self._arguments.largest_score)
        if stage.nodes == BY_MATERIAL:
            return label_by_material(samples)
        return samples if label is None or stage.nodes != BY_TEACHER else label(samples)


def _read(path: Path) -> Samples:
    """The samples that an earlier run kept in a file; InputError if they cannot be used."""
    try:
        samples: Samples = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} is damaged; delete it to label its neighbours again") from error
    if samples.dtype != SAMPLE:
        raise InputError(f"{path} holds samples of another version; delete it to label its neighbours again")
    return samples
