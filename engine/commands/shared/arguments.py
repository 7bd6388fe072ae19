"""The arguments of the commands: what may be written, in which range, and what it is called wherever it occurs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.errors import quote
from engine.options import find_option

_LARGEST = 1 << 62
_PLACEMENT = re.compile(r"[1-8pnbrqkPNBRQK]+(?:/[1-8pnbrqkPNBRQK]+){7}")
_FEN_TAIL = (re.compile(r"[wb]"), re.compile(r"-|[KQkqA-Ha-h]{1,4}"), re.compile(r"-|[a-h][1-8]"))
DEEPEST_SEARCH = 127  # engine.search.scores.MAX_PLY - 1: to import that would load the compiler
_LONGEST_TIME = 86_400_000  # milliseconds: a day
_LONGEST_WORK = 1_000_000  # minutes: two years


@dataclass(frozen=True)
class Whole:
    """A whole number within a range."""

    low: int = 1
    high: int = _LARGEST

    def __call__(self, text: str) -> int:
        """The number that `text` is; ArgumentTypeError if it is none of these."""
        try:
            value = int(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{quote(text)} is no whole number") from error
        if value < self.low and self.high == _LARGEST:
            raise argparse.ArgumentTypeError(f"must be at least {self.low}, not {value}")
        if not self.low <= value <= self.high:
            raise argparse.ArgumentTypeError(f"must be from {self.low} to {self.high}, not {quote(str(value))}")
        return value


@dataclass(frozen=True)
class Real:
    """A number within a range, the lower end excluded if `above` says so."""

    low: float
    high: float
    above: bool = False

    def __call__(self, text: str) -> float:
        """The number that `text` is; ArgumentTypeError if it is none of these."""
        try:
            value = float(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{quote(text)} is no number") from error
        if not self.low <= value <= self.high or (self.above and value == self.low):
            raise argparse.ArgumentTypeError(f"must be {'above' if self.above else 'from'} {self.low:g} "
                                             f"{'and at most' if self.above else 'to'} {self.high:g}, not {value:g}")
        return value


positive = Whole()
plies = Whole(1, DEEPEST_SEARCH)
milliseconds = Whole(1, _LONGEST_TIME)
minutes = Real(0, _LONGEST_WORK, above=True)
seed = Whole(0)


def of_option(name: str) -> Whole:
    """The range of a UCI option."""
    option = find_option(name)
    return Whole(option.low, option.high)


def add_hash(parser: argparse.ArgumentParser, default: int = 64) -> None:
    """Declare `--hash`."""
    parser.add_argument("--hash", type=of_option("Hash"), default=default, metavar="MB",
                        help=f"size of the transposition table (default {default})")


def add_threads(parser: argparse.ArgumentParser, default: int = 1, note: str = "") -> None:
    """Declare `--threads`."""
    parser.add_argument("--threads", type=of_option("Threads"), default=default, metavar="N",
                        help=f"search with N threads (default {default}{note})")


def add_concurrency(parser: argparse.ArgumentParser, default: str = "as many as there are cores") -> None:
    """Declare `--concurrency`."""
    parser.add_argument("--concurrency", type=of_option("Threads"), metavar="N",
                        help=f"games at the same time (default: {default})")


def add_seed(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare `--seed`."""
    parser.add_argument("--seed", type=seed, default=1, metavar="N", help=f"decides {what} (default 1)")


def add_fen(parser: argparse.ArgumentParser, told: str = "the starting position") -> None:
    """Declare `--fen`, to be read by `read_position`."""
    parser.add_argument("--fen", metavar="FEN",
                        help=f"the position: a FEN, quoted or not, or `startpos` (default: {told})")


def joined_fens(words: Sequence[str]) -> list[str]:
    """Words of a command line with each FEN that was written without quotes made one of them."""
    found, place = list[str](), 0
    while place < len(words):
        size = _fen_length(words[place:])
        found.append(" ".join(words[place : place + size]))
        place += size
    return found


def _fen_length(words: Sequence[str]) -> int:
    """How many of the words, from the first on, are the fields of one FEN; 1 if the first begins none."""
    tail = words[1:4]
    if not _PLACEMENT.fullmatch(words[0]) or len(tail) < len(_FEN_TAIL):
        return 1
    if not all(pattern.fullmatch(word) for pattern, word in zip(_FEN_TAIL, tail, strict=True)):
        return 1
    has_counters = len(words) >= 6 and words[4].isdecimal() and words[5].isdecimal()
    return 6 if has_counters else 4
