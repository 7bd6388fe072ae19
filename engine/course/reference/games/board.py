"""Stones in a row: tic-tac-toe, and connect four on a board of any size."""

from __future__ import annotations

from collections.abc import Sequence

from engine.course.reference.encoding import EncodedGame
from engine.course.reference.game import MAX, MIN, Player

Board = tuple[int | None, ...]  # square by square, row by row from the top: MAX, MIN or empty


class RowGame(EncodedGame[Board, int]):
    """Players take turns placing a stone; the first with enough of them in a row wins 1. A full board is a draw, 0."""

    largest = 1.0  # utility

    def __init__(self, columns: int, rows: int, needed: int) -> None:
        self.columns, self.rows, self.action_count = columns, rows, columns * rows
        self._lines = _lines(columns, rows, needed)

    def initial(self) -> Board:
        return (None,) * (self.columns * self.rows)

    def to_move(self, state: Board) -> Player:
        return MIN if (len(state) - state.count(None)) % 2 else MAX

    def actions(self, state: Board) -> Sequence[int]:
        return [square for square, owner in enumerate(state) if owner is None]

    def result(self, state: Board, action: int) -> Board:
        return (*state[:action], self.to_move(state), *state[action + 1 :])

    def is_terminal(self, state: Board) -> bool:
        return self.winner(state) is not None or None not in state

    def utility(self, state: Board, player: Player) -> float:
        winner = self.winner(state)
        return 0 if winner is None else 1 if winner == player else -1

    def winner(self, state: Board) -> Player | None:
        """The player with a complete row; None if there is none."""
        for line in self._lines:
            owner = state[line[0]]
            if owner is not None and owner == state[line[1]] and all(state[square] == owner for square in line):
                return owner
        return None

    def open_lines(self, state: Board) -> float:
        """An evaluation between loss and win: the share of lines still open to MAX minus those still open to MIN."""
        owners = [{state[square] for square in line} for line in self._lines]
        return sum((MIN not in held) - (MAX not in held) for held in owners) / (len(owners) + 1)

    def encode(self, state: Board) -> Sequence[float]:
        """The board as a network sees it: where the own stones of the player to move are, then the other's."""
        mover = self.to_move(state)
        return [float(owner == side) for side in (mover, 1 - mover) for owner in state]

    def index(self, action: int) -> int:
        """The output of a network's policy that stands for an action."""
        return action

    def text(self, state: Board) -> str:
        """The board as people draw it."""
        signs = "".join({MAX: "x", MIN: "o", None: "."}[owner] for owner in state)
        return "\n".join(signs[start : start + self.columns] for start in range(0, len(signs), self.columns))


class TicTacToe(RowGame):
    """Three in a row on nine squares."""

    def __init__(self) -> None:
        super().__init__(3, 3, 3)


class ConnectFour(RowGame):
    """Actions are columns: a stone falls to the lowest empty square of its column."""

    def __init__(self, columns: int = 5, rows: int = 4, needed: int = 4) -> None:
        super().__init__(columns, rows, needed)
        self.action_count = columns

    def actions(self, state: Board) -> Sequence[int]:
        return [column for column in range(self.columns) if state[column] is None]

    def result(self, state: Board, action: int) -> Board:
        square = max(index for index in range(action, len(state), self.columns) if state[index] is None)
        return super().result(state, square)


def parse_grid(text: str) -> Board:
    """The board that a text shows: x for MAX, o for MIN, . for an empty square."""
    return tuple({"x": MAX, "o": MIN, ".": None}[sign] for sign in "".join(text.split()))


def _lines(columns: int, rows: int, needed: int) -> tuple[tuple[int, ...], ...]:
    """Every row of squares that wins: across, down and along both diagonals."""
    found = []
    for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for row in range(rows):
            for column in range(columns):
                ends = column + right * (needed - 1), row + down * (needed - 1)
                if 0 <= ends[0] < columns and ends[1] < rows:
                    found.append(tuple((row + down * step) * columns + column + right * step
                                       for step in range(needed)))
    return tuple(found)
