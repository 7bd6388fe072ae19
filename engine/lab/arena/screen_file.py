"""The file of a screen: what decides its pairs of games, and the result of each, written as it is played.

A screen that was interrupted continues from its file, and the files of several screens fold into one regression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.lab.arena.json_lines import JsonLines
from engine.lab.arena.screening import ParamChange, Screening
from engine.system.errors import InputError, quote

_FORMAT = JsonLines("screen")
_SIGNS = {"+": 1, "-": -1}
_LETTERS = {sign: letter for letter, sign in _SIGNS.items()}
is_screen_file = _FORMAT.is_ours


@dataclass(frozen=True)
class ScreenPlan:
    """What decides the pairs of a screen and their order."""

    changes: tuple[ParamChange, ...]
    nodes: int
    seed: int
    openings: str  # the name of their file; empty for random ones
    config: str  # that is changed


def read_screen(path: Path) -> tuple[ScreenPlan, Screening]:
    """The plan of a screen and the pairs played so far; InputError if the file is not that of a screen."""
    return _parse(path, *_FORMAT.read(path))


def _parse(path: Path, description: Mapping[str, Any], pairs: Sequence[Any]) -> tuple[ScreenPlan, Screening]:
    try:
        fields = dict(description)
        changes = tuple(ParamChange(**change) for change in fields.pop("changes"))
        plan = ScreenPlan(changes=changes, **fields)
        screening = Screening(changes, plan.nodes)
        for pair in pairs:
            _add_pair(screening, pair)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is not a screen: {error}") from error
    return plan, screening


def _add_pair(screening: Screening, pair: Any) -> None:
    number, letters, points = pair
    if number != screening.pairs or len(letters) != len(screening.changes) or points not in (0, 0.5, 1, 1.5, 2):
        raise ValueError(f"invalid pair {quote(str(pair))}")
    screening.add([_SIGNS[letter] for letter in letters], points)


class ScreenJournal:
    """A screen that is being played: every pair is added to the sums, and to the file if there is one."""

    def __init__(self, screening: Screening, append: Callable[[Any], None]) -> None:
        self.screening, self._append = screening, append

    def add(self, signs: Sequence[int], points: float) -> None:
        """Add the next pair."""
        self._append([self.screening.pairs, "".join(_LETTERS[sign] for sign in signs), points])
        self.screening.add(signs, points)


@contextmanager
def open_screen(path: Path | None, plan: ScreenPlan) -> Iterator[ScreenJournal]:
    """The journal of a screen: with the pairs of the file, if it exists, or of a new one; without a path of none.

    InputError if the file is that of another screen, or cannot be written.
    """
    with _FORMAT.open(path, asdict(plan)) as (pairs, append):
        screening = Screening(plan.changes, plan.nodes)
        if path is not None and pairs:
            _, screening = _parse(path, {**asdict(plan), "changes": [asdict(change) for change in plan.changes]}, pairs)
        yield ScreenJournal(screening, append)
