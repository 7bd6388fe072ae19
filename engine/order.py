"""What a GUI asks for with `go`, and what it may call out meanwhile: plain values, passed from `uci` to `player`."""

from __future__ import annotations

import threading
from dataclasses import dataclass


class Signals:
    """What may be called out to a running search, however early: each is remembered until the search has heard it."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.ponderhit = threading.Event()


@dataclass(frozen=True)
class Order:
    """What a `go` asks for, as it was said: times in milliseconds, moves as text, by colour where there are two."""

    times: tuple[int | None, int | None] = (None, None)  # white's clock, black's
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

    @property
    def is_open_ended(self) -> bool:
        """Whether the answer has to wait for `stop` or `ponderhit`, however soon it is found."""
        return self.infinite or self.ponder

    @property
    def has_clock(self) -> bool:
        """Whether time runs while the move is found."""
        return self.movetime is not None or any(left is not None for left in self.times)
