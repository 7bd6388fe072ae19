"""`class`: the ideas of adversarial search, a lesson each, in the terminal, as pictures and as notebooks."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.commands.course.lesson import LESSONS, run_lesson
from engine.commands.shared.arguments import folder, svg_file, text
from engine.system.errors import InputError, quote
from engine.system.files import write_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("lesson", nargs="?", type=text, metavar="LESSON", help="which one; without it, all are listed")
    parser.add_argument("--svg", type=svg_file, metavar="FILE", help="draw the lesson's trees and curves")
    parser.add_argument("--notebooks", type=folder, metavar="FOLDER", help="instead: write all lessons as notebooks")


def run(arguments: argparse.Namespace) -> int:
    """Run a lesson; returns the exit status."""
    if arguments.notebooks is not None:
        if arguments.lesson or arguments.svg:
            raise InputError("--notebooks goes alone: it writes all lessons")
        return _write_notebooks(arguments.notebooks)
    if arguments.lesson is None:
        if arguments.svg:
            raise InputError("--svg needs a lesson (adversary class lists them)")
        _print_list()
        return 0
    if arguments.lesson not in LESSONS:
        raise InputError(f"there is no lesson {quote(arguments.lesson)}; there are {', '.join(LESSONS)}")
    _hold(arguments.lesson, arguments.svg)
    return 0


def _print_list() -> None:
    widest = max(map(len, LESSONS))
    for name, title in LESSONS.items():
        print(f"{name:<{widest}}  {title}")
    print("\nadversary class LESSON runs one; --svg FILE draws its trees and curves")


def _hold(name: str, file: Path | None) -> None:
    from engine.commands.course.svg import stacked

    pictures = run_lesson(name)
    if file is not None:
        write_file(file, stacked(pictures).text())
        print(f"\n{file}")
    elif pictures:
        print(f"\nTo see it drawn: adversary class {name} --svg {name}.svg")


def _write_notebooks(folder: Path) -> int:
    from engine.commands.course.notebooks import write_notebooks

    for file in write_notebooks(folder):
        print(file)
    return 0
