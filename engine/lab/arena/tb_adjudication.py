"""Adjudication by endgame tables: all WDL tables, read once per process."""

from __future__ import annotations

from functools import cache
from threading import Lock

import chess

from engine.core.game import Game
from tablebase.codes import OUTCOME_DRAW, OUTCOME_WIN
from tablebase.tables import OwnTables

_reading = Lock()


def loaded_tables() -> OwnTables:
    """The built-in tables with all WDL tables loaded, so that adjudication does not depend on what else was probed.

    Kernels keep their addresses, so all threads get the same tables, which are never freed.
    """
    with _reading:
        return _read_tables()


@cache
def _read_tables() -> OwnTables:
    tables = OwnTables()
    tables.load_outcomes()
    return tables


def known_result(board: chess.Board) -> str | None:
    """The result of a game according to the tables; None if they do not cover the position."""
    if chess.popcount(board.occupied) > loaded_tables().max_pieces or board.castling_rights or board.is_game_over():
        return None
    outcome = loaded_tables().outcome(Game(board.fen()).position)
    if outcome is None:
        return None
    if outcome == OUTCOME_DRAW:
        return "1/2-1/2"
    return "1-0" if (outcome == OUTCOME_WIN) == board.turn else "0-1"
