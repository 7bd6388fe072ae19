"""Ctrl-C: the first ends the work within a second, and what was found so far is printed; the second ends at once.

Python handles signals in its main thread, between two of its own instructions, and so never inside a kernel. A command
therefore works in a thread of its own, and the main thread waits and listens.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from types import FrameType
from typing import NamedTuple, NoReturn

from engine.system.host import INTERRUPTED_STATUS

_PULSE = 0.05  # seconds between two looks at what happened
_ONE_REQUEST = 0.1  # seconds in which two signals count as one: `timeout` sends one to the process, one to its group
_GRACE = 0.7  # seconds that the work has to end by itself
_FLUSH_SECONDS = 0.1
_FAREWELL = "\ninterrupted: here is what was found so far; Ctrl-C again ends at once"
_SHOW_CURSOR = "\x1b[?25h"  # progress bars hide it


class _StopHandler(NamedTuple):
    """How to end something."""

    stop: Callable[[], None]
    patience: float  # seconds that it may take until the work has ended
    farewell: str


_asked = threading.Event()
_asked_at = [0.0]  # by `time.monotonic`
_lock = threading.Lock()
_stops: list[_StopHandler] = []
_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and another program's request to end


class InterruptionError(Exception):
    """The user ended what was being done: it has no result."""


def is_interrupted() -> bool:
    """Whether the user wants the work to end."""
    return _asked.is_set()


def check_interruption() -> None:
    """InterruptionError if the user wants the work to end."""
    if _asked.is_set():
        raise InterruptionError


@contextlib.contextmanager
def stop_on_interrupt(stop: Callable[[], None], timeout: float = _GRACE, on_exit: str = _FAREWELL) -> Iterator[None]:
    """While inside, an interruption calls `stop`, which must be quick; at once if there has been one.

    `patience` is how many seconds the work then has until it has ended: more than usual if much would be lost.
    `farewell` is what the user is told.
    """
    entry = _StopHandler(stop, timeout, on_exit)
    with _lock:
        _stops.append(entry)
    try:
        if _asked.is_set():
            stop()
        yield
    finally:
        with _lock:
            _stops.remove(entry)


def run_interruptible(work: Callable[[], int]) -> int:
    """The exit status that `work` returns; its exceptions are raised here. After an interruption the process ends."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    _asked.clear()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    # What a parent said that shall not be heard stays unheard.
    heard = [number for number in _SIGNALS if before[number] not in (signal.SIG_IGN, None)]
    for number in heard:
        signal.signal(number, _listen)
    try:
        outcome: Future[int] = Future()
        threading.Thread(target=_work, args=(work, outcome), daemon=True).start()
        return _wait(outcome)
    finally:
        for number in heard:
            signal.signal(number, before[number])


def _work(work: Callable[[], int], outcome: Future[int]) -> None:
    if hasattr(signal, "pthread_sigmask"):
        # For the processes that the work starts, who inherit it: a terminal sends Ctrl-C to all, and they end with us.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  handed on to the main thread
        outcome.set_exception(error)


def _listen(number: int, frame: FrameType | None) -> None:
    if not _asked.is_set():
        _asked_at[0] = time.monotonic()
        _asked.set()
    elif time.monotonic() - _asked_at[0] > _ONE_REQUEST:
        _leave()


def _wait(outcome: Future[int]) -> int:
    while not (done := wait([outcome], _PULSE).done) and not _asked.is_set():
        pass
    if not _asked.is_set():
        return outcome.result()
    with _lock:
        stops = list(_stops)
    print(stops[-1].farewell if stops else _FAREWELL, file=sys.stderr, flush=True)
    if not done:
        for entry in stops:
            entry.stop()
        wait([outcome], max((entry.patience for entry in stops), default=_GRACE))
    return _leave()  # an orderly end would wait for threads and processes that nobody needs any more


def _leave() -> NoReturn:
    """End the process, whatever its threads are doing, with the terminal as it was."""
    flusher = threading.Thread(target=sys.stdout.flush, daemon=True)  # it may wait for a thread that writes
    flusher.start()
    flusher.join(_FLUSH_SECONDS)
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
    os._exit(INTERRUPTED_STATUS)


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return what it said. InterruptionError if the user ends it first."""
    with subprocess.Popen(command, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        with stop_on_interrupt(process.kill):
            out, complaints = process.communicate()
        check_interruption()
        return subprocess.CompletedProcess(command, process.returncode, out, complaints)
