"""How a file was made, in words that the file keeps."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path


def today() -> str:
    """The date, the same wherever the file is made."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def names_of(paths: Sequence[Path]) -> str:
    """The names of files, without their folders: those are the maker's business."""
    return " ".join(path.name for path in paths)


def command_of(name: str, arguments: argparse.Namespace, options: Iterable[str]) -> str:
    """The command over its files of data with the values of these options, as it could be typed beside the files."""
    words = [name, names_of(arguments.data)]
    for option in options:
        value = getattr(arguments, option)
        if value is None or value is False:  # an option of 0 was chosen
            continue
        for one in value if isinstance(value, list) else [value]:
            shown = one.name if isinstance(one, Path) else one
            words.append(f"--{option.replace('_', '-')}" + ("" if one is True else f" {shown}"))
    return " ".join(words)
