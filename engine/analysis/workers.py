"""Worker threads that review games, each with its own engine; in this process or in a cluster's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.analysis.engine import Engine
from engine.analysis.review import GameSlice, PositionEval, evaluate_slice
from engine.analysis.verification import Candidate, VerifiedMove, verify

_own = threading.local()  # `engine`, and its hash size `hash`
_searching: set[Engine] = set()
_cancelled = threading.Event()


def review_slice(game_slice: GameSlice) -> list[PositionEval]:
    """Evaluate a slice with the engine of this thread, which is kept for the next one."""
    with _engine_of_thread(game_slice.effort.hash) as engine:
        return evaluate_slice(engine, game_slice, _cancelled.is_set)


def verify_candidate(candidate: Candidate) -> VerifiedMove:
    """Search a candidate again with the engine of this thread."""
    with _engine_of_thread(candidate.effort.hash) as engine:
        return verify(engine, candidate, _cancelled.is_set)


@contextmanager
def _engine_of_thread(hash_size: int) -> Iterator[Engine]:
    """The engine of this thread, which `cancel_all` stops."""
    engine: Engine | None = getattr(_own, "engine", None)
    if engine is None or _own.hash != hash_size:
        if engine is not None:
            engine.close()
        engine = _own.engine = Engine(hash=hash_size)
        _own.hash = hash_size
    _searching.add(engine)
    try:
        yield engine
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
