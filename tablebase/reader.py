"""Reading files behind the scenes: one after the other, in a thread of its own, while a game goes on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence

from engine.core.errors import InputError

_TURN = 0.0005  # seconds that one thread may keep Python from another, which may be on the clock; usually 0.005

Job = tuple[str, Callable[[], None]]  # what is read, and how


class BackgroundReader:
    """Does its jobs in their order. One that fails is complained of, and the next one follows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[Job] = []
        self._complaints: list[str] = []
        self._idle = threading.Event()
        self._idle.set()

    def read(self, jobs: Sequence[Job]) -> None:
        """Do these jobs soon, instead of what was still to be done."""
        with self._lock:
            self._jobs = list(jobs)
            if not jobs or not self._idle.is_set():
                return
            self._idle.clear()
        threading.Thread(target=self._work, daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is left to do, but no longer than this; returns whether nothing is."""
        return self._idle.wait(seconds)

    def complain(self, text: str) -> None:
        """Remember what is wrong with a file."""
        with self._lock:
            self._complaints.append(text)

    def complaints(self) -> list[str]:
        """What was found to be wrong since the last time."""
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
        """Do a job at once; a file may be damaged in any way, and none may end the thread or the game."""
        try:
            read()
        except InputError as error:
            self.complain(str(error))
        except Exception as error:  # noqa: BLE001  see above
            self.complain(f"{name} is damaged: {' '.join(str(error).split()) or type(error).__name__}")
