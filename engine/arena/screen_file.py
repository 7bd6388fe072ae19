"""The file of a screen: one line of JSON that describes it, then one for each pair of games, written as it is played.

A screen that was interrupted continues from its file, and the files of several screens fold into one regression.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from engine.arena.screening import ParamChange, Screening
from engine.system.errors import InputError, quote
from engine.system.files import begins_with, read_text

_MAGIC = '{"screen": 1, '  # with the version of the format
_SIGNS = {"+": 1, "-": -1}
_LETTERS = {sign: letter for letter, sign in _SIGNS.items()}
is_screen_file = begins_with(_MAGIC.encode())


@dataclass(frozen=True)
class ScreenPlan:
    """What decides the pairs of a screen and their order."""

    changes: tuple[ParamChange, ...]
    nodes: int
    seed: int
    openings: str  # the name of their file; empty for random ones
    config: str  # that is changed

    def line(self) -> str:
        return _MAGIC + json.dumps(asdict(self))[1:]


def read_screen(path: Path) -> tuple[ScreenPlan, Screening]:
    """The plan of a screen and the pairs played so far; an incomplete last line, of a screen that was killed, does not
    count. InputError if the file is not that of a screen.
    """
    plan, screening, _ = _read(path)
    return plan, screening


def _read(path: Path) -> tuple[ScreenPlan, Screening, int]:
    """The plan, the pairs, and the length of the text that holds them."""
    text = read_text(path)
    length = text.rfind("\n") + 1
    first, *lines = text[:length].splitlines() or [""]
    if not first.startswith(_MAGIC):
        raise InputError(f"{path} is not a screen")
    try:
        fields = json.loads(first)
        del fields["screen"]
        changes = tuple(ParamChange(**change) for change in fields.pop("changes"))
        plan = ScreenPlan(changes=changes, **fields)
        screening = Screening(changes, plan.nodes)
        for line in lines:
            _add_pair(screening, line)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is not a screen: {error}") from error
    return plan, screening, length


def _add_pair(screening: Screening, line: str) -> None:
    number, letters, points = json.loads(line)
    if number != screening.pairs or len(letters) != len(screening.changes) or points not in (0, 0.5, 1, 1.5, 2):
        raise ValueError(f"invalid pair {quote(line)}")
    screening.add([_SIGNS[letter] for letter in letters], points)


class ScreenJournal:
    """A screen that is being played: every pair is added to the sums, and to the file if there is one."""

    def __init__(self, screening: Screening, file: TextIO | None) -> None:
        self.screening, self._file = screening, file

    def add(self, signs: Sequence[int], points: float) -> None:
        """Add the next pair."""
        if self._file is not None:
            letters = "".join(_LETTERS[sign] for sign in signs)
            self._file.write(json.dumps([self.screening.pairs, letters, points]) + "\n")
            self._file.flush()
        self.screening.add(signs, points)


@contextmanager
def open_screen(path: Path | None, plan: ScreenPlan) -> Iterator[ScreenJournal]:
    """The journal of a screen: with the pairs of the file, if it exists, or of a new one; without a path of none.

    InputError if the file is that of another screen, or cannot be written.
    """
    if path is None:
        yield ScreenJournal(Screening(plan.changes, plan.nodes), None)
        return
    screening, length = Screening(plan.changes, plan.nodes), 0
    if path.exists() and path.stat().st_size:
        kept, screening, length = _read(path)
        if kept != plan:
            raise InputError(f"{path} is a screen with {_difference(kept, plan)}")
    try:
        with path.open("a", encoding="utf-8") as file:
            file.truncate(length)
            if not length:
                file.write(plan.line() + "\n")
            yield ScreenJournal(screening, file)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _difference(kept: ScreenPlan, plan: ScreenPlan) -> str:
    names = [name for name, value in asdict(plan).items() if asdict(kept)[name] != value]
    return "other " + " and ".join(names)
