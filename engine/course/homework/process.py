"""A student's file in a process of its own, asked case by case."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.system.processes import start_own

_WORKER = "engine.course.homework.worker"
_SECONDS = 2  # of CPU time for a call; a second more, as the system counts whole ones
_PATIENCE = 30.0  # seconds on the clock for a call that computes nothing
_BUDGET = 60.0  # seconds on the clock for all calls of a function
_MEGABYTES = 1024


@dataclass(frozen=True)
class CallOutcome:
    """What a call brought: a value and the number of leaves that were looked at, or why there is none."""

    value: Any = None
    leaves: int = 0
    error: str | None = None


class StudentProcess:
    """Runs a file; started again after a call that did not come back."""

    def __init__(self, path: Path, patience: float = _PATIENCE, budget: float = _BUDGET) -> None:
        self._path, self._patience, self._budget = path, patience, budget
        self._numbers = itertools.count(1)  # of requests
        self.restart_clock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._end()

    def restart_clock(self) -> None:
        """Begin with another function, which has the whole budget."""
        self._deadline = time.monotonic() + self._budget

    def is_out_of_time(self) -> bool:
        return time.monotonic() >= self._deadline

    def load(self) -> tuple[set[str], str | None]:
        """Run the file: the functions in it, or why it cannot be run."""
        reply = self._ask({"function": None})
        return set(reply.get("functions", ())), reply.get("error")

    def call(self, function: str, case: Mapping[str, Any]) -> CallOutcome:
        """Call a function of the file."""
        if self.is_out_of_time():
            return CallOutcome(error=self._overrun())
        if self._process is None:
            _, error = self.load()
            if error is not None:
                return CallOutcome(error=error)
        reply = self._ask({"function": function, "case": case})
        return CallOutcome(reply.get("value"), reply.get("leaves", 0), reply.get("error"))

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request; those to others, such as of a copy of the process, are passed over."""
        if self._process is None:
            self._start()
        process, number = self._process, next(self._numbers)
        assert process is not None and process.stdin is not None
        with contextlib.suppress(OSError):  # it may be dead already
            process.stdin.write(json.dumps({**request, "number": number}) + "\n")
            process.stdin.flush()
        until = min(time.monotonic() + self._patience, self._deadline)
        try:
            while line := self._lines.get(timeout=max(until - time.monotonic(), 0)):
                with contextlib.suppress(ValueError):
                    reply = json.loads(line)
                    if isinstance(reply, dict) and reply.get("number") == number:
                        return reply
        except queue.Empty:
            self._end()
            waited = f"gives no answer within {self._patience:g} seconds"
            return {"error": self._overrun() if self.is_out_of_time() else waited}
        return {"error": _epitaph(self._end())}

    def _overrun(self) -> str:
        return f"took more than {self._budget:g} seconds for all its cases"

    def _start(self) -> None:
        self._lines = queue.Queue()
        words = [str(self._path.absolute()), str(_SECONDS), str(_MEGABYTES)]
        self._process = start_own(words, module=_WORKER, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()

    def _end(self) -> int:
        """End the process, and those that it started; returns its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with contextlib.suppress(subprocess.TimeoutExpired):
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            process.wait(0.2)
        if process.poll() is None:
            process.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    """Hand on every line, and an empty one at the end."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError, OSError), process.stdout:
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def _epitaph(status: int) -> str:
    """Why a process ended without an answer."""
    if status == -getattr(signal, "SIGXCPU", 0) or status == -signal.SIGTERM:
        return f"ran for more than {_SECONDS} seconds of CPU time"
    if status == -getattr(signal, "SIGKILL", 0):
        return "was killed by the system, as it needs too much memory or time"
    return "exited without an answer" if status >= 0 else "crashes its process"
