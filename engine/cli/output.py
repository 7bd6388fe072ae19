"""Output of the commands: JSON objects, warnings, percentages, plurals.

With `--json` a command prints one object per line and nothing else on stdout; progress and warnings go to stderr.
docs/json.md lists the fields.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST_WARNINGS = 100  # of a command: a broken file may cause millions
_warnings = [0]  # so far


def add_json(parser: argparse.ArgumentParser, what: str) -> argparse.Action:
    """Declare `--json`; `what` describes the objects, such as `one object per position`."""
    return parser.add_argument("--json", action="store_true", help=f"for programs: {what}, as JSON, instead of text")


def print_object(fields: Mapping[str, Any]) -> None:
    """Print one object as one line and flush it, because a program may be waiting for it."""
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def as_object(row: NamedTuple | None) -> dict[str, Any] | None:
    """The fields of a named tuple as an object; None for None."""
    return None if row is None else row._asdict()


def print_warning(text: str) -> None:
    """Print a warning on stderr, in one line; after many about skipped input, one that says that there are more."""
    _warnings[0] += text.startswith("skipped")
    if _warnings[0] <= _MOST_WARNINGS or not text.startswith("skipped"):
        print(f"warning: {text}", file=sys.stderr)
    elif _warnings[0] == _MOST_WARNINGS + 1:
        print("warning: skipped more, not shown", file=sys.stderr)


def count_warnings_anew() -> None:
    """Print the warnings of another command."""
    _warnings[0] = 0


def percent(share: float, digits: int = 1) -> str:
    """A share of 1 as a percentage with so many decimals: `40.7 %`."""
    return f"{100 * share:.{digits}f} %"


def pluralize(number: int, one: str, more: str | None = None) -> str:
    """`1 ply`, `2 plies`; the plural adds an s unless `more` is given."""
    return f"{number} {one if number == 1 else more or one + 's'}"
