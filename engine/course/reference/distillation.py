"""Distillation: a small and fast evaluation learns from the labels of a slow one.

The teacher looks ahead and evaluates the leaves. The pupil looks at a board once: it adds up a weight for each line.
It is given boards, each with the teacher's value, and nothing else: no game and no result. So it becomes what its
teacher is, right or wrong, in a fraction of the teacher's time. Learning from results instead (learning.py) needs no
teacher, but many games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.course.reference.alphabeta import alphabeta
from engine.course.reference.game import MAX
from engine.course.reference.games.board import Board, TicTacToe

EDGES, MIDDLES, DIAGONALS = "edge", "middle", "diagonal"
LINES = ((EDGES, (0, 1, 2)), (EDGES, (6, 7, 8)), (EDGES, (0, 3, 6)), (EDGES, (2, 5, 8)), (MIDDLES, (3, 4, 5)),
         (MIDDLES, (1, 4, 7)), (DIAGONALS, (0, 4, 8)), (DIAGONALS, (2, 4, 6)))
GAME = TicTacToe()
_PLIES = 3  # that the teacher looks ahead
_ROUNDS, _RATE = 30, 0.05  # how often the pupil goes through its labels, and how far each one moves the weights

Pattern = tuple[str, tuple[str, ...]]  # which lines, and what is on it


class Label(NamedTuple):
    """What a pupil is given: a board, and what the teacher thinks of it, as the player to move sees it."""

    board: Board
    value: float


def teacher(board: Board) -> float:
    """A search of some plies that counts open lines where it ends; the value of the player to move."""
    value = alphabeta(GAME, board, _PLIES, GAME.open_lines)
    return value if GAME.to_move(board) == MAX else -value


def labelled(boards: Iterable[Board]) -> list[Label]:
    """The boards with the teacher's labels."""
    return [Label(board, teacher(board)) for board in boards]


def patterns(board: Board) -> list[Pattern]:
    """What the player to move sees on the eight lines."""
    mover = GAME.to_move(board)
    signs = [" " if owner is None else "mine" if owner == mover else "theirs" for owner in board]
    return [(where, tuple(signs[square] for square in line)) for where, line in LINES]


class Pupil:
    """An evaluation with a weight for each pattern; one that it never met counts 0."""

    def __init__(self) -> None:
        self.weights: dict[Pattern, float] = {}

    def value(self, board: Board) -> float:
        """What the board is worth to the player to move, between -1 and 1."""
        return math.tanh(sum(self.weights.get(pattern, 0.0) for pattern in patterns(board)))

    def evaluate(self, board: Board) -> float:
        """The same for MAX, for a search that is cut off."""
        return self.value(board) if GAME.to_move(board) == MAX else -self.value(board)

    def learn(self, labels: Sequence[Label]) -> None:
        """Move the weights downhill on the squared distance from the labels, one label at a time."""
        for _ in range(_ROUNDS):
            for board, wanted in labels:
                value = self.value(board)
                step = _RATE * (wanted - value) * (1 - value**2)  # the derivative of tanh is 1 - tanh^2
                for pattern in patterns(board):
                    self.weights[pattern] = self.weights.get(pattern, 0.0) + step


def distance(pupil: Pupil, labels: Sequence[Label]) -> float:
    """How far the pupil is from the teacher, on average."""
    return math.fsum(abs(pupil.value(board) - wanted) for board, wanted in labels) / len(labels)
