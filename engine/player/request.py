"""A parsed `go`, and the signals it may send meanwhile: plain values, passed from `uci` to `player`."""

from __future__ import annotations

import threading
from dataclasses import dataclass


class SearchSignals:
    """Signals to a running search. They may come early: each is remembered until the search has seen it."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.ponderhit = threading.Event()


@dataclass(frozen=True)
class GoRequest:
    """What a `go` asks for, as it was sent: times in milliseconds, moves as text, pairs as (White, Black)."""

    times: tuple[int | None, int | None] = (None, None)  # left on White's clock and on Black's
    increments: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    perft: int | None = None
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[str, ...] = ()
    reports_all: bool = False  # reports the iterations, too, that are too quick for a person to read

    @property
    def waits_for_stop(self) -> bool:
        """Whether the answer has to wait for `stop` or `ponderhit`, even if it is found earlier."""
        return self.infinite or self.ponder

    @property
    def is_timed(self) -> bool:
        """Whether the move is to be found in a limited time."""
        return self.movetime is not None or any(left is not None for left in self.times)

    @property
    def is_for_game(self) -> bool:
        """Whether only time limits the move, so that any good move will do: it is to be played, not studied."""
        has_other_limit = self.depth is not None or self.nodes is not None or self.mate is not None
        return self.is_timed and not (has_other_limit or self.waits_for_stop or self.search_moves)
