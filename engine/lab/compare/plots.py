"""`--plots DIR`: curves of a comparison, drawn in every file format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.cli.arguments import OutputFolder
from engine.cli.plots import Curve, check_plot, save_plot
from engine.system.files import create_folder

_FORMATS = ("png", "svg")


def add_plots(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--plots`."""
    parser.add_argument("--plots", type=OutputFolder(), metavar="DIR",
                        help=f"draw {what} as {' and '.join(_FORMATS)}; needs the extra `lab`")


def check_plots(arguments: argparse.Namespace) -> None:
    """Create the folder; InputError if plots cannot be written, before the work rather than after."""
    if getattr(arguments, "plots", None) is not None:
        create_folder(arguments.plots)
        check_plot(arguments.plots / f"plot.{_FORMATS[0]}")


def save(stem: Path, labels: tuple[str, str], curves: Mapping[str, Curve], **style: Any) -> list[Path]:
    """Draw curves in every file format; returns the files, none if there is nothing to draw."""
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in _FORMATS]
    return [file for file in files if save_plot(file, labels, curves, **style)]


def save_and_print(arguments: argparse.Namespace, name: str, labels: tuple[str, str], curves: Mapping[str, Curve],
                   **style: Any) -> None:
    """With `--plots`, draw curves and print the names of the files."""
    if arguments.plots is not None:
        print_files(save(arguments.plots / name, labels, curves, **style), arguments)


def print_files(files: Iterable[Path], arguments: argparse.Namespace) -> None:
    """Print the names of the files that were written."""
    for file in files:
        print(file, file=sys.stderr if arguments.json else sys.stdout)
