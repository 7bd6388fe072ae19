"""Reading files of games as users have them: with comments, variations, odd headers, and a broken one in the middle."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

import chess.pgn

from engine.analysis.boards import check_variant, fen_and_moves
from engine.core.game import Game
from engine.system.errors import InputError
from engine.system.files import open_text

_NO_MOVES = "it has no moves"
_NO_TAGS = dict(chess.pgn.Game().headers)  # what a text without tags is given


class _Handle:
    """Lines as python-chess reads them: from something that it takes for a file."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def readline(self) -> str:
        """The next line, or an empty text at the end."""
        return next(self._lines, "")


def read_games(path: Path) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """The games of a file with their numbers from 1; instead of one that is of no use, what is wrong with it."""
    with open_text(path) as lines:
        yield from _read_all(lines, f"{path}, ")


def read_games_text(text: str) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """The same of a text."""
    return _read_all(io.StringIO(text), "")


def _read_all(lines: Iterator[str], place: str) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    logger = logging.getLogger("chess.pgn")
    was_disabled, logger.disabled = logger.disabled, True  # what it says is said here, with the game's number
    try:
        number, file = 0, _Handle(lines)
        while (game := chess.pgn.read_game(cast("TextIO", file))) is not None:
            number += 1
            complaint = _complaint(game)
            yield number, game if complaint is None else f"{place}{title_of(number, game)}: {complaint}"
    finally:
        logger.disabled = was_disabled


def read_game_text(text: str) -> chess.pgn.Game:
    """The first game of a text, which may have no moves yet; InputError if there is none, or one that is of no use."""
    logger = logging.getLogger("chess.pgn")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        game = chess.pgn.read_game(io.StringIO(text))
    finally:
        logger.disabled = was_disabled
    if game is None or (not game.variations and game.headers == _NO_TAGS):
        raise InputError("there is no game in that text")
    complaint = _complaint(game)
    if complaint is not None and complaint != _NO_MOVES:
        raise InputError(f"that game cannot be read: {complaint}")
    return game


def count_games(path: Path) -> int:
    """How many games a file holds, good or bad."""
    with open_text(path) as lines:
        number, file = 0, _Handle(lines)
        while chess.pgn.skip_game(cast("TextIO", file)):
            number += 1
    return number


def title_of(number: int, game: chess.pgn.Game) -> str:
    """What a game is called in a message."""
    return f"game {number} ({game.headers.get('White', '?')} - {game.headers.get('Black', '?')})"


def _complaint(game: chess.pgn.Game) -> str | None:
    """Why a game cannot be annotated; None if it can."""
    if game.errors:
        return " ".join(str(game.errors[0]).split())
    try:
        board = game.board()
        check_variant(board)
        fen, _ = fen_and_moves(board)
        Game(fen, board.chess960)
    except InputError as error:
        return str(error)
    except ValueError as error:
        return f"its headers cannot be understood: {error}"
    moves = list(game.mainline_moves())
    if not moves:
        return _NO_MOVES
    return None if all(moves) else "it has a null move in its main line"
