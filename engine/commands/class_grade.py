"""`class grade`: homework on adversarial search, graded function by function."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.cli.arguments import OutputFile, add_seed, text
from engine.cli.interruption import stop_on_interrupt
from engine.course.homework.grading import FileGrade, FunctionGrade, grade_file
from engine.course.homework.stubs import STUBS
from engine.system.errors import InputError
from engine.system.files import begins_with, write_file

_python_file = OutputFile("file of stubs", begins_with(STUBS.encode()[:20]))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="*", type=text, metavar="FILE.py", help="the files to grade")
    parser.add_argument("--stubs", type=_python_file, metavar="FILE.py", help="instead: write the functions to fill in")
    parser.add_argument("--json", action="store_true", help="print JSON, one object per file")
    add_seed(parser, "the hidden cases")


def run(arguments: argparse.Namespace) -> int:
    """Grade every file; returns the exit status, 1 if one of them could not be run."""
    if arguments.stubs is not None:
        if arguments.files:
            raise InputError("--stubs cannot be used with files to grade")
        write_file(arguments.stubs, STUBS)
        print(arguments.stubs)
        return 0
    if not arguments.files:
        raise InputError("no files: name those to grade, or write the functions to fill in with --stubs FILE.py")
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\ninterrupted: the grades above are complete"):
        return _grade(map(Path, arguments.files), arguments)


def _grade(files: Iterable[Path], arguments: argparse.Namespace) -> int:
    status = 0
    for file in files:
        grade = grade_file(file, arguments.seed)
        if arguments.json:
            print(json.dumps(_fields(grade)), flush=True)
        elif len(arguments.files) > 1:
            print(_row(grade), flush=True)
        else:
            _print(grade)
        status = status or int(grade.error is not None)
    return status


def _fields(grade: FileGrade) -> dict[str, Any]:
    return {"file": grade.file, "points": grade.points, "of": grade.of, "error": grade.error,
            "functions": [{"name": one.name, "points": one.points, "of": one.of, "failed": one.failed,
                           "reason": one.reason, "case": one.case, "mistake": one.mistake} for one in grade.functions]}


def _row(grade: FileGrade) -> str:
    """One line for a file."""
    each = grade.error or ", ".join(f"{one.name} {one.points}" for one in grade.functions)
    return f"{grade.points:>3} of {grade.of}  {grade.file}  {each}"


def _print(grade: FileGrade) -> None:
    print(f"{grade.file}: {grade.points} of {grade.of} points")
    if grade.error is not None:
        print(f"it cannot be run: {grade.error}")
        return
    for one in grade.functions:
        print(f"\n{one.name:<10}  {one.points:>2} of {one.of}")
        for line in _explanation(one):
            print(f"    {line}")


def _explanation(one: FunctionGrade) -> list[str]:
    lines = []
    if one.failed is not None:
        lines.append(f"fails: {one.failed}")
    if one.case is not None:
        lines.append("on " + ", ".join(f"{name} {json.dumps(value)}" for name, value in one.case.items()))
    if one.reason is not None:
        lines.append(one.reason)
    if one.mistake is not None:
        lines.append(f"classic mistake: {one.mistake}")
    return lines
