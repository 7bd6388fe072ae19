"""An idea that has a name in the books, as a detector proves it on the moves of a line."""

from __future__ import annotations

from dataclasses import dataclass

import chess


@dataclass(frozen=True)
class ProvenIdea:
    """An idea in a line: what it is called, what it consists of here, and how many plies of the line show it."""

    name: str  # as books call it
    words: str  # what can be seen of it on the board
    plies: int
    side: chess.Color  # whose idea it is
    squares: tuple[chess.Square, ...] = ()
    key: chess.Move | None = None  # the third ply of the line if the idea is followed through, whatever else is better
    result: str = ""  # `win` or `draw` for that side: what it is worth by theory; empty where it depends
