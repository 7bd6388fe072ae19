"""The provenance stored in a file: date and command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path


def today() -> str:
    """The current date in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def names_of(paths: Sequence[Path]) -> str:
    """The names of files without their folders."""
    return " ".join(path.name for path in paths)


def command_of(name: str, arguments: argparse.Namespace, options: Iterable[str]) -> str:
    """The command over its files of data with the values of these options, as typed in the folder of the files."""
    words = [name, names_of(arguments.data)]
    for option in options:
        value = getattr(arguments, option)
        if value is None or value is False:  # 0 is a value
            continue
        for one in value if isinstance(value, list) else [value]:
            shown = one.name if isinstance(one, Path) else one
            words.append(f"--{option.replace('_', '-')}" + ("" if one is True else f" {shown}"))
    return " ".join(words)
