"""The positions of EPD test suites, and what their authors ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import chess

from engine.core.errors import InputError, quote
from engine.core.game import Game
from engine.core.textfile import numbered_lines
from engine.search.scores import mate_distance

_MATE_NOTE = re.compile(r"\bce \+?M(\d+);")  # some authors write mates so
_MATE_SCORE = 30_000  # an EPD's `ce` beyond this announces a mate


@dataclass
class Problem:
    """A position and what its author asks for."""

    number: int
    fen: str
    best: set[str] = field(default_factory=set)  # UCI text of moves that solve it
    avoid: set[str] = field(default_factory=set)
    mate: int | None = None  # moves to the mate that is to be found

    def is_solved(self, move: str, score: int) -> bool:
        """Whether this move, as UCI text, with this score is an answer."""
        if self.mate is not None:
            distance = mate_distance(score)
            return distance is not None and 0 < distance <= self.mate
        return move in self.best if self.best else move not in self.avoid


def read_problems(path: Path) -> tuple[list[Problem], list[str]]:
    """The problems of an EPD file, and what is wrong with the lines that are none; InputError if it cannot be read."""
    problems, complaints = [], []
    for number, line in numbered_lines(path):
        try:
            problems.append(_read_problem(number, line))
        except ValueError as error:
            complaints.append(f"suite {path}, line {number}: {error}")
    return problems, complaints


def _read_problem(number: int, line: str) -> Problem:
    board = chess.Board()
    operations = board.set_epd(_MATE_NOTE.sub(r"dm \1;", line.strip()))
    problem = Problem(number, Game(board.fen()).fen())
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
