"""Names of openings by position, with their ECO codes.

`adversary book names` creates the table in the package from lists of moves and names.
"""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from book.pgn import main_line
from book.polyglot import polyglot_key
from book.replay import replay_san
from engine.core.fen import START_FEN, parse_fen
from engine.core.movegen import empty_move_list
from engine.system.errors import InputError
from engine.system.files import read_text, write_file

_FILE = Path(__file__).with_name("names.xz")


class OpeningName(NamedTuple):
    """The name of an opening."""

    eco: str  # A00 to E99
    name: str

    def __str__(self) -> str:
        return f"{self.eco} {self.name}"


@cache
def _names() -> dict[int, OpeningName]:
    lines = lzma.decompress(_FILE.read_bytes()).decode("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {int(key, 16): OpeningName(eco, name) for key, eco, name in rows}


def opening_by_key(key: int) -> OpeningName | None:
    """The opening of the position with this Polyglot key; None if it has no name."""
    return _names().get(key)


def last_opening_by_keys(keys: Iterable[int]) -> OpeningName | None:
    """The opening of the last named position of a game; None if there is none."""
    last = None
    for key in keys:
        last = opening_by_key(key) or last
    return last


def read_names(paths: Sequence[Path]) -> Iterator[tuple[int, OpeningName]]:
    """Yield the keys and names of lists with the columns eco, name and pgn; InputError if a line is invalid."""
    out = empty_move_list()
    for path in paths:
        try:
            with io.StringIO(read_text(path), newline="") as file:
                rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                if not {"eco", "name", "pgn"} <= set(rows.fieldnames or ()):
                    raise InputError(f"{path} is not a list of names: its first line must be eco, name and pgn")
                for number, row in enumerate(rows, start=2):
                    words, _ = main_line(row.get("pgn") or "")
                    position = parse_fen(START_FEN)
                    _, moves = replay_san(words, position, out)
                    if not words or len(moves) < len(words) or not row.get("eco") or not row.get("name"):
                        raise InputError(f"{path}, line {number}: ECO or name missing, or illegal moves")
                    yield int(polyglot_key(position, int(moves[-1]))), OpeningName(row["eco"], row["name"])
        except csv.Error as error:
            raise InputError(f"{path} is not a list of names: {error}") from error


def write_names(names: dict[int, OpeningName], path: Path = _FILE) -> None:
    """Write a table of names; `opening_by_key` uses the one in the package."""
    lines = sorted(f"{key:016x}\t{name.eco}\t{name.name}" for key, name in names.items())
    write_file(path, lzma.compress("\n".join(lines).encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
