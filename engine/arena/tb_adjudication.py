"""The endgame tables of the arena's referees: all outcomes, read once per process."""

from __future__ import annotations

from functools import cache
from threading import Lock

import chess

from engine.core.game import Game
from tablebase.codes import OUTCOME_DRAW, OUTCOME_WIN
from tablebase.tables import OwnTables

_reading = Lock()


def loaded_tables() -> OwnTables:
    """The built-in tables, with every outcome read: a referee must not depend on what happens to be loaded.

    Kernels keep their addresses. So all threads get the same tables, and they are never freed.
    """
    with _reading:
        return _read_tables()


@cache
def _read_tables() -> OwnTables:
    tables = OwnTables()
    tables.load_outcomes()
    return tables


def known_result(board: chess.Board) -> str | None:
    """The result of a game according to the tables, whatever the players would say; None if they have none."""
    if chess.popcount(board.occupied) > loaded_tables().max_pieces or board.castling_rights or board.is_game_over():
        return None
    outcome = loaded_tables().outcome(Game(board.fen()).position)
    if outcome is None:
        return None
    if outcome == OUTCOME_DRAW:
        return "1/2-1/2"
    return "1-0" if (outcome == OUTCOME_WIN) == board.turn else "0-1"
