"""What all trainings have in common: how the learning rate falls, and how shards are prepared in time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
_LAST_RATE = 0.01  # of the first


def cosine_decay(progress: float) -> float:
    """What is left of the learning rate at some point of the training."""
    return _LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2


def prefetched(shards: Iterator[T]) -> Iterator[T]:
    """The same shards, each prepared while the previous one is in use.

    Whoever leaves early does not wait for the one in preparation, nor does the end of the process.
    """
    waiting = _prepare(shards)
    while (shard := waiting.result()) is not None:
        waiting = _prepare(shards)
        yield shard


def _prepare(shards: Iterator[T]) -> Future[T | None]:
    """The next shard, in a while; None after the last one."""
    prepared: Future[T | None] = Future()

    def work() -> None:
        try:
            prepared.set_result(next(shards, None))
        except BaseException as error:  # noqa: BLE001  raised where the shard is wanted
            prepared.set_exception(error)

    Thread(target=work, daemon=True).start()
    return prepared
