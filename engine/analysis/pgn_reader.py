"""Read PGN files as users have them: with comments, variations, odd headers, and broken games in the middle."""

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
_NO_TAGS = dict(chess.pgn.Game().headers)  # the tags of a text without any


class _Handle:
    """A file-like object over lines, as python-chess reads them."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def readline(self) -> str:
        """The next line; an empty string at the end."""
        return next(self._lines, "")


def read_games(path: Path) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """Yield the games of a file with their numbers, from 1; an error message in place of a game that is invalid."""
    with open_text(path) as lines:
        yield from _read_all(lines, f"{path}, ")


def read_games_text(text: str) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """Yield the games of a PGN text, like `read_games`."""
    return _read_all(io.StringIO(text), "")


def _read_all(lines: Iterator[str], prefix: str) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    logger = logging.getLogger("chess.pgn")
    was_disabled, logger.disabled = logger.disabled, True  # errors are reported here, with the game's number
    try:
        number, file = 0, _Handle(lines)
        while (game := chess.pgn.read_game(cast("TextIO", file))) is not None:
            number += 1
            problem = _problem(game)
            yield number, game if problem is None else f"{prefix}{title_of(number, game)}: {problem}"
    finally:
        logger.disabled = was_disabled


def read_game_text(text: str) -> chess.pgn.Game:
    """The first game of a text, which may have no moves; InputError if there is none or it is invalid."""
    logger = logging.getLogger("chess.pgn")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        game = chess.pgn.read_game(io.StringIO(text))
    finally:
        logger.disabled = was_disabled
    if game is None or (not game.variations and game.headers == _NO_TAGS):
        raise InputError("the text contains no game")
    problem = _problem(game)
    if problem is not None and problem != _NO_MOVES:
        raise InputError(f"cannot read the game: {problem}")
    return game


def count_games(path: Path) -> int:
    """The number of games in a file, valid or not."""
    with open_text(path) as lines:
        number, file = 0, _Handle(lines)
        while chess.pgn.skip_game(cast("TextIO", file)):
            number += 1
    return number


def title_of(number: int, game: chess.pgn.Game) -> str:
    """The name of a game in messages."""
    return f"game {number} ({game.headers.get('White', '?')} - {game.headers.get('Black', '?')})"


def _problem(game: chess.pgn.Game) -> str | None:
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
        return f"invalid headers: {error}"
    moves = list(game.mainline_moves())
    if not moves:
        return _NO_MOVES
    return None if all(moves) else "it has a null move in its main line"
