"""Breakthrough: two rows of pawns each, which go one step ahead, straight or diagonally, and take diagonally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.course.reference.game import MAX, Game, Player

_SIGNS = "xo."


class Pawns(NamedTuple):
    """The squares, row by row from the top: x for MAX, who goes down, o for MIN, . for none; and who moves."""

    squares: str
    player: Player = MAX


class Breakthrough(Game[Pawns, tuple[int, int]]):
    """The first to reach the other's first row, or to take all pawns, gets 1 from the other. Actions: from, to."""

    def __init__(self, columns: int = 6, rows: int = 6) -> None:
        self.columns, self.rows = columns, rows

    def initial(self) -> Pawns:
        full = 2 * self.columns
        return Pawns("x" * full + "." * (self.columns * self.rows - 2 * full) + "o" * full)

    def to_move(self, state: Pawns) -> Player:
        return state.player

    def actions(self, state: Pawns) -> Sequence[tuple[int, int]]:
        own, ahead = _SIGNS[state.player], self.columns if state.player == MAX else -self.columns
        found = []
        for square, sign in enumerate(state.squares):
            if sign != own:
                continue
            for side in (-1, 0, 1):
                target = square + ahead + side
                if 0 <= square % self.columns + side < self.columns and 0 <= target < len(state.squares):
                    there = state.squares[target]
                    if there == "." or (side and there != own):
                        found.append((square, target))
        return found

    def result(self, state: Pawns, action: tuple[int, int]) -> Pawns:
        squares = list(state.squares)
        squares[action[1]], squares[action[0]] = squares[action[0]], "."
        return Pawns("".join(squares), 1 - state.player)

    def is_terminal(self, state: Pawns) -> bool:
        squares = state.squares
        return "x" in squares[-self.columns :] or "o" in squares[: self.columns] or not {"x", "o"} <= set(squares)

    def utility(self, state: Pawns, player: Player) -> float:
        """Who has just moved has won."""
        return 1 if player != state.player else -1

    def evaluate(self, state: Pawns) -> float:
        """The share of pawns that MAX has more than MIN."""
        return (state.squares.count("x") - state.squares.count("o")) / (2 * self.columns)

    def text(self, state: Pawns) -> str:
        """The board, row by row."""
        return "\n".join(state.squares[start : start + self.columns]
                         for start in range(0, len(state.squares), self.columns))
