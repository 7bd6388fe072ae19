"""Where shards are computed: threads or processes here, or the workers of a dask cluster."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager

from engine.arena.stopping import allow_games, stop_games
from engine.core.errors import InputError

_CONNECT_SECONDS = 15


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
    """The same with a process each: for Python that must not wait for other Python."""
    with ProcessPoolExecutor(width, multiprocessing.get_context("spawn"), _end_when_interrupted) as pool:
        try:
            yield pool, width
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end_when_interrupted() -> None:
    """Let Ctrl-C end a worker at once and without a word: whoever waits for it hears of it too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """All workers of the dask cluster whose scheduler listens at `address`; InputError if it cannot be reached.

    A worker that is lost takes nothing with it: its shards are computed again by others.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError("--cluster needs dask.distributed: pip install '.[cluster]', where the sources are") from error
    try:
        client = Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(f"no dask scheduler answers at {address}: {error}") from error
    with client:
        width = 2 * sum(client.nthreads().values())  # twice: the next shard is there when a worker asks for it
        if not width:
            raise InputError(f"the cluster at {address} has no workers")
        yield client.get_executor(pure=False), width
