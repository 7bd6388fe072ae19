"""`class`: the ideas of adversarial search, a lesson each, in the terminal, as pictures and as notebooks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.cli.arguments import OutputFile, OutputFolder, add_seed, in_file, svg_file, text
from engine.cli.interruption import stop_on_interrupt
from engine.course.lesson import LESSONS, run_lesson
from engine.course.svg import Picture
from engine.system.errors import InputError, quote
from engine.system.files import begins_with, create_folder, write_file

_rows_file = OutputFile("page of rows", begins_with(b"# Every row of the notes"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("lesson", nargs="?", type=text, metavar="LESSON", help="which one; without it, all are listed")
    parser.add_argument("--svg", type=svg_file, metavar="FILE", help="draw the lesson's trees and curves")
    parser.add_argument("--pictures", type=OutputFolder(), metavar="FOLDER",
                        help="draw each tree and curve of the lesson into a file of its own")
    add_seed(parser, "the lesson's questions")
    parser.add_argument("--notebooks", type=OutputFolder(), metavar="FOLDER",
                        help="instead: write all lessons as notebooks")
    parser.add_argument("--outputs", type=in_file, metavar="FILE.md",
                        help="instead: run the commands that a page shows, and renew what they print there")
    parser.add_argument("--rows", type=_rows_file, metavar="FILE.md",
                        help="instead: write the page that lists every row of the notes, with lesson, page and test")


def run(arguments: argparse.Namespace) -> int:
    """Run a lesson; returns the exit status. Ctrl-C ends it at once, as there is nothing to wait for."""
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\ninterrupted"):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    for option in ("notebooks", "outputs", "rows"):
        if getattr(arguments, option) is not None and (arguments.lesson or arguments.svg or arguments.pictures):
            raise InputError(f"--{option} cannot be used with a lesson")
    if arguments.notebooks is not None:
        return _write_notebooks(arguments.notebooks)
    if arguments.outputs is not None:
        return _renew_outputs(arguments.outputs)
    if arguments.rows is not None:
        return _write_rows(arguments.rows)
    if arguments.lesson is None:
        for option in ("svg", "pictures"):
            if getattr(arguments, option):
                raise InputError(f"--{option} needs a lesson (adversary class lists them)")
        _print_list()
        return 0
    if arguments.lesson not in LESSONS:
        raise InputError(f"there is no lesson {quote(arguments.lesson)}; there are {', '.join(LESSONS)}")
    _hold(arguments.lesson, arguments)
    return 0


def _print_list() -> None:
    widest = max(map(len, LESSONS))
    for name, title in LESSONS.items():
        print(f"{name:<{widest}}  {title}")
    print("\nadversary class LESSON runs one; --svg FILE draws its trees and curves")


def _hold(name: str, arguments: argparse.Namespace) -> None:
    from engine.course.svg import stacked

    pictures = run_lesson(name, arguments.seed)
    if not pictures:  # the student ended the lesson before the first one
        return
    if arguments.svg is not None:
        write_file(arguments.svg, stacked(pictures).text())
        print(f"\n{arguments.svg}")
    if arguments.pictures is not None:
        _write_pictures(name, pictures, arguments.pictures)
    if arguments.svg is None and arguments.pictures is None:
        print(f"\nTo see it drawn: adversary class {name} --svg {name}.svg")


def _write_pictures(name: str, pictures: Sequence[Picture], folder: Path) -> None:
    create_folder(folder)
    print()
    for number, picture in enumerate((single for found in pictures for single in found.singles()), 1):
        file = folder / f"{name}-{number:02}.svg"
        write_file(file, picture.text())
        print(file)


def _write_notebooks(folder: Path) -> int:
    from engine.course.notebooks import write_notebooks

    create_folder(folder)
    for file in write_notebooks(folder):
        print(file)
    return 0


def _write_rows(page: Path) -> int:
    from engine.course.rows import rows_page

    write_file(page, rows_page())
    print(page)
    return 0


def _renew_outputs(page: Path) -> int:
    from engine.course.outputs import renew, shown_outputs

    text = page.read_text(encoding="utf-8")
    write_file(page, renew(text))
    for words in shown_outputs(text):
        print(f"adversary {words}")
    return 0
