"""Another UCI engine as a child process, and the CPU time it uses; for commands that measure against it."""

from __future__ import annotations

import contextlib
import subprocess
from types import TracebackType
from typing import Self

import psutil

from engine.core.errors import InputError


class Rival:
    """A running UCI engine; a context manager that ends it."""

    def __init__(self, path: str) -> None:
        try:
            self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=subprocess.DEVNULL, text=True, bufsize=1)
        except OSError as error:
            raise InputError(f"cannot start {path}: {error.strerror}") from error
        self._path = path
        self._times = psutil.Process(self._process.pid)
        self.name = path

    def perft(self, fen: str, depth: int) -> tuple[int, float]:
        """Leaves that the engine's `go perft` counts, and the CPU seconds it took."""
        self._ask(f"position fen {fen}\nisready", "readyok")
        started = self._cpu_seconds()
        reply = self._ask(f"go perft {depth}", "Nodes searched")
        seconds = self._cpu_seconds() - started
        return int(reply[-1].split(":")[1]), seconds

    def _cpu_seconds(self) -> float:
        times = self._times.cpu_times()
        return float(times.user + times.system)

    def _ask(self, command: str, last: str) -> list[str]:
        """Send `command`; the lines of the answer up to the one that starts with `last`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        lines: list[str] = []
        try:
            self._process.stdin.write(command + "\n")
            for line in self._process.stdout:
                lines.append(line.strip())
                if lines[-1].startswith(last):
                    return lines
        except BrokenPipeError:
            pass
        raise InputError(f"{self._path} ended without answering {command.splitlines()[-1]!r}; is it a UCI engine?")

    def __enter__(self) -> Self:
        try:
            names = [line.removeprefix("id name ") for line in self._ask("uci", "uciok") if line.startswith("id name ")]
        except BaseException:
            self._end()
            raise
        self.name = names[0] if names else self._path
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
