"""Types, ranges and common declarations of the commands' arguments."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.player.options import find_option
from engine.system.errors import InputError, quote, reason_of
from engine.system.files import begins_with, begins_with_epd, check_name, check_target, file_size, user_path

_LARGEST = 1 << 62
_PLACEMENT = re.compile(r"[1-8pnbrqkPNBRQK]+(?:/[1-8pnbrqkPNBRQK]+){7}")
_FEN_TAIL = (re.compile(r"[wb]"), re.compile(r"-|[KQkqA-Ha-h]{1,4}"), re.compile(r"-|[a-h][1-8]"))
DEEPEST_SEARCH = 127  # engine.search.scores.MAX_PLY - 1; importing it would load the compiler
_LONGEST_TIME = 86_400_000  # milliseconds: a day
_LONGEST_WORK = 1_000_000  # minutes: two years


@dataclass(frozen=True)
class IntRange:
    """An integer within a range."""

    low: int = 1
    high: int = _LARGEST

    def __call__(self, text: str) -> int:
        """Parse the number; ArgumentTypeError if it is invalid or out of range."""
        try:
            value = int(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{quote(text)} is not an integer") from error
        if value < self.low and self.high == _LARGEST:
            raise argparse.ArgumentTypeError(f"must be at least {self.low}, got {value}")
        if not self.low <= value <= self.high:
            raise argparse.ArgumentTypeError(f"must be from {self.low} to {self.high}, got {quote(str(value))}")
        return value


@dataclass(frozen=True)
class IntList:
    """Integers within a range, in rising order and separated by commas."""

    each: IntRange

    def __call__(self, text: str) -> tuple[int, ...]:
        """Parse the numbers; ArgumentTypeError if one is invalid, out of range or not larger than the one before."""
        numbers = tuple(map(self.each, text.split(",")))
        if list(numbers) != sorted(set(numbers)):
            raise argparse.ArgumentTypeError(f"must be in rising order, got {quote(text)}")
        return numbers


@dataclass(frozen=True)
class FloatRange:
    """A number within a range, the lower end excluded if `above` says so."""

    low: float
    high: float
    above: bool = False

    def __call__(self, text: str) -> float:
        """Parse the number; ArgumentTypeError if it is invalid or out of range."""
        try:
            value = float(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{quote(text)} is not a number") from error
        if not self.low <= value <= self.high or (self.above and value == self.low):
            raise argparse.ArgumentTypeError(f"must be {'above' if self.above else 'from'} {self.low:g} "
                                             f"{'and at most' if self.above else 'to'} {self.high:g}, got {value:g}")
        return value


@dataclass(frozen=True)
class Text:
    """A non-empty string, parsed later by the command."""

    def __call__(self, text: str) -> str:
        """Return the string; ArgumentTypeError if it is blank."""
        if not text.strip():
            raise argparse.ArgumentTypeError("must not be empty")
        return text


@dataclass(frozen=True)
class InputFile:
    """A plain file that can be read."""

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it cannot be read."""
        return _check_path(_path(text), file_size)


@dataclass(frozen=True)
class OutputFile:
    """A file to be written; an existing one is replaced only if it has the same format."""

    what: str
    is_ours: Callable[[Path], bool]

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it cannot or must not be written."""
        return _check_path(_path(text), lambda path: check_target(path, self.is_ours, self.what))


@dataclass(frozen=True)
class OutputStem:
    """The common stem of files to be written with these suffixes."""

    endings: tuple[str, ...]

    def __call__(self, text: str) -> Path:
        """Return the path without a suffix; ArgumentTypeError if there is no such folder."""
        path = _path(text)
        if not path.name:
            raise argparse.ArgumentTypeError(f"{quote(text)} has no file name")
        for ending in self.endings:
            _check_path(path.with_name(path.name + ending), lambda file: check_target(file, lambda _: True, "file"))
        return path


@dataclass(frozen=True)
class Folder:
    """An existing folder."""

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it does not exist."""
        return _check_path(_path(text), _check_folder)


