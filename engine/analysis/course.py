"""A search that goes on in a thread of its own, while whoever wants its answers takes them one by one."""

from __future__ import annotations

import queue
import threading
import time

from engine.order import GoRequest, SearchSignals
from engine.player import Player
from engine.search.limits import Info, InfoString, Progress, Result

_PULSE = 0.2  # seconds: Windows wakes a waiting thread for no signal, and so never for Ctrl-C

Found = Info | Progress | InfoString | Result


class RunningSearch:
    """One search of a player's position, which begins at once. `close` must be called; no other may run meanwhile."""

    def __init__(self, player: Player, order: GoRequest) -> None:
        self._player, self._order = player, order
        self._signals = SearchSignals()
        self._found: queue.SimpleQueue[Found | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found.put(self._player.go(self._order, time.perf_counter(), self._signals, self._found.put))
        except BaseException as error:  # noqa: BLE001  handed on to whoever waits
            self._found.put(error)

    def next_report(self) -> Found:
        """What was found next; blocks. A Result is the last."""
        while True:
            try:
                found = self._found.get(timeout=_PULSE)
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                raise found
            return found

    def stop(self) -> None:
        """Let the search end soon, with the answer that it has; may be called from any thread."""
        self._signals.stop.set()
        self._player.signal(self._signals)

    def close(self) -> None:
        """End the search; nothing of it is left when this returns."""
        while self._thread.is_alive():
            self.stop()
            self._thread.join(_PULSE)
