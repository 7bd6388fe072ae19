"""Threads that judge parts of games, each with an engine of its own; in this process, or in one of a cluster."""

from __future__ import annotations

import threading

from engine.analysis.engine import Engine
from engine.analysis.review import GameSlice, PositionEval, evaluate_slice

_own = threading.local()  # `engine`, and the `hash` that it was made with
_searching: set[Engine] = set()
_halted = threading.Event()


def judge_span(span: GameSlice) -> list[PositionEval]:
    """The judgements of a span, by an engine that this thread keeps for the next one."""
    engine = getattr(_own, "engine", None)
    if engine is None or _own.hash != span.effort.hash:
        if engine is not None:
            engine.close()
        engine = _own.engine = Engine(hash=span.effort.hash)
        _own.hash = span.effort.hash
    _searching.add(engine)
    try:
        return evaluate_slice(engine, span, _halted.is_set)
    finally:
        _searching.discard(engine)


def cancel_all() -> None:
    """End all spans of this process: whoever waits for one gets HaltedError."""
    _halted.set()
    for engine in tuple(_searching):
        engine.stop()


def resume() -> None:
    """Let spans be judged again."""
    _halted.clear()
