"""An output file with a journal next to it, so that an interrupted run can resume after the last finished game."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.analysis.accuracy import PhaseSums, PlayerAccuracy
from engine.system.errors import InputError

_SUFFIX = ".progress"


class ResumableFile:
    """The file at `path`, and its journal. A game counts as written once its line is in the journal."""

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        """Start a file, or resume one started under the same conditions; InputError if there is another file."""
        self.path, self._journal = path, path.with_name(path.name + _SUFFIX)
        self.rows: list[dict[str, Any]] = []  # one for each finished game
        head = {"conditions": dict(conditions)}
        if self._journal.exists():
            self._recover(head)
        elif path.exists():
            raise InputError(f"{path} exists and is no interrupted run to resume: delete it, or choose another name")
        else:
            self._append(self._journal, (json.dumps(head) + "\n").encode())
        with self._writing(), path.open("ab") as file:
            file.truncate(self._size)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Name the file that the user named, not the journal, in the InputError if something cannot be written."""
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from error

    @property
    def _size(self) -> int:
        return int(self.rows[-1]["end"]) if self.rows else 0

    def _recover(self, head: dict[str, Any]) -> None:
        lines = self._journal.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole and json.loads(whole[0]) != json.loads(json.dumps(head)):
            raise InputError(f"{self.path} was started with different settings or another file; "
                             f"remove {self.path.name} and {self._journal.name} to start over")
        self.rows = [json.loads(line) for line in whole[1:]]
        with self._writing():
            os.truncate(self._journal, sum(map(len, whole)))  # without the line that was interrupted
        if not whole:
            self._append(self._journal, (json.dumps(head) + "\n").encode())
        if self._size > (self.path.stat().st_size if self.path.exists() else 0):
            raise InputError(f"{self.path} is shorter than {self._journal.name} says; remove both to start over")

    def add(self, text: str, row: Mapping[str, Any]) -> None:
        """Append a game and its journal row; after an interruption, either both count or neither."""
        data = text.encode()
        self._append(self.path, data)
        self.rows.append({**row, "end": self._size + len(data)})
        self._append(self._journal, (json.dumps(self.rows[-1]) + "\n").encode())

    def _append(self, path: Path, data: bytes) -> None:
        with self._writing(), path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Remove the file and its journal: no game was written."""
        self.path.unlink()
        self.finish()

    def finish(self) -> None:
        """Remove the journal: all games are written."""
        self._journal.unlink()


def accuracy_to_row(accuracy: PlayerAccuracy) -> dict[str, Any]:
    """A player's accuracy as a journal entry."""
    return asdict(accuracy)


def accuracy_from_row(row: Mapping[str, Any]) -> PlayerAccuracy:
    """A player's accuracy from a journal entry."""
    sums = {phase: PhaseSums(**values) for phase, values in row["sums"].items()}
    return PlayerAccuracy(**{**row, "sums": sums})
