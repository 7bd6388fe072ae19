"""Pretraining: neighbours of the games' positions, from which a network or teacher learns before it sees the games."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.arena.replay import SampleSource
from engine.system.errors import InputError, quote
from engine.system.files import replacing
from eval.network.samples import SAMPLE, Samples
from eval.weight_file import DEFAULT_FILE

BY_TEACHER = -1  # as the nodes of a lesson

_TEACHER = "teacher"
_SEEDS_APART = 1000  # of the lessons, so that no position is drawn alike


class PretrainStage(NamedTuple):
    """A stage of pretraining: how many neighbours to look for, how they are labelled, and how often they are seen."""

    wanted: int
    nodes: int = 0  # of a search; 0 for the features' static evaluation
    epochs: int = 1

    def __str__(self) -> str:
        return f"{self.wanted}:{_TEACHER if self.nodes == BY_TEACHER else self.nodes}:{self.epochs}"


@dataclass(frozen=True)
class PretrainArgument:
    """A lesson as it is written on a command line."""

    def __call__(self, words: str) -> PretrainStage:
        """The lesson; ArgumentTypeError if it is none."""
        parts = words.split(":")
        is_taught = parts[1:2] == [_TEACHER]
        try:
            lesson = PretrainStage(*(0 if part == _TEACHER else int(part) for part in parts))
        except (TypeError, ValueError):
            raise argparse.ArgumentTypeError(f"{quote(words)} is not like 1000000 or 1000000:50:2") from None
        if lesson.wanted < 1 or lesson.nodes < 0 or lesson.epochs < 1:
            raise argparse.ArgumentTypeError(f"{quote(words)}: COUNT and EPOCHS are at least 1, NODES at least 0")
        return lesson._replace(nodes=BY_TEACHER) if is_taught else lesson


def check_pretrain_stage(lesson: PretrainStage, arguments: argparse.Namespace) -> None:
    """InputError if a lesson wants a teacher that is not there."""
    if lesson.nodes != BY_TEACHER:
        return
    if not hasattr(arguments, _TEACHER):
        raise InputError(f"--pretrain {lesson}: a teacher is not taught by another one")
    if arguments.teacher is None:
        raise InputError(f"--pretrain {lesson}: which teacher? Name it by --teacher")


class Neighbours:
    """The neighbours that one call of a command learns from."""

    def __init__(self, arguments: argparse.Namespace, source: SampleSource, scale: float) -> None:
        self._arguments, self._source, self._scale = arguments, source, scale

    def labelled(self, number: int, lesson: PretrainStage, label: Callable[[Samples], Samples] | None) -> Samples:
        """The samples of a lesson, labelled by `label` if it wants a teacher; those of an earlier call, if kept."""
        kept = self._kept(number, lesson)
        if kept is not None and kept.exists():
            found = _read(kept)
        else:
            found = self._found(self._seed_of(number), lesson, label)
            if kept is not None:
                with replacing(kept) as file:
                    np.save(file, found)
        if not len(found):
            raise InputError("--pretrain: no neighbours were found")
        return found

    def _seed_of(self, number: int) -> int:
        return int(self._arguments.seed) + _SEEDS_APART * (number - 1)

    def _kept(self, number: int, lesson: PretrainStage) -> Path | None:
        """The file that holds the samples of a lesson, or will: its name depends on all that decides them."""
        if self._arguments.neighbours is None:
            return None
        digest = hashlib.sha256(f"{lesson.nodes} {self._seed_of(number)} {self._arguments.largest_score}".encode())
        for part in (self._source.first_games.rows, self._source.first_games.moves):
            digest.update(part.tobytes())
        digest.update(DEFAULT_FILE.read_bytes())
        if lesson.nodes == BY_TEACHER:
            digest.update(self._arguments.teacher.read_bytes() + f"{self._scale}".encode())
        labels = _TEACHER if lesson.nodes == BY_TEACHER else lesson.nodes
        return Path(self._arguments.neighbours, f"{lesson.wanted}-{labels}-{digest.hexdigest()[:16]}.npy")

    def _found(self, seed: int, lesson: PretrainStage, label: Callable[[Samples], Samples] | None) -> Samples:
        from engine.arena.neighbours import neighbours

        found = neighbours(self._source.first_games, lesson.wanted, max(lesson.nodes, 0), seed, self._source.threads,
                           self._arguments.largest_score)
        return found if label is None or lesson.nodes != BY_TEACHER else label(found)


def _read(path: Path) -> Samples:
    """The samples that an earlier call kept in a file; InputError if they are none."""
    try:
        found: Samples = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} is damaged: delete it, and its neighbours are labelled anew") from error
    if found.dtype != SAMPLE:
        raise InputError(f"{path} holds no samples of this version: delete it, and its neighbours are labelled anew")
    return found
