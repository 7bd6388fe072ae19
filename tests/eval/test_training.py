"""How shards are prepared in time: in order, one ahead, and without keeping anybody waiting."""

from __future__ import annotations

import threading
import time

import pytest

from engine.system.errors import InputError
from eval.training import prefetch


def test_who_leaves_early_does_not_wait_for_the_next_shard():
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


def test_a_fault_in_a_shard_is_raised_where_it_is_wanted():
    def shards():
        yield 1
        raise InputError("damaged")

    with pytest.raises(InputError, match="damaged"):
        list(prefetch(shards()))
