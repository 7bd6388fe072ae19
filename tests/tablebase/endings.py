"""Positions of endings, chosen by what the built-in tables say about them."""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.core.game import Game
from tablebase.material import Ending
from tablebase.random_positions import random_board
from tablebase.tables import OwnTables

TABLES = OwnTables()


def find_position(ending: Ending, chance: random.Random, is_wanted: Callable[[int | None], bool]) -> str:
    """The FEN of a random position of an ending, one whose table code satisfies `is_wanted`."""
    while True:
        fen = random_board(ending, chance).fen()
        if is_wanted(TABLES.code(Game(fen).position)):
            return fen


def has_wins(ending: Ending, share: float = 0.001) -> bool:
    """Whether more than this share of an ending's positions is won, for either side to move."""
    return any(summary.wins > share * summary.positions for summary in TABLES.outcomes.entry(ending).summary)
