"""Test suites: positions with solutions, and positions with known perft counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import chess

from engine.core.game import Game
from engine.search.scores import mate_distance
from engine.system.errors import InputError, quote
from engine.system.files import numbered_lines
from engine.text.notation import read_epd

_MATE_NOTE = re.compile(r"\bce \+?M(\d+);")  # some authors write mates like this
_MATE_SCORE = 30_000  # an EPD's `ce` beyond this announces a mate


@dataclass
class Problem:
    """A position and its solution."""

    number: int
    fen: str
    best: set[str] = field(default_factory=set)  # UCI text of moves that solve it
    avoid: set[str] = field(default_factory=set)
    mate: int | None = None  # moves to the mate to be found
    label: str = ""  # the author's name for it

    @property
    def name(self) -> str:
        """Its line number and label."""
        return f"line {self.number}" + (f" ({self.label})" if self.label else "")

    def is_solved(self, move: str, score: int) -> bool:
        """Whether this move, as UCI text, with this score solves the problem."""
        if self.mate is not None:
            distance = mate_distance(score)
            return distance is not None and 0 < distance <= self.mate
        return move in self.best if self.best else move not in self.avoid


def read_problems(path: Path) -> tuple[list[Problem], list[str]]:
    """The problems of an EPD file, and a warning for each invalid line; InputError if the file cannot be read."""
    problems, warnings = [], []
    for number, line in numbered_lines(path):
        try:
            problems.append(_read_problem(number, line))
        except ValueError as error:
            warnings.append(f"suite {path}, line {number}: {error}")
    return problems, warnings


def _read_problem(number: int, line: str) -> Problem:
    board, operations = read_epd(_MATE_NOTE.sub(r"dm \1;", line))
    problem = Problem(number, Game(board.fen()).fen(), label=str(operations.get("id") or ""))
    problem.best = _texts(board, operations.get("bm"))
    problem.avoid = _texts(board, operations.get("am"))
    mate, score = operations.get("dm"), operations.get("ce")
    if isinstance(mate, int):
        problem.mate = mate
    elif isinstance(score, int) and score > _MATE_SCORE:
        problem.mate = (32767 - score) // 2 + 1
    if not problem.best and not problem.avoid and problem.mate is None:
        raise InputError(f"no bm, am, dm or mating ce in {quote(line)}")
    return problem


def _texts(board: chess.Board, moves: object) -> set[str]:
    return {board.uci(move) for move in moves} if isinstance(moves, list) else set()


class PerftLine(NamedTuple):
    """A position of a perft suite and its known counts."""

    number: int
    fen: str
    counts: list[tuple[int, int]]  # (depth, leaves)


_KNOWN_COUNT = re.compile(r"D(\d{1,2})\s+(\d{1,18})")
_BLANKS = " \t\0"  # some suites pad their lines with zeros
_REMARK = re.compile(r"[a-z]\w*\b")


def read_perft_suite(path: Path) -> list[PerftLine]:
    """The positions of a file of lines "FEN ;D1 20 ;D2 400 ;id name"; InputError if it is not one."""
    lines = [_read_perft_line(path, number, line) for number, line in numbered_lines(path)]
    if not lines:
        raise InputError(f"suite {path} contains no positions")
    return lines


def _read_perft_line(path: Path, number: int, line: str) -> PerftLine:
    fen, *notes = (note.strip(_BLANKS) for note in line.split(";"))
    counts = []
    for note in filter(None, notes):
        known = _KNOWN_COUNT.fullmatch(note)
        if known:
            counts.append((int(known[1]), int(known[2])))
        elif not _REMARK.match(note):
            raise InputError(f"suite {path}, line {number}: {quote(note)} is not a count like 'D1 20'")
    if not counts:
        raise InputError(f"suite {path}, line {number}: no counts like ';D1 20' in {quote(line)}")
    return PerftLine(number, fen, counts)
