"""A file that grows game by game, and remembers beside it how far it has come: whoever is killed goes on from there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.analysis.accuracy import PlayerAccuracy
from engine.system.errors import InputError

_SUFFIX = ".progress"


class ResumableFile:
    """The file at `path`, and its journal. A game is in the file when its line is in the journal, and not before."""

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        """Begin, or go on with, what was begun under the same conditions; InputError if there is something else."""
        self.path, self._journal = path, path.with_name(path.name + _SUFFIX)
        self.rows: list[dict[str, Any]] = []  # of the games that are there
        head = {"conditions": dict(conditions)}
        if self._journal.exists():
            self._recover(head)
        elif path.exists():
            raise InputError(f"{path} exists")
        else:
            self._append(self._journal, (json.dumps(head) + "\n").encode())
        with path.open("ab") as file:
            file.truncate(self._size)

    @property
    def _size(self) -> int:
        return int(self.rows[-1]["end"]) if self.rows else 0

    def _recover(self, head: dict[str, Any]) -> None:
        lines = self._journal.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole and json.loads(whole[0]) != json.loads(json.dumps(head)):
            raise InputError(f"{self.path} was begun with other settings, or from another file: "
                             f"remove it and {self._journal.name} to begin anew")
        self.rows = [json.loads(line) for line in whole[1:]]
        text = b"".join(whole) or (json.dumps(head) + "\n").encode()
        if text != b"".join(lines):
            self._journal.write_bytes(text)  # without the line in which somebody was killed
        if self._size > (self.path.stat().st_size if self.path.exists() else 0):
            raise InputError(f"{self.path} is shorter than {self._journal.name} says: remove both to begin anew")

    def add(self, text: str, row: Mapping[str, Any]) -> None:
        """Add a game and what is to be remembered of it; both or neither are there afterwards."""
        data = text.encode()
        self._append(self.path, data)
        self.rows.append({**row, "end": self._size + len(data)})
        self._append(self._journal, (json.dumps(self.rows[-1]) + "\n").encode())

    @staticmethod
    def _append(path: Path, data: bytes) -> None:
        with path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def finish(self) -> None:
        """All games are there: nothing is left to go on with."""
        self._journal.unlink()


def tally_row(tally: PlayerAccuracy) -> dict[str, Any]:
    """A tally for the journal."""
    return asdict(tally)


def tally_of(row: Mapping[str, Any]) -> PlayerAccuracy:
    """A tally from the journal."""
    return PlayerAccuracy(**row)
