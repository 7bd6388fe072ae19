"""Exercises on Hex: the cell that wins at once."""

from __future__ import annotations

import random

from engine.course.reference.exercises.question import Question
from engine.course.reference.game import MAX
from engine.course.reference.games.hex import Hex, HexBoard

_GAME = Hex(3)


def winning_cell(chance: random.Random) -> Question:
    """Find the one cell that wins."""
    while True:
        board = _GAME.initial()
        for _ in range(chance.choice((3, 4, 5))):
            if not _GAME.is_terminal(board):
                board = _GAME.result(board, chance.choice(_GAME.actions(board)))
        wins = [] if _GAME.is_terminal(board) else [cell for cell in _GAME.actions(board)
                                                    if _GAME.is_terminal(_GAME.result(board, cell))]
        if len(wins) == 1:
            return _question(board, wins[0])


def _question(board: HexBoard, cell: int) -> Question:
    is_max = _GAME.to_move(board) == MAX
    shown = "\n".join("    " + line for line in _GAME.text(board).splitlines())
    names = {number: f"{number // 3 + 1},{number % 3 + 1}" for number in _GAME.actions(board)}
    side = "x joins top and bottom" if is_max else "o joins left and right"
    return Question(f"{side}, and is to move. Which cell wins at once (row, column)?\n\n{shown}", names[cell],
                    "Each cell has six neighbours: those beside it, two above and two below it.", tuple(names.values()))
