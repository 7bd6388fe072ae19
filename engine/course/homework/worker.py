"""The process in which a student's file runs: it reads cases, calls the functions, and answers, one JSON line each.

What the file prints goes nowhere, and an import of this program fails: a guard against accidents, not a sandbox, as
the file runs with the rights of the user. Time and memory have limits where the system has
them; the process that started this one waits only so long for an answer.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import json
import math
import numbers
import os
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from engine.course.homework.games import Board, TreeOfPaths, arguments_of, game_of
from engine.system.packages import PACKAGES, SOURCE_ROOT
from engine.system.source_file import run_file

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_LONGEST = 60  # characters of a value in an answer


class _Barrier(importlib.abc.MetaPathFinder):
    """Lets no file import the program that grades it."""

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] in PACKAGES:
            raise ImportError("the course cannot be imported in homework")
        return None


def main(path: str, seconds: str, megabytes: str) -> None:
    """Serve until the input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):
            os.setsid()  # so that what the file starts ends with it
    if resource is not None:
        _limit(resource.RLIMIT_AS, int(megabytes) << 20)
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Barrier())
    _leave_source_root()
    if hasattr(os, "register_at_fork"):
        # A copy ends at once: it would reply too, and a function that forks at each call would double the processes.
        os.register_at_fork(after_in_child=lambda: os._exit(0))
    module: ModuleType | None = None
    for line in requests:
        request = json.loads(line)
        if resource is not None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            _limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime) + int(seconds))
        if request["function"] is None:
            module, answer = _loaded(path)
        else:
            answer = _called(module, request["function"], request["case"])
        _send(replies, {**answer, "number": request["number"]})


def _leave_source_root() -> None:
    """Take this program off the path of the file, and of the Python processes that it starts."""
    root = str(SOURCE_ROOT)
    sys.path[:] = [folder for folder in sys.path if folder != root]
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in ("", root)]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)


def _limit(which: int, most: int) -> None:
    """A limit that the system refuses is left out: the parent's clock remains."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (most, resource.getrlimit(which)[1]))


def _send(replies: TextIO, answer: Mapping[str, Any]) -> None:
    replies.write(json.dumps(answer) + "\n")
    replies.flush()


def _loaded(path: str) -> tuple[ModuleType | None, dict[str, Any]]:
    """Run the file; the answer has the names of its functions."""
    try:
        module = run_file(Path(path), "homework")
    except BaseException as error:  # noqa: BLE001  sys.exit, too
        return None, {"error": _words(error, path)}
    return module, {"functions": [name for name, value in vars(module).items() if callable(value)]}


def _called(module: ModuleType | None, function: str, case: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function on a case: its value, and how many leaves it looked at."""
    game = game_of(case) if function != "ucb1" else TreeOfPaths(0.0)
    try:
        value = getattr(module, function)(*arguments_of(case, function, game, random.Random(case.get("seed", 1))))
        return {"leaves": len(game.looked), **_plain(value, function, game)}
    except BaseException as error:  # noqa: BLE001
        return {"error": _words(error, getattr(module, "__file__", None) or "")}


def _plain(value: Any, function: str, game: TreeOfPaths | Board) -> dict[str, Any]:
    """The value as JSON has it, if it is of the right type."""
    if function == "uct":
        actions = game.actions(game.initial())  # type: ignore[arg-type]
        if not isinstance(value, dict) or set(value) - set(actions):
            return _wrong_type(value, "a dictionary with the actions of the root")
        pairs = {}
        for action, pair in value.items():
            if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(map(_is_number, pair)):
                return _wrong_type(pair, f"a pair of finite numbers, visits and total, for action {action}")
            pairs[str(action)] = [float(number) for number in pair]
        return {"value": pairs}
    if not _is_number(value):
        return _wrong_type(value, "a finite number" if isinstance(value, float) else "a number")
    return {"value": float(value)}


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def _wrong_type(value: object, wanted: str) -> dict[str, Any]:
    shown = " ".join(repr(value).split())
    return {"error": f"returns {shown[:_LONGEST]}{'...' if len(shown) > _LONGEST else ''}, not {wanted}"}


def _words(error: BaseException, path: str) -> str:
    """What went wrong, on one line, and where in the student's file."""
    if isinstance(error, NotImplementedError):
        return "not written yet"
    if isinstance(error, MemoryError):
        return "needs too much memory"
    if isinstance(error, SystemExit):
        return "calls sys.exit"
    if isinstance(error, RecursionError):
        return "infinite recursion"
    lines, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    number = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    where = f" (line {number})" if number is not None else ""
    said = _said(error)
    return f"raises {type(error).__name__}{': ' if said else ''}{said[:2 * _LONGEST]}{where}"


def _said(error: BaseException) -> str:
    """The message of an error, on one line; empty if it cannot even say that."""
    try:
        return " ".join(str(error).split())
    except Exception:  # noqa: BLE001
        return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
