"""The endgame tables of the arena's referees: all outcomes, read once a process."""

from __future__ import annotations

from functools import cache
from threading import Lock

import chess

from engine.core.game import Game
from tablebase.probe import DRAW, WIN
from tablebase.tables import Tables

_reading = Lock()


def loaded_tables() -> Tables:
    """The built-in tables, with every outcome read: a referee must not depend on what happens to be loaded.

    Kernels keep their address. So whichever thread asks first, all get the same ones, and they stay.
    """
    with _reading:
        return _read_tables()


@cache
def _read_tables() -> Tables:
    tables = Tables()
    tables.load_outcomes()
    return tables


def known_result(board: chess.Board) -> str | None:
    """The result that the tables foretell for a game, whatever the players would say; None if they do not."""
    if chess.popcount(board.occupied) > loaded_tables().most_men or board.castling_rights or board.is_game_over():
        return None
    outcome = loaded_tables().outcome(Game(board.fen()).position)
    if outcome is None:
        return None
    if outcome == DRAW:
        return "1/2-1/2"
    return "1-0" if (outcome == WIN) == board.turn else "0-1"
