"""A fast PGN reader: headers, and the moves of the main line as text.

python-chess parses PGN completely and checks every move. Building a book from hundreds of thousands of games needs a
faster reader; a kernel checks the moves (replay.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from engine.system.errors import InputError
from engine.system.files import open_text

_HEADER = re.compile(r'^\[([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*$')
_COMMENT_MARKS = re.compile(r"[{};]")
_NOISE = re.compile(r"\$\d+|\be\.p\.")
_BRACKETS = re.compile(r"[()]")
_NUMBER = re.compile(r"(?<!\d)\d+\s*\.+|\.\.+")
_MARK = re.compile(r"(?:[!?+=/#\-]*|\d+)$")
_NULL_MOVES = ("--", "Z0")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_MAX_GAME_LENGTH = 1 << 20  # characters
_MOST_MOVES = 50_000  # of a game and its variations, where each takes a kilobyte


@dataclass(frozen=True)
class PgnGame:
    """A game as text."""

    number: int  # in its file, from 1
    headers: dict[str, str]
    moves: list[str]  # SAN, possibly with marks such as !?
    result: str  # one of RESULTS


class BoundedBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game; InputError if it has so many moves that it would fill the memory."""

    def __init__(self) -> None:
        super().__init__()
        self._moves = 0

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        """Add a move, of the main line or of a variation."""
        self._moves += 1
        if self._moves > _MOST_MOVES:
            raise InputError(f"it has more than {_MOST_MOVES} moves")
        super().visit_move(board, move)


def read_pgn(path: Path) -> Iterator[PgnGame]:
    """Yield the games of a plain or compressed file; InputError if it cannot be read or is not PGN."""
    with open_text(path) as lines:
        for number, (headers, text) in enumerate(_games(lines, path), start=1):
            moves, result = main_line(text)
            named = headers.get("Result", "*")
            yield PgnGame(number, headers, moves, named if result == "*" and named in RESULTS else result)


def _games(lines: Iterable[str], path: Path) -> Iterator[tuple[dict[str, str], str]]:
    """Yield headers and movetext of each game, without comments."""
    headers: dict[str, str] = {}
    text: list[str] = []
    size = 0
    is_in_comment = are_headers_over = False
    for line in lines:
        if size > _MAX_GAME_LENGTH:
            raise InputError(f"{path}: a game is longer than {_MAX_GAME_LENGTH} characters; is it PGN?")
        header = _HEADER.match(line)
        if header is not None and (not is_in_comment or header[1] == "Event"):
            is_in_comment = False
            if are_headers_over or text:
                yield headers, "".join(text)
                headers, text, size, are_headers_over = {}, [], 0, False
            headers[header[1]] = header[2]
            size += len(line)
        elif line.startswith("%") or (line.startswith("[") and headers and not text and not is_in_comment):
            continue  # an escaped line, or a malformed header
        elif line.strip():
            plain, is_in_comment = _without_comments(line, is_in_comment)
            size += len(line)
            if plain.strip():
                text.append(plain)
                if _ends_game(plain) and not headers:
                    yield headers, "".join(text)
                    text, size = [], 0
        elif headers:
            are_headers_over = True
    if headers or text:
        yield headers, "".join(text)


def _without_comments(line: str, is_in_comment: bool) -> tuple[str, bool]:
    """The part of a line outside comments, and whether a comment is still open at its end."""
    kept, begin = [], 0
    for mark in _COMMENT_MARKS.finditer(line):
        if is_in_comment:
            if mark[0] == "}":
                is_in_comment, begin = False, mark.end()
        elif mark[0] == "{":
            kept.append(line[begin : mark.start()])
            is_in_comment = True
        elif mark[0] == ";":
            kept.append(line[begin : mark.start()] + "\n")
            return " ".join(kept), False
    if not is_in_comment:
        kept.append(line[begin:])
    return " ".join(kept), is_in_comment


def _ends_game(line: str) -> bool:
    words = line.split()
    return bool(words) and words[-1] in RESULTS


def _without_variations(text: str) -> str:
    """The text outside parentheses. An unmatched parenthesis is kept."""
    kept, begin = list[str](), 0
    opened = list[int]()  # the length of `kept` at each open bracket
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] == "(":
            kept.append(text[begin : bracket.start()])
            opened.append(len(kept))
            kept.append("(")
        elif opened:
            del kept[opened.pop() :]
            kept.append(" ")
        else:
            kept.append(text[begin : bracket.end()])
        begin = bracket.end()
    return "".join([*kept, text[begin:]])


def main_line(text: str) -> tuple[list[str], str]:
    """The moves of the main line up to the result, and the result; "*" if there is none."""
    text = _without_variations(_NOISE.sub(" ", text))
    moves: list[str] = []
    for word in _NUMBER.sub(" ", text).split():
        if word in RESULTS:
            return moves, word
        if word in _NULL_MOVES or not _MARK.match(word):
            moves.append(word)
    return moves, "*"
