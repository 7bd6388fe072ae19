"""Games by name: those of the course, and those of the user's own files, `nim.py:Nim` or `package.module:GAME`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.course.reference.game import Game
from engine.system.errors import InputError, quote, reason_of
from engine.system.source_file import run_file

_GAMES = "engine.course.reference.games."
# Of the course: the module, and the class with what it is made from.
GAMES: Mapping[str, tuple[str, str, tuple[Any, ...]]] = {
    "tic-tac-toe": ("board", "TicTacToe", ()),
    "connect-four": ("board", "ConnectFour", ()),
    "halving": ("halving", "Halving", (20,)),
    "hex": ("hex", "Hex", ()),
    "breakthrough": ("breakthrough", "Breakthrough", ()),
    "race": ("race", "Race", (6,)),
    "backgammon": ("backgammon", "SmallBackgammon", ()),
    "truel": ("truel", "Truel", ((1 / 3, 2 / 3, 1), 2)),
    "kuhn": ("kuhn", "Kuhn", ()),
    "battleship": ("battleship", "Battleship", ()),
    "rock-paper-scissors": ("rockpaperscissors", "RockPaperScissors", ()),
}


def load_game(name: str) -> Game[Any, Any]:
    """The game of that name; InputError, one line, if there is none or its file is broken."""
    if name in GAMES:
        module, made, arguments = GAMES[name]
        game: Game[Any, Any] = getattr(importlib.import_module(_GAMES + module), made)(*arguments)
        return game
    source, colon, attribute = name.rpartition(":")
    if not colon or not source or not attribute:
        raise InputError(f"there is no game {quote(name)}: write FILE.py:GAME, MODULE:GAME or one of "
                         + ", ".join(GAMES))
    module_of_user = _load_module(source)
    if not hasattr(module_of_user, attribute):
        raise InputError(f"{source} has no {attribute}")
    found: Any = getattr(module_of_user, attribute)
    if not inspect.isclass(found):
        return found  # type: ignore[no-any-return]
    try:
        made_by_user: Game[Any, Any] = found()  # type: ignore[assignment]
    except Exception as error:
        raise InputError(f"{attribute}() raises {type(error).__name__}: {reason_of(error)}") from error
    return made_by_user


def _load_module(source: str) -> ModuleType:
    """A module by its name, or by its file."""
    path = Path(source) if source.endswith(".py") else None
    if path is not None and not path.is_file():
        raise InputError(f"no file {quote(source)}")
    try:
        return importlib.import_module(source) if path is None else run_file(path, f"game_of_{path.stem}")
    except ModuleNotFoundError as error:
        raise InputError(f"cannot import {source}: {reason_of(error)}") from error
    except Exception as error:
        raise InputError(f"{source}{_line_of(error, source)}: {type(error).__name__}: {reason_of(error)}") from error


def _line_of(error: BaseException, source: str) -> str:
    """Where in the user's file it was raised."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).name == Path(source).name:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f", line {lines[-1]}" if lines else ""
