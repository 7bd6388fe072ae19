"""A position as people read it: a diagram with coordinates, the FEN, the key."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from engine.core.game import Game

_FILES = "    a b c d e f g h"


def board_of(game: Game) -> chess.Board:
    """The position of a game as a python-chess board."""
    return chess.Board(game.fen(shredder=True), chess960=True)


def position_lines(game: Game) -> Iterator[str]:
    """The position, line by line."""
    for rank, row in zip(range(8, 0, -1), str(board_of(game)).splitlines(), strict=True):
        yield f" {rank}  {row}"
    yield _FILES
    yield f"{'black' if game.position.side else 'white'} to move"
    yield f"Fen: {game.fen()}"
    yield f"Key: {int(game.position.key):016X}"


def mirrored_fen(game: Game) -> str:
    """The position with the colours exchanged."""
    return board_of(game).mirror().fen(shredder=bool(game.position.chess960))
