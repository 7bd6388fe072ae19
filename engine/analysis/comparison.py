"""A move beside a better one: the lines of both, and what a statement about their difference is.

A statement has to hold in two of the lines of a move, those of the last iterations of one search: what only the last
iteration sees is often gone in the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import chess

from engine.analysis.claims import Claim
from engine.analysis.review import Line
from engine.analysis.wording import claim_line

_Item = TypeVar("_Item")
LineSearch = Callable[[chess.Board, int], Sequence[chess.Move]]  # the best line of a search with so many nodes

VOTES = 2  # lines in which a statement has to hold
LONGEST = 20  # plies of a line that is looked at


@dataclass(frozen=True)
class Statement:
    """One thing that a move does wrong, or that the better one does, and the claim that proves it."""

    rank: float  # the higher, the more it says about the mark
    words: str  # without the line that proves them
    claim: Claim
    has_line: bool = True  # the line of the claim is printed after the words
    is_missed: bool = False  # the claim is about the better line

    def text(self, chess960: bool = False) -> str:
        """The sentence with its line."""
        return f"{self.words}: {self.line_text(chess960)}" if self.has_line else self.words

    def line_text(self, chess960: bool = False) -> str:
        """The line of the claim."""
        return claim_line(chess.Board(self.claim.fen, chess960=chess960), self.claim)


@dataclass(frozen=True)
class MoveComparison:
    """A move and a better one. `search` is None if threats are not looked for."""

    board: chess.Board  # before the move, with its history
    played: tuple[Line, ...]  # lines that begin with the move, that of the last iteration first
    better: tuple[Line, ...]  # lines that begin with the better move
    cost: int  # centipawns that the move loses
    search: LineSearch | None = None

    @property
    def move(self) -> chess.Move:
        """The move."""
        return self.played[0][0]

    @property
    def best(self) -> chess.Move:
        """The better move."""
        return self.better[0][0]

    @cached_property
    def after(self) -> chess.Board:
        """The board after the move."""
        return board_after_move(self.board, self.move)

    @cached_property
    def after_best(self) -> chess.Board:
        """The board after the better move."""
        return board_after_move(self.board, self.best)

    @cached_property
    def reply(self) -> chess.Move | None:
        """The reply to the move on which the search has settled; None without one."""
        replies = [line[1] for line in self.played if len(line) > 1]
        return replies[0] if replies and replies.count(replies[0]) >= VOTES else None

    @cached_property
    def reply_to_best(self) -> chess.Move | None:
        """The reply to the better move on which the search has settled; None without one."""
        replies = [line[1] for line in self.better if len(line) > 1]
        return replies[0] if replies and replies.count(replies[0]) >= VOTES else None


def agreeing_lines(line: Line, recent: Iterable[Line]) -> tuple[Line, ...]:
    """A line, and before it in time those of earlier iterations that begin with the same move, the newest first.

    `recent` has the oldest first and ends with the line itself, unless that has been continued since.
    """
    earlier = [other for other in recent if other[:1] == line[:1]][:-1]
    return (line, *reversed(earlier))


def board_after_move(board: chess.Board, move: chess.Move) -> chess.Board:
    """The board after a move, with its history."""
    after = board.copy()
    after.push(move)
    return after


def board_after_pass(board: chess.Board, *moves: chess.Move) -> chess.Board | None:
    """The board after some moves and a null move; None if the side to pass is in check, or the game is over."""
    passed = board.copy(stack=False)
    for move in moves:
        passed.push(move)
    if passed.is_check() or not any(passed.generate_legal_moves()):
        return None
    passed.push(chess.Move.null())
    return passed


def legal_part(board: chess.Board, line: Iterable[chess.Move], longest: int = LONGEST) -> Line:
    """The moves of a line that are legal one after another, `longest` of them at most."""
    cursor, moves = board.copy(stack=False), list[chess.Move]()
    for move in line:
        if len(moves) == longest or not cursor.is_legal(move):
            break
        moves.append(move)
        cursor.push(move)
    return tuple(moves)


def most_voted(items: Sequence[_Item], key: Callable[[_Item], Hashable]) -> list[_Item]:
    """The items with the commonest key; none if it has too few votes."""
    counts = Counter(map(key, items)).most_common(1)
    if not counts or counts[0][1] < VOTES:
        return []
    return [item for item in items if key(item) == counts[0][0]]
