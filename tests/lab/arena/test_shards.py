"""Shards: results in order, lost workers made good, and no work after the end."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.lab.arena.shards import in_order
from engine.system.errors import InputError


def test_results_come_in_order_however_long_each_takes():
    def shard(number):
        time.sleep(0.02 * (number % 3 == 0))
        return number

    with ThreadPoolExecutor(4) as pool:
        assert list(in_order(pool, [lambda n=n: shard(n) for n in range(20)], 4)) == list(range(20))


def test_a_shard_whose_worker_is_lost_is_computed_again():
    tries: list[int] = []

    def fails_once():
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the worker is gone")
        return "done"

    with ThreadPoolExecutor(1) as pool:
        assert list(in_order(pool, [fails_once, lambda: "next"], 2)) == ["done", "next"]
    assert len(tries) == 2


def test_a_shard_that_always_fails_is_an_error_and_bad_input_is_not_tried_again():
    tries: list[int] = []

    def fails(error):
        tries.append(1)
        raise error

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(OSError, match="gone"):
            list(in_order(pool, [lambda: fails(OSError("gone"))], 1))
        assert len(tries) == 3
        with pytest.raises(InputError):
            list(in_order(pool, [lambda: fails(InputError("no such engine"))], 1))
        assert len(tries) == 4


def test_only_so_many_are_in_work_and_an_early_end_calls_off_the_rest():
    begun: list[int] = []
    lock = threading.Lock()

    def shard(number):
        with lock:
            begun.append(number)
        return number

    with ThreadPoolExecutor(2) as pool:
        results = in_order(pool, (lambda n=n: shard(n) for n in range(1000)), 3)
        assert [next(results) for _ in range(5)] == list(range(5))
        results.close()
    assert len(begun) <= 5 + 3
