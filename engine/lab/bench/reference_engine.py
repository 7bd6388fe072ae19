"""Another UCI engine as a child process, with the CPU time that it uses, as a reference for benchmarks."""

from __future__ import annotations

import contextlib
import queue
import re
import subprocess
import threading
import time
from types import TracebackType
from typing import NamedTuple, Self

import psutil

from engine.cli.interruption import check_interruption, stop_on_interrupt
from engine.system.errors import InputError, reason_of

_HANDSHAKE_SECONDS = 30.0
_PERFT_SECONDS = _SEARCH_SECONDS = 600.0
_CLOCK_TICK = 0.01  # the resolution of a process's CPU time on most systems
_SEARCHED = re.compile(r"info .*\bnodes (\d+)")
_ITERATION = re.compile(r"info depth (\d+) seldepth (\d+) (?!.*(?:lower|upper)bound).*\bnodes (\d+).* pv ")
_NODES = re.compile(r"Nodes searched\s*:\s*(\d+)")


class ReferenceSearch(NamedTuple):
    """What UCI tells of a search: its last iteration before the limit, its CPU time and its move."""

    depth: int
    seldepth: int
    seconds: float
    move: str  # as UCI text


class ReferenceEngine:
    """A running UCI engine; leaving the context kills it."""

    def __init__(self, path: str) -> None:
        try:
            self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1,
                                             stderr=subprocess.DEVNULL, text=True, encoding="utf-8", errors="replace")
        except (OSError, ValueError) as error:
            raise InputError(f"cannot start {path}: {reason_of(error)}") from error
        self.name = path
        self._path = path
        self._nodes = 0  # of the last `info` line
        self._iterations: list[tuple[int, int, int]] = []
        self._times = psutil.Process(self._process.pid)
        self._lines: queue.Queue[str | None] = queue.Queue(maxsize=10_000)
        threading.Thread(target=self._read, daemon=True).start()

    def perft(self, fen: str, depth: int) -> tuple[int, float]:
        """(leaves, CPU seconds) of the engine's `go perft`."""
        self._ask(f"position fen {fen}\nisready", "readyok", _HANDSHAKE_SECONDS)
        started = self._cpu_seconds()
        reply = self._ask(f"go perft {depth}", "Nodes searched", _PERFT_SECONDS)
        seconds = max(self._cpu_seconds() - started, _CLOCK_TICK)
        match = _NODES.match(reply)
        if match is None:
            raise InputError(f"{self._path}: the answer to 'go perft' must be 'Nodes searched: N', got {reply[:80]!r}")
        return int(match[1]), seconds

    def set_option(self, name: str, value: str) -> None:
        """Set a UCI option."""
        self._ask(f"setoption name {name} value {value}\nisready", "readyok", _HANDSHAKE_SECONDS)

    def speed(self, fen: str, movetime: float) -> tuple[int, float]:
        """(nodes, CPU seconds) of a search of `movetime` seconds."""
        self._ask(f"ucinewgame\nposition fen {fen}\nisready", "readyok", _HANDSHAKE_SECONDS)
        started = self._cpu_seconds()
        self._nodes = 0
        self._ask(f"go movetime {round(1000 * movetime)}", "bestmove", movetime + _HANDSHAKE_SECONDS)
        return self._nodes, max(self._cpu_seconds() - started, _CLOCK_TICK)

    def iterations(self, fen: str, depth: int) -> list[tuple[int, int, int]]:
        """Depth, selective depth and nodes so far of each iteration of a search to `depth`."""
        self._ask(f"ucinewgame\nposition fen {fen}\nisready", "readyok", _HANDSHAKE_SECONDS)
        self._iterations = []
        self._ask(f"go depth {depth}", "bestmove", _PERFT_SECONDS)
        return list({iteration[0]: iteration for iteration in self._iterations}.values())

    def search(self, fen: str, nodes: int) -> ReferenceSearch:
        """A search of so many nodes, with an empty table. What is reported at the limit is no whole iteration."""
        self._ask(f"ucinewgame\nposition fen {fen}\nisready", "readyok", _HANDSHAKE_SECONDS)
        started = self._cpu_seconds()
        self._iterations = []
        words = self._ask(f"go nodes {nodes}", "bestmove", _SEARCH_SECONDS).split()
        seconds = max(self._cpu_seconds() - started, _CLOCK_TICK)
        depth, seldepth, _ = next((one for one in reversed(self._iterations) if one[2] < nodes), (0, 0, 0))
        return ReferenceSearch(depth, seldepth, seconds, words[1] if len(words) > 1 else "")

    def _cpu_seconds(self) -> float:
        try:
            times = self._times.cpu_times()
        except psutil.Error as error:
            raise InputError(f"{self._path} exited during the measurement") from error
        return float(times.user + times.system)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # closed by `_end`
            for line in self._process.stdout:
                self._lines.put(line.strip())
        self._lines.put(None)

    def _ask(self, command: str, last: str, seconds: float) -> str:
        """Send `command`; return the first line of the answer that starts with `last`. Updates name and nodes."""
        with stop_on_interrupt(self._process.kill):
            return self._answer(command, last, seconds)

    def _answer(self, command: str, last: str, seconds: float) -> str:
        assert self._process.stdin is not None
        message = f"{self._path} did not answer {command.splitlines()[-1]!r}; is it a UCI engine?"
        try:
            self._process.stdin.write(command + "\n")
            deadline = time.monotonic() + seconds
            while (line := self._lines.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
                if line.startswith("id name "):
                    self.name = line.removeprefix("id name ")
                if match := _SEARCHED.match(line):
                    self._nodes = int(match[1])
                if match := _ITERATION.match(line):
                    self._iterations.append((int(match[1]), int(match[2]), int(match[3])))
                if line.startswith(last):
                    return line
        except (OSError, queue.Empty) as error:
            check_interruption()
            raise InputError(message) from error
        check_interruption()
        raise InputError(message)

    def __enter__(self) -> Self:
        try:
            self._ask("uci", "uciok", _HANDSHAKE_SECONDS)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, exc_type: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def open_reference_engine(stack: contextlib.ExitStack, path: str | None, megabytes: int | None = None
                          ) -> ReferenceEngine | None:
    """Start the engine at `path`, which runs until the stack is closed; None without a path.

    With `megabytes` it searches with one thread and a transposition table of that size.
    """
    if path is None:
        return None
    reference = stack.enter_context(ReferenceEngine(path))
    if megabytes is not None:
        reference.set_option("Threads", "1")
        reference.set_option("Hash", str(megabytes))
    return reference
