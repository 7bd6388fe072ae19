"""One `go` while it is being answered: what was asked and when, the signals since then, and how long to wait."""

from __future__ import annotations

import threading
import time

from engine.player.request import GoRequest, SearchSignals
from engine.uci.protocol import PositionCommand, fallback_seconds

_STOPGAP_SHARE = 0.4  # of the time for a move: the rest is for overhead
_STOPGAP_SECONDS = 1.0  # at most


class GoCommand:
    """One `go`, answered in a thread of its own."""

    def __init__(self, order: GoRequest, place: PositionCommand) -> None:
        self.order, self.place = order, place
        self.received = time.perf_counter()
        self.signals = SearchSignals()
        self.may_answer = threading.Event()  # the answer may be given: it need not wait for `stop` or `ponderhit`
        if not order.waits_for_stop:
            self.may_answer.set()

    def must_fall_back(self) -> bool:
        """Whether there is only time for a stopgap left."""
        seconds = fallback_seconds(self.order, self.signals)
        return seconds is not None and time.perf_counter() >= self.received + (1 - _STOPGAP_SHARE) * seconds

    def fallback_move(self, is_chess960: bool) -> str:
        """A legal move found without the kernels, in a share of the time for the move."""
        from engine.uci.fallback import fallback_move, read_board

        seconds = fallback_seconds(self.order, self.signals) or _STOPGAP_SECONDS
        deadline = time.perf_counter() + min(_STOPGAP_SHARE * seconds, _STOPGAP_SECONDS)
        board = read_board(self.place.fen, self.place.moves, is_chess960)
        return fallback_move(board, deadline, self.order.search_moves)
