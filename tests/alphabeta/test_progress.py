"""Progress that a long search reports."""

from __future__ import annotations

import time

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.game import Game
from engine.core.perft import PERFT_POSITIONS
from engine.search.types import Bound, Info, Limits, Progress

KIWIPETE = PERFT_POSITIONS[1].fen


def test_a_long_search_tells_of_its_progress(monkeypatch):
    monkeypatch.setattr("engine.alphabeta.searcher._FIRST_PROGRESS", 0.05)
    monkeypatch.setattr("engine.alphabeta.searcher._PROGRESS_INTERVAL", 0.05)
    monkeypatch.setattr("engine.alphabeta.iterations._FIRST_BOUND", 0.0)
    game, heard = Game(KIWIPETE), []
    AlphaBetaSearch(4).run(game.position, Limits(movetime=0.5), heard.append)
    progress = [found for found in heard if isinstance(found, Progress)]
    assert len(progress) > 3
    assert all(found.current_move in game.legal_moves() and found.current_move_number >= 1 for found in progress)
    assert {found.bound for found in heard if isinstance(found, Info)} >= {Bound.EXACT, Bound.LOWER}


def test_no_progress_is_reported_after_the_answer(monkeypatch):
    monkeypatch.setattr("engine.alphabeta.searcher._FIRST_PROGRESS", 0.02)
    monkeypatch.setattr("engine.alphabeta.searcher._PROGRESS_INTERVAL", 0.0)
    begun, ended = [], []

    def report(found: object) -> None:
        if isinstance(found, Progress):
            begun.append(found)
            time.sleep(0.03)
            ended.append(found)

    AlphaBetaSearch(4).run(Game(KIWIPETE).position, Limits(movetime=0.2), report)
    assert begun and len(ended) == len(begun)
