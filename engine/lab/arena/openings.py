"""Openings for matches: from EPD, FEN or PGN files, plain or compressed, or random."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

import chess
import chess.pgn

from book.pgn import BoundedBuilder
from engine.lab.arena.records import Opening
from engine.system.errors import InputError, quote
from engine.system.files import bounded, inner_name, open_text

_RANDOM_PLIES = 8
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")


class Openings:
    """The openings in a file, parsed only when they are drawn: large files hold more than any match uses."""

    def __init__(self, path: Path, chess960: bool = False) -> None:
        self._path, self._chess960 = path, chess960
        self._is_pgn = inner_name(path).lower().endswith(".pgn")
        with open_text(path) as lines:
            read = _pgn_games if self._is_pgn else _lines
            self._items = list(read(_check_lines(bounded(lines, path), path)))

    def draw(self, pairs: int, seed: int, warn: Callable[[str], None]) -> Iterator[Opening]:
        """One opening per pair, in an order determined by the seed; each is used once before any is used again.

        Bad entries are skipped with a warning; InputError if there are no others.
        """
        generator = random.Random(seed)  # noqa: S311  no secret
        good = self._items
        shuffled: list[tuple[str, str]] = []
        for _ in range(pairs):
            opening = None
            while opening is None:
                if not good:
                    raise InputError(f"{self._path} holds no openings")
                if not shuffled:
                    shuffled = generator.sample(good, len(good))
                where, text = shuffled.pop()
                try:
                    opening = self._read(text)
                except ValueError as error:
                    warn(f"skipped {self._path}, {where}: {error}")
                    good = [item for item in good if item[0] != where]
            yield opening

    def read_all(self, warn: Callable[[str], None]) -> Iterator[Opening]:
        """All openings in the order of the file; bad entries are skipped with a warning."""
        for where, text in self._items:
            try:
                yield self._read(text)
            except ValueError as error:
                warn(f"skipped {self._path}, {where}: {error}")

    def _read(self, text: str) -> Opening:
        return _parse_game(text, self._chess960) if self._is_pgn else _parse_line(text, self._chess960)


class RandomOpenings:
    """Random openings: a few random moves from the starting position, or from a random one of Chess960.

    Openings that `is_fair` rejects are drawn again.
    """

    def __init__(self, chess960: bool = False, is_fair: Callable[[Opening], bool] = lambda opening: True) -> None:
        self._chess960, self._is_fair = chess960, is_fair

    def draw(self, pairs: int, seed: int, warn: Callable[[str], None] = print) -> Iterator[Opening]:
        """One opening per pair, which depends only on the pair's number and the seed; never warns."""
        return (self._opening(random.Random(f"{seed}/{number}")) for number in range(pairs))  # noqa: S311

    def _opening(self, generator: random.Random) -> Opening:
        while True:
            board = (chess.Board.from_chess960_pos(generator.randrange(960)) if self._chess960 else chess.Board())
            start = _check_start(board)
            while len(board.move_stack) < _RANDOM_PLIES and (moves := list(board.legal_moves)):
                board.push(generator.choice(moves))
            opening = Opening(start.fen, tuple(board.uci(move) for move in board.move_stack), start.chess960)
            if any(board.legal_moves) and self._is_fair(opening):
                return opening


def _check_lines(lines: Iterable[str], path: Path) -> Iterator[str]:
    """Yield the lines of a text file; InputError at the first that is not text."""
    for number, line in enumerate(lines, 1):
        if _BINARY.search(line):
            raise InputError(f"{path} is not a text file: line {number} has control characters")
        yield line


def _lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield f"line {number}", line.strip()


def _pgn_games(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The text of each game; games are separated by their tags, or by an empty line if they have none."""
    game: list[str] = []
    begin = 1
    for number, line in enumerate(chain(lines, [""]), 1):
        if line.strip():
            game.append(line.rstrip("\n"))
        elif any(not part.startswith("[") for part in game):
            yield f"game at line {begin}", "\n".join(game)
            game, begin = [], number + 1
        elif game:
            game.append("")  # between the tags and the moves


def _parse_line(line: str, chess960: bool) -> Opening:
    fields = line.split()
    counters = fields[4:6] if len(fields) >= 6 and fields[4].isdigit() and fields[5].isdigit() else ["0", "1"]
    return _check_start(chess.Board(" ".join([*fields[:4], *counters]), chess960=chess960))


def _parse_game(text: str, chess960: bool) -> Opening:
    game = chess.pgn.read_game(io.StringIO(text), Visitor=BoundedBuilder)
    if game is None or game.errors:
        raise InputError(str(game.errors[0]) if game is not None else f"no game in {quote(text)}")
    if "FEN" not in game.headers and not game.variations:
        raise InputError(f"no moves in {quote(text)}")
    board = game.board()
    board.chess960 = board.chess960 or chess960
    start = _check_start(board)
    opening = Opening(start.fen, tuple(board.uci(move) for move in game.mainline_moves()), start.chess960)
    _check_start(opening.board())
    return opening


def _check_start(board: chess.Board) -> Opening:
    if not board.is_valid():
        raise InputError(f"{quote(board.fen())} is not a legal position")
    if not any(board.legal_moves):
        raise InputError(f"{quote(board.fen())} has no legal move")
    return Opening(board.fen(shredder=board.chess960), (), board.chess960)