@dataclass(frozen=True)
class OutputFolder:
    """A folder that exists or can be created."""

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it cannot be created."""
        return _check_path(_path(text), _check_no_file)


def _check_no_file(path: Path) -> None:
    check_name(path)
    nearest = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
    if not nearest.is_dir():
        raise InputError(f"cannot create the folder {path}: {nearest} is a file")


def _check_folder(path: Path) -> None:
    check_name(path)
    if not path.is_dir():
        raise InputError(f"no folder {quote(str(path))}")


def _path(text: str) -> Path:
    try:
        return user_path(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _check_path(path: Path, check: Callable[[Path], object]) -> Path:
    try:
        check(path)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    except OSError as error:  # a name that is too long, a folder without permission
        raise argparse.ArgumentTypeError(f"{quote(str(path))}: {reason_of(error)}") from error
    return path


positive = IntRange()
plies = IntRange(1, DEEPEST_SEARCH)
milliseconds = IntRange(1, _LONGEST_TIME)
minutes = FloatRange(0, _LONGEST_WORK, above=True)
seed = IntRange(0)
text = Text()
in_file = InputFile()
folder = Folder()
svg_file = OutputFile("picture in SVG", begins_with(b"<svg", b"<?xml"))
epd_file = OutputFile("file of positions", begins_with_epd)


def option_range(name: str) -> IntRange:
    """The range of a UCI option."""
    option = find_option(name)
    return IntRange(option.low, option.high)


def add_limits(parser: argparse.ArgumentParser, per: str, default_movetime: int, note: str = "") -> None:
    """Declare `--movetime`, `--depth` and `--nodes`, one of which limits each search; `per` names what is searched."""
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help=f"milliseconds per {per} (default {default_movetime})")
    limits.add_argument("--depth", type=plies, metavar="D", help=f"plies per {per}{note}")
    limits.add_argument("--nodes", type=positive, metavar="N", help=f"nodes per {per}{note}")


def movetime_of(arguments: argparse.Namespace, default_movetime: int) -> int | None:
    """The milliseconds that the arguments of `add_limits` allow; None if depth or nodes are the limit."""
    if arguments.depth or arguments.nodes:
        return None
    return arguments.movetime or default_movetime


def add_hash(parser: argparse.ArgumentParser, default: int = 64) -> argparse.Action:
    """Declare `--hash`."""
    return parser.add_argument("--hash", type=option_range("Hash"), default=default, metavar="MB",
                        help=f"size of the transposition table (default {default})")


def add_games_file(parser: argparse.ArgumentParser) -> argparse.Action:
    """Declare the argument `games`, a PGN file."""
    return parser.add_argument("games", type=in_file, metavar="GAMES.pgn",
                               help="the games, also compressed (.gz, .xz, .bz2, .zip)")


def add_review(parser: argparse.ArgumentParser, verb: str, default_nodes: int, default_hash: int) -> None:
    """Declare how games are reviewed: the effort per position, and who does the work; `verb` says what is done."""
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=positive, metavar="N",
                        help=f"nodes per position (default {default_nodes}); moves in doubt get four times as many and "
                             "more: the same result every time")
    limits.add_argument("--depth", type=plies, metavar="D", help="plies per position instead: as reproducible")
    parser.add_argument("--movetime", type=milliseconds, metavar="MS",
                        help="at most so many milliseconds per position: the result then depends on the machine")
    add_hash(parser, default_hash)
    add_workers(parser, verb)


def add_workers(parser: argparse.ArgumentParser, verb: str) -> None:
    """Declare `--concurrency` and `--cluster`: who works on the games; `verb` says what is done with them."""
    add_concurrency(parser)
    parser.add_argument("--cluster", type=text, metavar="ADDRESS", help=f"{verb} on the dask cluster at tcp://...")


def add_threads(parser: argparse.ArgumentParser, default: int = 1, note: str = "") -> argparse.Action:
    """Declare `--threads`."""
    return parser.add_argument("--threads", type=option_range("Threads"), default=default, metavar="N",
                        help=f"search with N threads (default {default}{note})")


def add_concurrency(parser: argparse.ArgumentParser, default: str = "the number of cores") -> argparse.Action:
    """Declare `--concurrency`."""
    return parser.add_argument("--concurrency", type=option_range("Threads"), metavar="N",
                        help=f"games at the same time (default: {default})")


def add_seed(parser: argparse.ArgumentParser, what: str) -> argparse.Action:
    """Declare `--seed`."""
    return parser.add_argument("--seed", type=seed, default=1, metavar="N", help=f"decides {what} (default 1)")


def add_fen(parser: argparse.ArgumentParser, default: str = "the starting position") -> argparse.Action:
    """Declare `--fen`, to be read by `parse_position`."""
    return parser.add_argument("--fen", type=text, metavar="FEN",
                        help=f"the position: a FEN, quoted or not, or `startpos` (default: {default})")


def joined_fens(words: Sequence[str]) -> list[str]:
    """Join the words of each FEN that was written without quotes."""
    joined, index = list[str](), 0
    while index < len(words):
        size = _fen_length(words[index:])
        joined.append(" ".join(words[index : index + size]))
        index += size
    return joined


def _fen_length(words: Sequence[str]) -> int:
    """The number of leading words that form a FEN; 1 if there is no FEN."""
    tail = words[1:4]
    if not _PLACEMENT.fullmatch(words[0]) or len(tail) < len(_FEN_TAIL):
        return 1
    if not all(pattern.fullmatch(word) for pattern, word in zip(_FEN_TAIL, tail, strict=True)):
        return 1
    has_counters = len(words) >= 6 and words[4].isdecimal() and words[5].isdecimal()
    return 6 if has_counters else 4


def requires_option(action: argparse.Action, *others: str, among: Sequence[str] | None = None) -> None:
    """Require one of the other options, or that the one other option has a value `among` these."""
    action.__dict__.setdefault(_NEEDS, []).append((others, among))


def conflicts_with(action: argparse.Action, *others: str, among: Sequence[str] | None = None) -> None:
    """Forbid the other options, or, for one other, the values `among` these."""
    action.__dict__.setdefault(_EXCLUDES, []).append((others, among))


_NEEDS, _EXCLUDES = "needs", "excludes"  # attributes set by these two functions


def check_combinations(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Raise InputError if options conflict, or if an input file would be overwritten."""
    actions = list(_chosen_actions(parser, arguments))
    by_name = {_name(action): action for action in actions}

    def holds(others: Sequence[str], among: Sequence[str] | None) -> bool:
        if among is not None:
            return getattr(arguments, by_name[others[0]].dest) in among
        return any(_is_given(by_name[name], arguments) for name in others)

    for action in actions:
        if not _is_given(action, arguments):
            continue
        for others, among in getattr(action, _NEEDS, ()):
            if not holds(others, among):
                raise InputError(f"{_name(action)} requires {' or '.join(among or others)}")
        for others, among in getattr(action, _EXCLUDES, ()):
            if holds(others, among):
                raise InputError(f"{_name(action)} cannot be used with {' or '.join(among or others)}")
    _check_files(actions, arguments)


def _check_files(actions: Sequence[argparse.Action], arguments: argparse.Namespace) -> None:
    sources = [path.resolve() for action in actions if isinstance(action.type, InputFile)
               for path in _values(action, arguments)]
    for action in actions:
        for path in _values(action, arguments) if isinstance(action.type, OutputFile) else ():
            if path.resolve() in sources:
                raise InputError(f"{_name(action)}: {path} is also an input file; refusing to overwrite it")


def _chosen_actions(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Iterator[argparse.Action]:
    """The arguments of a parser and of the chosen subparser."""
    for action in parser._actions:  # noqa: SLF001  argparse has no other list of them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            yield from _chosen_actions(action.choices[getattr(arguments, action.dest)], arguments)
        else:
            yield action


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else action.dest


def _is_given(action: argparse.Action, arguments: argparse.Namespace) -> bool:
    return getattr(arguments, action.dest, None) not in (None, False, [], action.default)


def _values(action: argparse.Action, arguments: argparse.Namespace) -> list[Path]:
    value = getattr(arguments, action.dest, None)
    return [] if value is None else value if isinstance(value, list) else [value]
