"""One `go` while it is being answered: what was asked and when, the signals since then, and how long to wait."""

from __future__ import annotations

import threading
import time

from engine.order import Order, Signals
from engine.protocol import Place, seconds_for_stopgap

_STOPGAP_SHARE = 0.4  # of the time for a move: the rest is for overhead
_STOPGAP_SECONDS = 1.0  # at most


class PendingGo:
    """One `go`, answered in a thread of its own."""

    def __init__(self, order: Order, place: Place) -> None:
        self.order, self.place = order, place
        self.received = time.perf_counter()
        self.signals = Signals()
        self.released = threading.Event()  # the answer may be given: it need not wait for `stop` or `ponderhit`
        if not order.is_open_ended:
            self.released.set()

    def is_late(self) -> bool:
        """Whether there is only time for a stopgap left."""
        seconds = seconds_for_stopgap(self.order, self.signals)
        return seconds is not None and time.perf_counter() >= self.received + (1 - _STOPGAP_SHARE) * seconds

    def stopgap(self, is_chess960: bool) -> str:
        """A legal move found without the kernels, in a share of the time for the move."""
        from engine.stopgap import find_move, read_board

        seconds = seconds_for_stopgap(self.order, self.signals) or _STOPGAP_SECONDS
        deadline = time.perf_counter() + min(_STOPGAP_SHARE * seconds, _STOPGAP_SECONDS)
        board = read_board(self.place.fen, self.place.moves, is_chess960)
        return find_move(board, deadline, self.order.search_moves)
