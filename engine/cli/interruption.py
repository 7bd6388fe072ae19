"""Ctrl-C: the first one ends the work within a second and prints the results so far; the second ends it at once.

Python handles signals in its main thread, between two bytecode instructions, and so never inside a kernel. A command
therefore runs in its own thread, and the main thread waits for signals.
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
from engine.system.processes import PROGRAM, start_own

_PULSE = 0.05  # seconds between two checks
_ONE_REQUEST = 0.1  # seconds in which two signals count as one: `timeout` sends one to the process, one to its group
_GRACE = 0.7  # seconds that the work has to end by itself
_FLUSH_SECONDS = 0.1
_FAREWELL = "\ninterrupted: these are the results so far; Ctrl-C again ends at once"
_SHOW_CURSOR = "\x1b[?25h"  # progress bars hide it


class _StopHandler(NamedTuple):
    """How to stop the work."""

    stop: Callable[[], None]
    timeout: float  # seconds that the work has to end
    message: str


_interrupted = threading.Event()
_interrupted_at = [0.0]  # by `time.monotonic`
_lock = threading.Lock()
_stops: list[_StopHandler] = []
_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and another program's request to end


class InterruptionError(Exception):
    """The user interrupted the work; it has no result."""


def is_interrupted() -> bool:
    """Whether the user has interrupted the work."""
    return _interrupted.is_set()


def check_interruption() -> None:
    """Raise InterruptionError if the user has interrupted the work."""
    if _interrupted.is_set():
        raise InterruptionError


@contextlib.contextmanager
def stop_on_interrupt(stop: Callable[[], None], timeout: float = _GRACE, on_exit: str = _FAREWELL) -> Iterator[None]:
    """Call `stop`, which must be quick, when the user interrupts while the context is open or has done so before.

    `timeout` is the number of seconds that the work then has to end; `on_exit` is the message for the user.
    """
    entry = _StopHandler(stop, timeout, on_exit)
    with _lock:
        _stops.append(entry)
    try:
        if _interrupted.is_set():
            stop()
        yield
    finally:
        with _lock:
            _stops.remove(entry)


def run_interruptible(work: Callable[[], int]) -> int:
    """Run `work` and return its exit status, or raise its exception. After an interruption the process exits."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    _interrupted.clear()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    # Signals that the parent process ignores stay ignored.
    handled = [number for number in _SIGNALS if before[number] not in (signal.SIG_IGN, None)]
    for number in handled:
        signal.signal(number, _on_signal)
    try:
        outcome: Future[int] = Future()
        threading.Thread(target=_work, args=(work, outcome), daemon=True).start()
        return _wait(outcome)
    finally:
        for number in handled:
            signal.signal(number, before[number])


def _work(work: Callable[[], int], outcome: Future[int]) -> None:
    if hasattr(signal, "pthread_sigmask"):
        # Child processes inherit this: a terminal sends Ctrl-C to all processes, but they should end with this one.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  handed on to the main thread
        outcome.set_exception(error)


def _on_signal(number: int, frame: FrameType | None) -> None:
    if not _interrupted.is_set():
        _interrupted_at[0] = time.monotonic()
        _interrupted.set()
    elif time.monotonic() - _interrupted_at[0] > _ONE_REQUEST:
        _exit()


def _wait(outcome: Future[int]) -> int:
    while not (done := wait([outcome], _PULSE).done) and not _interrupted.is_set():
        pass
    if not _interrupted.is_set():
        return outcome.result()
    with _lock:
        stops = list(_stops)
    print(stops[-1].message if stops else _FAREWELL, file=sys.stderr, flush=True)
    if not done:
        for entry in stops:
            entry.stop()
        wait([outcome], max((entry.timeout for entry in stops), default=_GRACE))
    return _exit()  # a normal exit would wait for threads and processes that are no longer needed


def _exit() -> NoReturn:
    """Exit the process, whatever its threads are doing, and restore the terminal."""
    flusher = threading.Thread(target=sys.stdout.flush, daemon=True)  # flushing may block on a thread that writes
    flusher.start()
    flusher.join(_FLUSH_SECONDS)
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
    os._exit(INTERRUPTED_STATUS)


def run_own(words: Sequence[str] = (), *, module: str = PROGRAM, variables: Mapping[str, str] | None = None,
            text: str = "") -> subprocess.CompletedProcess[str]:
    """Run `adversary WORDS`, or another module of this installation, in a new process, and return its output.

    `text` is its input. InterruptionError if the user interrupts it.
    """
    with start_own(words, module=module, variables=variables, stdin=subprocess.PIPE) as process:
        with stop_on_interrupt(process.kill):
            out, err = process.communicate(text)
        check_interruption()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)
