"""A UCI client: the engine as a child process, text in, text out."""

from __future__ import annotations

import os
import sys
import time

from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT
from tests.processes import PATIENCE, LineProcess

COMMAND = [sys.executable, "-m", "engine"]
FEW_PIECES = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


class Client(LineProcess):
    """A UCI engine process, and the lines that it has printed."""

    def __init__(self, cache: str | None = None, *, own_book: bool = False) -> None:
        """Start the engine; without its book, moves of timed games come from a search."""
        environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT), **({CACHE_VARIABLE: cache} if cache else {})}
        super().__init__(COMMAND, env=environment, cwd=SOURCE_ROOT)
        if not own_book:
            self.say("setoption name OwnBook value false")

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
                line = self.next_line(left)
            except TimeoutError:
                break
            assert line is not None, "the engine ended"
            if line.startswith("bestmove"):
                return False
        return True

    def quit(self) -> int:
        self.say("quit")
        return self.end()
