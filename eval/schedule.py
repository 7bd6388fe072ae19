"""What all trainings have in common: how the learning rate falls, and how shards are prepared in time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_LAST_RATE = 0.01  # of the first


def cosine(progress: float) -> float:
    """What is left of the learning rate at some point of the training."""
    return _LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * min(progress, 1.0))) / 2


def prefetched(shards: Iterator[T]) -> Iterator[T]:
    """The same shards, each prepared while the previous one is in use."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, shards, None)
        while (shard := waiting.result()) is not None:
            waiting = pool.submit(next, shards, None)
            yield shard
