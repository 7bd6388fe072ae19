"""Reading files in the background: one after the other, in a separate thread, while a game goes on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence

from engine.kernel import entry, int64
from engine.kernel.intrinsics import store_release
from engine.system.errors import InputError

_TURN = 0.0005  # seconds that a thread may hold the GIL while another may be on the clock; Python's default is 0.005
Job = tuple[str, Callable[[], None]]  # what is read, and how


class BackgroundReader:
    """Does its jobs in order. If one fails, there is a complaint, and the next one follows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[Job] = []
        self._complaints: list[str] = []
        self._idle = threading.Event()
        self._idle.set()

    def read(self, jobs: Sequence[Job]) -> None:
        """Do these jobs in the background, instead of those still waiting."""
        with self._lock:
            self._jobs = list(jobs)
            if not jobs or not self._idle.is_set():
                return
            self._idle.clear()
        threading.Thread(target=self._work, daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is left to do, but at most this long; returns whether all is done."""
        return self._idle.wait(seconds)

    def warn(self, text: str) -> None:
        """Remember what is wrong with a file."""
        with self._lock:
            self._complaints.append(text)

    def take_warnings(self) -> list[str]:
        """What was found to be wrong since the last call."""
        with self._lock:
            complaints, self._complaints = self._complaints, []
        return complaints

    def _work(self) -> None:
        sys.setswitchinterval(_TURN)
        while True:
            with self._lock:
                if not self._jobs:
                    self._idle.set()
                    return
                job = self._jobs.pop(0)
            self.do(*job)

    def do(self, name: str, read: Callable[[], None]) -> None:
        """Do a job at once; however a file is damaged, it must not end the thread or the game."""
        try:
            read()
        except InputError as error:
            self.warn(str(error))
        except Exception as error:  # noqa: BLE001  see above
            self.warn(f"{name} is damaged: {' '.join(str(error).split()) or type(error).__name__}")


@entry(int64, int64)
def publish(address: int, word: int) -> None:
    """Write a word after everything that this thread has written before."""
    store_release(address, word)
