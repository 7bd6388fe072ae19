"""Hex: no draws, many moves, and no obvious way to evaluate a board. The first to join the own two sides wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.course.reference.encoding import EncodedGame
from engine.course.reference.game import MAX, MIN, Player

_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))  # the six neighbours of a cell
_SIGNS = {MAX: "x", MIN: "o", None: "."}


class HexBoard(NamedTuple):
    """The cells, row by row, each MAX's, MIN's or empty, and the one that was taken last."""

    cells: tuple[int | None, ...]
    last: int | None = None


class Hex(EncodedGame[HexBoard, int]):
    """MAX joins top and bottom, MIN left and right; the winner gets 1 from the other. Actions are cells."""

    largest = 1.0  # utility

    def __init__(self, size: int = 7) -> None:
        self.size, self.action_count = size, size * size
        self._neighbours = [self._around(cell) for cell in range(size * size)]

    def _around(self, cell: int) -> list[int]:
        row, column = divmod(cell, self.size)
        return [(row + down) * self.size + column + right for down, right in _STEPS
                if 0 <= row + down < self.size and 0 <= column + right < self.size]

    def initial(self) -> HexBoard:
        return HexBoard((None,) * self.size**2)

    def to_move(self, state: HexBoard) -> Player:
        return state.cells.count(None) % 2 ^ self.size % 2

    def actions(self, state: HexBoard) -> Sequence[int]:
        return [cell for cell, owner in enumerate(state.cells) if owner is None]

    def result(self, state: HexBoard, action: int) -> HexBoard:
        cells = state.cells
        return HexBoard((*cells[:action], self.to_move(state), *cells[action + 1 :]), action)

    def is_terminal(self, state: HexBoard) -> bool:
        return state.last is not None and self._joins(state.cells, state.last)

    def utility(self, state: HexBoard, player: Player) -> float:
        assert state.last is not None
        return 1 if state.cells[state.last] == player else -1

    def _joins(self, cells: Sequence[int | None], start: int) -> bool:
        """Whether the stones that hang together with this one join the two sides of their owner."""
        owner, size = cells[start], self.size
        seen, waiting, is_low, is_high = {start}, [start], False, False
        while waiting:
            cell = waiting.pop()
            line = cell // size if owner == MAX else cell % size
            is_low, is_high = is_low or line == 0, is_high or line == size - 1
            for near in self._neighbours[cell]:
                if cells[near] == owner and near not in seen:
                    seen.add(near)
                    waiting.append(near)
        return is_low and is_high

    def encode(self, state: HexBoard) -> Sequence[float]:
        """The board as a network sees it: MAX's stones, MIN's stones, and who moves."""
        return [*(float(owner == side) for side in (MAX, MIN) for owner in state.cells), float(self.to_move(state))]

    def index(self, action: int) -> int:
        """The output of a network's policy that stands for an action."""
        return action

    def evaluate(self, state: HexBoard) -> float:
        """What a beginner sees: whose stones are nearer to the middle of the board."""
        middle = (self.size - 1) / 2
        total = 0.0
        for cell, owner in enumerate(state.cells):
            if owner is not None:
                row, column = divmod(cell, self.size)
                near = 1 - (abs(row - middle) + abs(column - middle)) / (2 * self.size)
                total += near if owner == MAX else -near
        return total / self.size**2

    def text(self, state: HexBoard) -> str:
        """The board as people draw it: every row half a cell further right."""
        rows = ["".join(_SIGNS[owner] + " " for owner in state.cells[start : start + self.size]).rstrip()
                for start in range(0, self.size**2, self.size)]
        return "\n".join(" " * number + row for number, row in enumerate(rows))
