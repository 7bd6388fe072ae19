"""Common parts of all trainers: the decay of the learning rate, and the prefetching of shards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
_LAST_RATE = 0.01  # as a fraction of the first


def cosine_decay(progress: float) -> float:
    """The factor of the learning rate at this progress, from 1 at 0 to _LAST_RATE at 1."""
    return _LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2


def prefetch(shards: Iterator[T]) -> Iterator[T]:
    """Yield the shards, each prepared in a thread while the previous one is in use.

    A caller that stops early does not wait for the shard in preparation, nor does the end of the process.
    """
    waiting = _prepare(shards)
    while (shard := waiting.result()) is not None:
        waiting = _prepare(shards)
        yield shard


def _prepare(shards: Iterator[T]) -> Future[T | None]:
    """A future of the next shard; its result is None after the last one."""
    prepared: Future[T | None] = Future()

    def work() -> None:
        try:
            prepared.set_result(next(shards, None))
        except BaseException as error:  # noqa: BLE001  raised by `result`
            prepared.set_exception(error)

    Thread(target=work, daemon=True).start()
    return prepared
