"""Computing shards on this machine, in threads or processes. On other machines: cluster.py."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.resource_tracker import ensure_running
from multiprocessing.util import _run_finalizers  # type: ignore[attr-defined]

from engine.arena.cancellation import allow_games, cancel_games, is_cancelled
from engine.arena.engines import kill_engines

_HEARING_SECONDS = 0.3  # until a child has heard that the pipe is closed, and has ended its engines


@contextmanager
def threads(width: int) -> Iterator[tuple[Executor, int]]:
    """An executor of threads and how many shards it works on at a time: for kernels, which release the GIL."""
    allow_games()
    with ThreadPoolExecutor(width) as pool:
        try:
            yield pool, width
        finally:
            cancel_games()  # what is still being played is no longer needed
            pool.shutdown(wait=True, cancel_futures=True)
            allow_games()


@contextmanager
def processes(width: int) -> Iterator[tuple[Executor, int]]:
    """The same with processes: for Python code that must not wait for the GIL. They end with this process."""
    allow_games()
    _shield_children()
    context = multiprocessing.get_context("spawn")
    there, here = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(width, context, _follow, (there,))
    with here:
        try:
            yield pool, width
        finally:
            if is_cancelled():
                manager = getattr(pool, "_executor_manager_thread", None)
                pool.shutdown(wait=False, cancel_futures=True)  # before their workers end
                here.close()  # what is still being played is no longer needed
                _end_children()
                if manager is not None:
                    manager.join(_HEARING_SECONDS)  # or Python's own end may find its pipe half closed
                _run_finalizers(0)  # otherwise Python would complain about what the pool leaves behind
            else:
                pool.shutdown(cancel_futures=True)
            allow_games()


def _shield_children() -> None:
    """Shield processes started by this thread from Ctrl-C, which a terminal sends to all: they end with this one."""
    ensure_running()  # starting it later would undo this
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _end_children() -> None:
    """Let children that listen end by themselves, and end those that are only starting: they would find nothing left.

    A child that unpickles what this process has given back complains to the terminal.
    """
    deadline = time.monotonic() + _HEARING_SECONDS
    children = multiprocessing.active_children()
    for child in children:
        child.join(max(deadline - time.monotonic(), 0.0))
    for child in children:
        child.kill()


def _follow(lifeline: Connection) -> None:
    """End this process as soon as the other end of the pipe is closed, or its owner is gone."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  failures are reported by futures

    def wait_for_end() -> None:
        lifeline.poll(None)
        kill_engines()
        os._exit(0)

    threading.Thread(target=wait_for_end, daemon=True).start()
