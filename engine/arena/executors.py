"""Where shards are computed on this machine: threads or processes. On others: cluster.py."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection

from engine.arena.seats import kill_engines
from engine.arena.stopping import allow_games, are_stopped, stop_games

_END_SECONDS = 0.5  # until nobody waits any longer for processes that were told to end


@contextmanager
def threads(width: int) -> Iterator[tuple[Executor, int]]:
    """An executor and how many shards it works on at a time: for kernels, which need no GIL."""
    allow_games()
    with ThreadPoolExecutor(width) as pool:
        try:
            yield pool, width
        finally:
            stop_games()  # whatever is still being played, nobody waits for it
            pool.shutdown(wait=True, cancel_futures=True)
            allow_games()


@contextmanager
def processes(width: int) -> Iterator[tuple[Executor, int]]:
    """The same with a process each: for Python that must not wait for other Python. They end with this one."""
    allow_games()
    context = multiprocessing.get_context("spawn")
    there, here = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(width, context, _follow, (there,))
    with here:
        try:
            yield pool, width
        finally:
            ending = threading.Thread(target=partial(pool.shutdown, cancel_futures=True), daemon=True)
            if are_stopped():
                here.close()  # nobody waits for what is still being played
            ending.start()
            ending.join(_END_SECONDS if are_stopped() else None)
            allow_games()


def _follow(lifeline: Connection) -> None:
    """End this process as soon as the other end of the line is closed, or its owner gone."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  what fails is told by its future

    def wait_for_end() -> None:
        lifeline.poll(None)
        kill_engines()
        os._exit(0)

    threading.Thread(target=wait_for_end, daemon=True).start()
