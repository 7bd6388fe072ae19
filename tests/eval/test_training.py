"""Prefetching of shards: in order, one ahead, without blocking the caller."""

from __future__ import annotations

import threading
import time

import pytest

from engine.system.errors import InputError
from eval.training import prefetch


def test_a_caller_that_stops_early_does_not_wait():
    release = threading.Event()

    def shards():
        yield 1
        release.wait(60)
        yield 2

    begun = time.perf_counter()
    assert next(iter(prefetch(shards()))) == 1
    assert time.perf_counter() - begun < 30
    release.set()
    assert list(prefetch(iter(range(1, 5)))) == [1, 2, 3, 4]


def test_an_error_in_a_shard_is_raised_in_the_caller():
    def shards():
        yield 1
        raise InputError("damaged")

    with pytest.raises(InputError, match="damaged"):
        list(prefetch(shards()))
