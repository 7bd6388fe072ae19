"""One search of a player's position: in the calling thread or in its own, and stopped by any other."""

from __future__ import annotations

import queue
import threading
import time

from engine.player.player import Player
from engine.player.request import GoRequest, SearchSignals
from engine.search.types import Info, InfoString, Progress, Report, Result, no_report

_WAIT_SECONDS = 0.2  # on Windows, a wait without a timeout blocks Ctrl-C

SearchReport = Info | Progress | InfoString | Result


class RunningSearch:
    """A search that its owner runs once, with `run` or `start`, and must `release`; other threads may end it earlier.

    The player must not run another one meanwhile.
    """

    def __init__(self, player: Player, request: GoRequest) -> None:
        self.player = player
        self._go_request = request
        self._signals, self._ended = SearchSignals(), threading.Event()
        self._is_started = False
        self._thread: threading.Thread | None = None
        self._reports: queue.SimpleQueue[SearchReport | BaseException] = queue.SimpleQueue()

    def run(self, report: Report = no_report) -> Result:
        """Search in the calling thread until a limit is reached or `stop` is called."""
        self._is_started = True
        try:
            return self.player.go(self._go_request, time.perf_counter(), self._signals, report)
        finally:
            self._ended.set()

    def start(self) -> None:
        """Search in a new thread; its reports are read one at a time."""
        self._is_started = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._reports.put(self.run(self._reports.put))
        except BaseException as error:  # noqa: BLE001  `next_report` raises it
            self._reports.put(error)

    def next_report(self) -> SearchReport:
        """Wait for the next report of a search that was started, and return it; the last one is the Result."""
        while True:
            try:
                report = self._reports.get(timeout=_WAIT_SECONDS)
            except queue.Empty:
                continue
            if isinstance(report, BaseException):
                raise report
            return report

    def next_info(self) -> Info | None:
        """Wait for the next line of a search that was started; None at its end."""
        while not isinstance(report := self.next_report(), Info | Result):
            pass
        return report if isinstance(report, Info) else None

    def result(self) -> Result:
        """Wait for the result of a search that was started; the other reports are skipped."""
        while not isinstance(report := self.next_report(), Result):
            pass
        return report

    def stop(self) -> None:
        """Make the search end soon, with the best move so far; one that has not started yet will end at once."""
        self._signals.stop.set()
        self.player.signal(self._signals)

    def close(self) -> None:
        """Stop the search; when this returns it has ended, or its owner has given it up."""
        while not self._ended.is_set():
            self.stop()
            self._ended.wait(_WAIT_SECONDS)

    def release(self) -> None:
        """The owner's last call: the search, if it was ever started, and its thread have ended when this returns."""
        if self._is_started:
            self.close()
        if self._thread is not None:
            self._thread.join()
        self._ended.set()
