"""Reads files one at a time in a background thread while a game is in progress."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence

from engine.kernel import entry, int64
from engine.kernel.intrinsics import store_release
from engine.system.errors import InputError

_SWITCH_INTERVAL = 0.0005  # seconds: Python's default, 0.005, would delay a search that is on the clock
Job = tuple[str, Callable[[], None]]  # the name of the file for messages, and the function that reads it


class BackgroundReader:
    """Runs jobs in order in one thread. A job that fails adds a warning; the next job follows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[Job] = []
        self._warnings: list[str] = []
        self._idle = threading.Event()
        self._idle.set()

    def read(self, jobs: Sequence[Job]) -> None:
        """Run these jobs in the background, replacing the jobs that have not started."""
        with self._lock:
            self._jobs = list(jobs)
            if not jobs or not self._idle.is_set():
                return
            self._idle.clear()
        threading.Thread(target=self._work, daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all jobs are done, at most `seconds`; return whether they are."""
        return self._idle.wait(seconds)

    def warn(self, text: str) -> None:
        """Add a warning about a file."""
        with self._lock:
            self._warnings.append(text)

    def take_warnings(self) -> list[str]:
        """Return the warnings since the last call, and clear them."""
        with self._lock:
            warnings, self._warnings = self._warnings, []
        return warnings

    def _work(self) -> None:
        sys.setswitchinterval(_SWITCH_INTERVAL)
        while True:
            with self._lock:
                if not self._jobs:
                    self._idle.set()
                    return
                job = self._jobs.pop(0)
            self.run(*job)

    def run(self, name: str, read: Callable[[], None]) -> None:
        """Run a job now. Any error becomes a warning, because a damaged file must not end the thread or the game."""
        try:
            read()
        except InputError as error:
            self.warn(str(error))
        except MemoryError:
            self.warn(f"not enough memory to load {name}")
        except Exception as error:  # noqa: BLE001  see above
            self.warn(f"{name} is damaged: {' '.join(str(error).split()) or type(error).__name__}")


@entry(int64, int64)
def publish(address: int, word: int) -> None:
    """Store a word with release ordering: after everything that this thread has written before."""
    store_release(address, word)
