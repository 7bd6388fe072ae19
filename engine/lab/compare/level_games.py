"""The games of `compare levels` on disk, in PGN: they are read back, so that a measurement can be resumed."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import chess.pgn

from engine.lab.arena.records import EVENT_LINE, FORFEIT_TAG, POINTS, GameRecord
from engine.system.errors import InputError
from engine.system.files import append_whole, read_text, write_file

_END_OF_GAME = re.compile(r"(?<=\s)(1-0|0-1|1/2-1/2)(\n\n|\n?\Z)")


@dataclass(frozen=True)
class PlayedLevelGame:
    """A game from the starting position: who played, how it ended, and the moves in UCI notation."""

    players: tuple[str, str]  # White, Black
    result: str
    moves: tuple[str, ...]
    is_forfeited: bool = False


def append_game(path: Path, record: GameRecord) -> None:
    """Append a game to the file; OSError, with the file unchanged, if that fails."""
    append_whole(path, record.pgn({"Date": f"{datetime.now(UTC):%Y.%m.%d}"}).encode())


def drop_incomplete_game(path: Path) -> None:
    """Remove a game at the end of the file whose writing was interrupted."""
    text = read_text(path) if path.exists() else ""
    end = max((ending.end() for ending in _END_OF_GAME.finditer(text)), default=0)
    whole, rest = text[:end].rstrip("\n") + "\n\n" if end else "", text[end:].strip()
    if whole != text and EVENT_LINE.startswith(rest[: len(EVENT_LINE)]):  # otherwise the file is not ours
        write_file(path, whole)


def read_games(path: Path) -> list[PlayedLevelGame]:
    """The games of a file, none if it does not exist; InputError if it holds anything but finished games."""
    if not path.exists():
        return []
    games, text = [], io.StringIO(read_text(path))
    while (game := chess.pgn.read_game(text)) is not None:
        tags = game.headers
        if game.errors or tags.get("Result") not in POINTS or "FEN" in tags:
            raise InputError(f"{path} is not a file of games from `compare levels`")
        games.append(PlayedLevelGame((tags["White"], tags["Black"]), tags["Result"],
                                     tuple(move.uci() for move in game.mainline_moves()), FORFEIT_TAG in tags))
    return games
