"""Worker threads that review games, each with its own engine; in this process or in a cluster's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.analysis.engine import Engine
from engine.analysis.review import DEFAULT_HASH
from engine.analysis.review_driver import ReviewTask
from engine.system.threads import per_thread

_engine_of_thread = per_thread(lambda: Engine(hash=DEFAULT_HASH))
_searching: set[Engine] = set()
_cancelled = threading.Event()


def run_task(task: ReviewTask) -> Any:
    """Run a task with the engine of this thread, which is kept for the next one."""
    with _searching_engine() as engine:
        return task.run(engine, _cancelled.is_set)


@contextmanager
def _searching_engine() -> Iterator[Engine]:
    """The engine of this thread, which `cancel_all` stops."""
    engine = _engine_of_thread()
    _searching.add(engine)
    try:
        yield engine
    finally:
        _searching.discard(engine)


def cancel_all() -> None:
    """Cancel all tasks of this process; their callers get ReviewCancelledError."""
    _cancelled.set()
    for engine in tuple(_searching):
        engine.stop()


def resume() -> None:
    """Allow tasks to be run again after `cancel_all`."""
    _cancelled.clear()
