"""A puzzle: a position in which exactly one move wins, saves or mates, its solution, and what refutes other moves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeGuard

import chess

from engine.analysis.arguments import to_move
from engine.analysis.review import Line
from engine.system.errors import InputError, quote

UNRATED = 1500  # the rating of a puzzle that has none
LONGEST_SOLUTION = 59  # plies
_ID_LENGTH = 12
_TARGET = re.compile(r"([a-h][1-8])(=[QRBN])?[+#]?$")  # of a move in SAN
_WORDS_LENGTH = 200  # characters that are kept of a text from a file


class Goal(Enum):
    """What the only move does."""

    WIN = "win"
    SAVE = "save"
    MATE = "mate"


class RefutedTry(NamedTuple):
    """A wrong move of the solver, the line that refutes it, beginning with the reply, and the reason."""

    ply: int  # of the solution at which it is tried
    move: chess.Move
    refutation: Line
    reason: str


@dataclass(frozen=True)
class Puzzle:
    """A puzzle. The solver is the side to move in `fen`; the solution begins and ends with a move of theirs."""

    fen: str
    solution: Line
    goal: Goal = Goal.WIN
    themes: tuple[str, ...] = ()
    rating: int = UNRATED
    tries: tuple[RefutedTry, ...] = ()
    source: str = ""  # the game that it is from
    mistake: str = ""  # the move before, in SAN
    chess960: bool = False

    @property
    def id(self) -> str:
        """The same for the same task, whatever file it is in."""
        return hashlib.sha256(f"{self.fen} {self.solution[0].uci()}".encode()).hexdigest()[:_ID_LENGTH]

    def board(self, plies: int = 0) -> chess.Board:
        """The board after this number of plies of the solution, with its history."""
        board = chess.Board(self.fen, chess960=self.chess960)
        for move in self.solution[:plies]:
            board.push(move)
        return board

    @property
    def mistake_square(self) -> chess.Square | None:
        """The square to which the piece of the mistake went, the king's of castling; None if it is not known."""
        board = self.board()
        if self.mistake.startswith("O-O"):
            return board.king(not board.turn)
        found = _TARGET.search(self.mistake)
        square = chess.parse_square(found[1]) if found else None
        return square if square is not None and board.color_at(square) is (not board.turn) else None

    def is_right(self, ply: int, move: chess.Move) -> bool:
        """Whether a move at this ply solves the puzzle so far: the one of the solution, or any that mates."""
        if move == self.solution[ply]:
            return True
        board = self.board(ply)
        board.push(move)
        return board.is_checkmate()

    def refuted_try(self, ply: int, move: chess.Move) -> RefutedTry | None:
        """The refutation of a move at this ply, if it is known."""
        return next((known for known in self.tries if (known.ply, known.move) == (ply, move)), None)

    def as_json(self) -> dict[str, Any]:
        """The puzzle as a JSON object."""
        tries = [{"ply": known.ply, "move": known.move.uci(), "refutation": _texts(known.refutation),
                  "reason": known.reason} for known in self.tries]
        return {"id": self.id, "fen": self.fen, "moves": _texts(self.solution), "goal": self.goal.value,
                "themes": list(self.themes), "rating": self.rating, "tries": tries, "source": self.source,
                "mistake": self.mistake, "chess960": self.chess960}


def _texts(line: Line) -> list[str]:
    return [move.uci() for move in line]


def puzzle_from_json(value: object) -> Puzzle:
    """The puzzle of a JSON object; InputError if it is not one."""
    if not isinstance(value, dict):
        raise InputError("not a puzzle")
    fen, moves = value.get("fen"), value.get("moves")
    if not isinstance(fen, str) or not _is_list_of_texts(moves):
        raise InputError("not a puzzle: it needs fen and moves")
    is_chess960 = value.get("chess960") is True
    board = checked_board(fen, is_chess960)
    solution = checked_line(board, moves)
    tries = value.get("tries")
    known = [_try_from_json(board, solution, row) for row in (tries if isinstance(tries, list) else ())]
    themes = value.get("themes")
    return Puzzle(board.fen(shredder=is_chess960), solution, checked_goal(value.get("goal")),
                  tuple(map(shorten, themes)) if _is_list_of_texts(themes) else (),
                  checked_rating(value.get("rating")), tuple(known), shorten(value.get("source")),
                  shorten(value.get("mistake")), is_chess960)


def _try_from_json(board: chess.Board, solution: Line, row: object) -> RefutedTry:
    if not isinstance(row, Mapping) or not isinstance(row.get("move"), str) or (
            not _is_list_of_texts(row.get("refutation"))):
        raise InputError("a refuted try is invalid")
    ply = row.get("ply")
    if not isinstance(ply, int) or not 0 <= ply < len(solution) or ply % 2:
        raise InputError("a refuted try is invalid")
    cursor = board.copy()
    for move in solution[:ply]:
        cursor.push(move)
    line = legal_line(cursor, [row["move"], *row["refutation"]])
    return RefutedTry(ply, line[0], line[1:], shorten(row.get("reason")))


def _is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def checked_board(fen: str, chess960: bool = False) -> chess.Board:
    """The board of a FEN; InputError unless it is a legal position."""
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError as error:
        raise InputError(f"{quote(fen)} is not a FEN") from error
    if not board.is_valid():
        raise InputError(f"{quote(fen)} is not a legal position")
    return board


def checked_line(board: chess.Board, texts: Sequence[str]) -> Line:
    """The moves of a solution, up to the solver's last; InputError if one is illegal, or there are none or too many."""
    line = legal_line(board, texts)
    line = line[: len(line) - (len(line) + 1) % 2]
    if not line or len(line) > LONGEST_SOLUTION:
        raise InputError("it has no solution" if not line else "its solution is too long")
    return line


def legal_line(board: chess.Board, texts: Sequence[str]) -> Line:
    """Moves in SAN or as UCI text, one after the other; InputError if one is illegal."""
    cursor, line = board.copy(), list[chess.Move]()
    for text in texts[: LONGEST_SOLUTION + 1]:
        line.append(to_move(cursor, text))
        cursor.push(line[-1])
    return tuple(line)


def checked_goal(value: object) -> Goal:
    """The goal of that name; to win, if there is none."""
    return next((goal for goal in Goal if goal.value == value), Goal.WIN)


def checked_rating(value: object) -> int:
    """A rating as a number; that of an unrated puzzle if it is none."""
    is_rating = isinstance(value, int | float) and 0 <= value <= 4000
    return round(value) if is_rating and isinstance(value, int | float) else UNRATED


def shorten(value: object) -> str:
    """A text of a file on one line, cut off if it is very long; empty if it is no text."""
    return " ".join(value.split())[:_WORDS_LENGTH] if isinstance(value, str) else ""
