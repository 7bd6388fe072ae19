"""Computing shards on this machine, in threads or processes; cluster.py does so on other machines."""

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

from engine.lab.arena.cancellation import allow_games, cancel_games, is_cancelled
from engine.lab.arena.engines import kill_engines
from engine.system.processes import forget_safe_path, safe_path_for_children

_EXIT_SECONDS = 0.3  # for a child to notice that the pipe is closed and to end its engines


@contextmanager
def threads(width: int) -> Iterator[tuple[Executor, int]]:
    """(an executor of threads, the number of shards it computes at a time), for kernels, which release the GIL."""
    allow_games()
    with ThreadPoolExecutor(width) as pool:
        try:
            yield pool, width
        finally:
            cancel_games()  # games in progress are no longer needed
            pool.shutdown(wait=True, cancel_futures=True)
            allow_games()


@contextmanager
def processes(width: int) -> Iterator[tuple[Executor, int]]:
    """The same with processes, for Python code that must not wait for the GIL. They end with this process."""
    allow_games()
    context = multiprocessing.get_context("spawn")
    there, here = context.Pipe(duplex=False)
    with here, safe_path_for_children(), _shielded_children():
        pool = ProcessPoolExecutor(width, context, _init_child, (there,))
        try:
            yield pool, width
        finally:
            if is_cancelled():
                manager = getattr(pool, "_executor_manager_thread", None)
                pool.shutdown(wait=False, cancel_futures=True)  # before the workers end
                here.close()  # games in progress are no longer needed
                _end_children()
                if manager is not None:
                    manager.join(_EXIT_SECONDS)  # or the interpreter's exit may find its pipe half closed
                _run_finalizers(0)  # otherwise Python would warn about resources that the pool leaks
            else:
                pool.shutdown(cancel_futures=True)
            allow_games()


@contextmanager
def _shielded_children() -> Iterator[None]:
    """Block SIGINT for processes started by this thread: a terminal sends Ctrl-C to all, but they end with this one."""
    ensure_running()  # starting it later would undo this
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_children() -> None:
    """Wait until running children exit by themselves, and kill those that are still starting.

    A starting child would print an error when it unpickles resources that this process has already released.
    """
    deadline = time.monotonic() + _EXIT_SECONDS
    children = multiprocessing.active_children()
    for child in children:
        child.join(max(deadline - time.monotonic(), 0.0))
    for child in children:
        child.kill()


def _init_child(lifeline: Connection) -> None:
    """Exit this process as soon as the other end of the pipe is closed or its owner is gone."""
    forget_safe_path()
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  failures are reported by futures

    def wait_for_end() -> None:
        lifeline.poll(None)
        kill_engines()
        os._exit(0)

    threading.Thread(target=wait_for_end, daemon=True).start()
