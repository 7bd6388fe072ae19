"""Worker threads that evaluate slices of games, each with its own engine; in this process or in a cluster's."""

from __future__ import annotations

import threading

from engine.analysis.engine import Engine
from engine.analysis.review import GameSlice, PositionEval, evaluate_slice

_own = threading.local()  # `engine`, and its hash size `hash`
_searching: set[Engine] = set()
_cancelled = threading.Event()


def review_slice(game_slice: GameSlice) -> list[PositionEval]:
    """Evaluate a slice with the engine of this thread, which is kept for the next slice."""
    engine = getattr(_own, "engine", None)
    if engine is None or _own.hash != game_slice.effort.hash:
        if engine is not None:
            engine.close()
        engine = _own.engine = Engine(hash=game_slice.effort.hash)
        _own.hash = game_slice.effort.hash
    _searching.add(engine)
    try:
        return evaluate_slice(engine, game_slice, _cancelled.is_set)
    finally:
        _searching.discard(engine)


def cancel_all() -> None:
    """Cancel all slices of this process; their callers get ReviewCancelledError."""
    _cancelled.set()
    for engine in tuple(_searching):
        engine.stop()


def resume() -> None:
    """Allow slices to be evaluated again after `cancel_all`."""
    _cancelled.clear()
