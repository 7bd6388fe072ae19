"""The games of `compare --levels` on disk, in PGN: they are read back, so that a measurement can be resumed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import chess.pgn

from engine.arena.records import FORFEIT_TAG, POINTS, GameRecord
from engine.system.errors import InputError
from engine.system.files import read_text


@dataclass(frozen=True)
class PlayedLevelGame:
    """A game from the starting position: who played, how it ended, and the moves in UCI notation."""

    players: tuple[str, str]  # White, Black
    result: str
    moves: tuple[str, ...]
    is_forfeited: bool = False


def append_game(path: Path, record: GameRecord) -> None:
    """Append a game to the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(record.pgn({"Date": f"{datetime.now(UTC):%Y.%m.%d}"}))


def read_games(path: Path) -> list[PlayedLevelGame]:
    """The games of a file, none if it does not exist; InputError if it holds anything but finished games."""
    if not path.exists():
        return []
    games, text = [], io.StringIO(read_text(path))
    while (game := chess.pgn.read_game(text)) is not None:
        tags = game.headers
        if game.errors or tags.get("Result") not in POINTS or "FEN" in tags:
            raise InputError(f"{path} is not a file of games from `compare --levels`")
        games.append(PlayedLevelGame((tags["White"], tags["Black"]), tags["Result"],
                                     tuple(move.uci() for move in game.mainline_moves()), FORFEIT_TAG in tags))
    return games
