"""Names of openings: a position has at most one, with its code in the Encyclopaedia of Chess Openings.

The table in the package is made by `adversary book names` from lists of moves and names.
"""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from book.pgn import moves_of
from book.polyglot import polyglot_key
from book.replay import read_san, replay
from engine.core.errors import InputError
from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.core.moves import NULL_MOVE

_FILE = Path(__file__).with_name("names.xz")


class Name(NamedTuple):
    """What an opening is called."""

    eco: str  # A00 to E99
    name: str

    def __str__(self) -> str:
        return f"{self.eco} {self.name}"


@cache
def _table() -> dict[int, Name]:
    lines = lzma.decompress(_FILE.read_bytes()).decode("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {int(key, 16): Name(eco, name) for key, eco, name in rows}


def name_of(key: int) -> Name | None:
    """The opening that the position with this Polyglot key is named after."""
    return _table().get(key)


def last_name(keys: Iterable[int]) -> Name | None:
    """The latest name among the positions of a game."""
    found = None
    for key in keys:
        found = name_of(key) or found
    return found


def read_names(paths: Sequence[Path]) -> Iterator[tuple[int, Name]]:
    """The named positions of lists with the columns eco, name and pgn; InputError where one is wrong."""
    out = empty_move_list()
    for path in paths:
        try:
            with path.open(encoding="utf-8", newline="") as file:
                for number, row in enumerate(csv.DictReader(file, delimiter="\t"), start=2):
                    words = moves_of(row.get("pgn") or "")
                    position, moves = parse_fen(START_FEN), np.zeros(len(words), np.int64)
                    numbers = np.array([read_san(word) for word in words], np.int64)
                    played = replay(position, out, numbers, np.zeros(len(words), np.uint64), moves)
                    if not words or played < len(words) or not row.get("eco") or not row.get("name"):
                        raise InputError(f"{path}, line {number}: no eco, no name, or moves that cannot be played")
                    last = int(moves[-1]) if words else int(NULL_MOVE)
                    yield int(polyglot_key(position, last)), Name(row["eco"], row["name"])
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error


def write_names(names: dict[int, Name], path: Path = _FILE) -> None:
    """Write a table that `name_of` reads, if it is in the package."""
    lines = sorted(f"{key:016x}\t{name.eco}\t{name.name}" for key, name in names.items())
    path.write_bytes(lzma.compress("\n".join(lines).encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
