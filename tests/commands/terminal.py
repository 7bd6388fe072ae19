"""A command as it runs in a terminal: its warnings and progress go to a pseudo-terminal, its results to a pipe."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time

import psutil

from engine.kernel import SOURCE_ROOT
from tests.timing import PATIENCE, wait_until

_STARTED = 2.0  # seconds of CPU time, after which a command has long been started
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


class Terminal:
    """A running command, its stdout, and the contents of its terminal."""

    def __init__(self, *words: str) -> None:
        self._master, slave = pty.openpty()
        # Whoever runs the tests may have Ctrl-C ignored, as `nohup` does: what is tested here needs it heard.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine", *words], cwd=SOURCE_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=slave, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), start_new_session=True,  # noqa: PLW1509
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120"})
        os.close(slave)
        self.shown, self._printed = "", b""
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._watch, self._read)]
        for thread in self._threads:
            thread.start()

    def _watch(self) -> None:
        while True:
            try:
                if not select.select([self._master], [], [], 0.05)[0]:
                    continue
                piece = os.read(self._master, 4096)
            except OSError:  # the other end is closed
                return
            if not piece:
                return
            self.shown += piece.decode("utf-8", "replace")

    def _read(self) -> None:
        assert self.process.stdout is not None
        while piece := self.process.stdout.read1(4096):  # type: ignore[attr-defined]
            self._printed += piece

    @property
    def printed(self) -> str:
        return self._printed.decode()

    def wait_until_busy(self, seconds: float = 900.0) -> None:
        """Until it shows progress, prints something, or works in silence."""
        wait_until(lambda: self._is_seen_working() or self.process.poll() is not None, seconds)
        assert self.process.poll() is None, self.shown

    def _is_seen_working(self) -> bool:
        if HIDE_CURSOR in self.shown or self._printed:
            return True
        with contextlib.suppress(psutil.NoSuchProcess):
            times = psutil.Process(self.process.pid).cpu_times()
            return times.user + times.system > _STARTED
        return False

    def interrupt(self) -> float:
        """Press Ctrl-C, as a terminal does, in all its processes; returns the seconds until it ended."""
        started = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE)
        seconds = time.monotonic() - started
        for thread in self._threads:
            thread.join(PATIENCE)
        os.close(self._master)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return seconds

    def has_cursor(self) -> bool:
        """Whether the cursor was left visible."""
        return self.shown.rfind(SHOW_CURSOR) >= self.shown.rfind(HIDE_CURSOR)
