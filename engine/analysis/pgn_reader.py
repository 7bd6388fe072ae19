"""Read PGN files as users have them: with comments, variations, odd headers, and broken games in the middle."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import chess.pgn

from book.pgn import BoundedBuilder
from engine.analysis.boards import check_variant, fen_and_moves
from engine.analysis.pgn_split import LONGEST_GAME, GameText, split_games
from engine.core.game import Game
from engine.system.errors import InputError
from engine.system.files import open_text

_NO_MOVES = "it has no moves"
Warn = Callable[[str], None]


def ignore_warning(_: str) -> None:
    """A `warn` that does nothing."""


def read_games(path: Path, warn: Warn = ignore_warning,
               wanted: Container[int] | None = None) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """Yield the games of a file with their numbers, from 1; an error message in place of a game that is invalid.

    `warn` is called with what had to be left out of a game that is yielded; `wanted` has the numbers of the games to
    read, None for all.
    """
    with open_text(path) as lines:
        yield from _read_all(lines, f"{path}, ", warn, wanted)


def read_headers(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the headers of the games of a file with their numbers, from 1, valid or not."""
    with open_text(path) as lines:
        yield from ((number, text.headers) for number, text in enumerate(split_games(lines), start=1))


def read_games_text(text: str) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    """Yield the games of a PGN text, like `read_games`."""
    return _read_all(io.StringIO(text), "", ignore_warning)


def _read_all(lines: Iterable[str], prefix: str, warn: Warn,
              wanted: Container[int] | None = None) -> Iterator[tuple[int, chess.pgn.Game | str]]:
    for number, text in enumerate(split_games(lines), start=1):
        if wanted is not None and number not in wanted:
            continue
        title = f"{prefix}{title_of(number, text.headers)}"
        try:
            game = _parse(text)
        except InputError as error:
            yield number, f"{title}: {error}"
            continue
        problem = _problem(game)
        if problem is not None:
            yield number, f"{title}: {problem}"
            continue
        for warning in text.warnings:
            warn(f"{title}: {warning}")
        yield number, game


def read_game_text(text: str) -> chess.pgn.Game:
    """The first game of a text, which may have no moves; InputError if there is none or it is invalid."""
    first = next(split_games(io.StringIO(text)), None)
    game = None if first is None else _parse(first)
    if first is None or game is None or (not game.variations and not first.headers):
        raise InputError("the text contains no game")
    problem = _problem(game)
    if problem is not None and problem != _NO_MOVES:
        raise InputError(f"cannot read the game: {problem}")
    return game


def _parse(text: GameText) -> chess.pgn.Game:
    """The game of a text; InputError if it is too long, or so malformed that python-chess gives up."""
    if text.size > LONGEST_GAME:
        raise InputError(f"it is longer than {LONGEST_GAME} characters")
    with _no_logging():
        try:
            game = chess.pgn.read_game(io.StringIO(text.text()), Visitor=BoundedBuilder)
        except InputError:
            raise
        except Exception as error:  # it has no exceptions of its own: unbalanced brackets raise an IndexError
            raise InputError("its moves are malformed") from error
    return chess.pgn.Game() if game is None else game


@contextmanager
def _no_logging() -> Iterator[None]:
    """Within this context python-chess logs nothing: errors are reported with the game's number."""
    logger = logging.getLogger("chess.pgn")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_disabled


def count_games(path: Path) -> int:
    """The number of games in a file, valid or not."""
    with open_text(path) as lines:
        return sum(1 for _ in split_games(lines))


def title_of(number: int, headers: Mapping[str, str]) -> str:
    """The name of a game in messages."""
    return f"game {number} ({headers.get('White', '?')} - {headers.get('Black', '?')})"


def _problem(game: chess.pgn.Game) -> str | None:
    """Why a game that was read cannot be annotated; None if it can."""
    if game.errors:
        return " ".join(str(game.errors[0]).split())
    return main_line_problem(game) or (None if game.variations else _NO_MOVES)


def main_line_problem(game: chess.pgn.Game) -> str | None:
    """Why the start or a move of a game cannot be searched; None if all of them can."""
    try:
        board = game.board()
        check_variant(board)
        fen, _ = fen_and_moves(board)
        Game(fen, board.chess960)
    except InputError as error:
        return str(error)
    except ValueError as error:
        return f"invalid headers: {error}"
    return None if all(game.mainline_moves()) else "it has a null move in its main line"
