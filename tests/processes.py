"""A program in a process of its own, which reads and prints lines; no wait for it is without a limit."""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Any

PATIENCE = 900  # seconds: kernels may have to be compiled first, on a machine that has other work


class LineProcess:
    """A process and the lines that it has printed. A thread reads them, so that nothing is left in a buffer."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        """`options` are those of `subprocess.Popen`."""
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self._stdout = self.process.stdin, self.process.stdout
        self._lines: queue.Queue[str | None] = queue.Queue()  # None at the end
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for raw in self._stdout:
            self._lines.put(raw.decode().rstrip())
        self._lines.put(None)

    def say(self, *lines: str) -> None:
        """Send lines."""
        for line in lines:
            self.stdin.write(line.encode("utf-8", "surrogateescape") + b"\n")
        self.stdin.flush()

    def next_line(self, timeout: float = PATIENCE) -> str | None:
        """The next line; None at the end of the output. TimeoutError if neither comes in time."""
        try:
            line = self._lines.get(timeout=max(timeout, 0.001))
        except queue.Empty:
            raise TimeoutError(f"no line within {timeout:.1f} s") from None
        if line is None:
            self._lines.put(None)  # it stays at its end
        return line

    def until(self, start: str, timeout: float = PATIENCE) -> list[str]:
        """The lines up to the one that begins with `start`."""
        lines: list[str] = []
        deadline = time.monotonic() + timeout
        while not (lines and lines[-1].startswith(start)):
            line = self.next_line(deadline - time.monotonic())
            assert line is not None, f"the process ended without {start!r}: {lines[-5:]}"
            lines.append(line)
        return lines

    def rest(self, timeout: float = PATIENCE) -> list[str]:
        """The lines up to the end of the output."""
        lines, deadline = list[str](), time.monotonic() + timeout
        while (line := self.next_line(deadline - time.monotonic())) is not None:
            lines.append(line)
        return lines

    def end(self, timeout: float = PATIENCE) -> int:
        """Close the input, if it is still open, and wait for the end of the process; returns its status."""
        self.stdin.close()
        status = self.process.wait(timeout)
        self._reader.join(timeout)
        self._stdout.close()
        return status
