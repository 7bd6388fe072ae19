"""Answers for programs: with `--json` a command prints objects, one a line, and nothing else on stdout.

What people are told meanwhile, progress and complaints, goes to stderr. docs/json.md lists the fields.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple


def add_json(parser: argparse.ArgumentParser, what: str) -> argparse.Action:
    """Declare `--json`; `what` says of what there is an object, such as `one object a position`."""
    return parser.add_argument("--json", action="store_true", help=f"for programs: {what}, as JSON, instead of text")


def print_object(fields: Mapping[str, Any]) -> None:
    """Print one object as one line, at once: whoever reads it may be waiting."""
    print(json.dumps(fields, ensure_ascii=False), flush=True)


def as_object(row: NamedTuple | None) -> dict[str, Any] | None:
    """The fields of a value that may be missing."""
    return None if row is None else row._asdict()


def print_warning(text: str) -> None:
    """Tell the user on stderr, in one line."""
    print(f"error: {text}", file=sys.stderr)


def pluralize(number: int, one: str, more: str | None = None) -> str:
    """`1 ply`, `2 plies`; the plural is that of most words unless it is said."""
    return f"{number} {one if number == 1 else more or one + 's'}"
