"""What goes into a search and what comes out of it: plain values, shared by every kind of search."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """When to stop; None means no limit of that kind, and with none at all the search goes on until it is told to stop.

    Times are seconds.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None
    soft_time: float | None = None  # begin no further iteration after this
    hard_time: float | None = None  # break off an iteration at this
    mate: int | None = None
    multipv: int = 1
    search_moves: tuple[int, ...] = ()


@dataclass(frozen=True)
class Info:
    """What an iteration found: one line of MultiPV."""

    depth: int
    deepest: int
    line_number: int
    score: int
    nodes: int
    seconds: float
    hashfull: int
    line: tuple[int, ...]


@dataclass
class Result:
    """The answer: the best move, the line it begins, and how it was found."""

    move: int
    score: int
    depth: int
    nodes: int
    seconds: float
    line: tuple[int, ...] = ()
    infos: list[Info] = field(default_factory=list)
