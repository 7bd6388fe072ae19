"""A UCI client: the engine as a child process, text in, text out."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time

from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT

COMMAND = [sys.executable, "-m", "engine"]
PATIENCE = 900  # seconds: kernels may have to be compiled first, on a machine that has other work
FEW_PIECES = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


class Client:
    """A UCI engine process, and the lines that it has printed."""

    def __init__(self, cache: str | None = None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT), **({CACHE_VARIABLE: cache} if cache else {})}
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        cwd=SOURCE_ROOT)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self._stdout = self.process.stdin, self.process.stdout
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for raw in self._stdout:
            self._lines.put(raw.decode().rstrip())

    def say(self, *lines: str) -> None:
        for line in lines:
            self.stdin.write(line.encode("utf-8", "surrogateescape") + b"\n")
        self.stdin.flush()

    def until(self, start: str, timeout: float = PATIENCE) -> list[str]:
        """Everything said up to the line that begins so."""
        said, deadline = [], time.monotonic() + timeout
        while True:
            said.append(self._lines.get(timeout=max(deadline - time.monotonic(), 0.001)))
            if said[-1].startswith(start):
                return said

    def ask(self, *lines: str, timeout: float = PATIENCE) -> list[str]:
        """The answer to these lines, without `readyok`."""
        self.say(*lines, "isready")
        return self.until("readyok", timeout)[:-1]

    def load(self) -> list[str]:
        """Wait until the kernels and the endgame tables are there, compiled if need be; returns what was said.

        `isready` is answered after some seconds in any case. A `go` without a clock waits as long as it takes.
        """
        self.say(f"position fen {FEW_PIECES}", "go depth 1")
        said = self.until("bestmove")
        return [*said, *self.ask("ucinewgame", "position startpos")]

    def best(self, *lines: str, timeout: float = PATIENCE) -> str:
        self.say(*lines)
        return self.until("bestmove", timeout)[-1].split()[1]

    def silence(self, seconds: float) -> bool:
        """Whether no answer to a `go` comes for so long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                if self._lines.get(timeout=left).startswith("bestmove"):
                    return False
            except queue.Empty:
                break
        return True

    def quit(self) -> int:
        self.say("quit")
        return self.end()

    def end(self) -> int:
        """Close the input, if it is still open, and wait for the end of the process; returns its status."""
        self.stdin.close()
        status = self.process.wait(10)
        self._reader.join()
        self._stdout.close()
        return status
