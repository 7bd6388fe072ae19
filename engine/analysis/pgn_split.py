"""Split a PGN file into the texts of its games, so that a broken game harms no other.

Headers are read with tolerance: joined games, values with line breaks and lines that are no headers lose nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.system.errors import quote

LONGEST_GAME = 1 << 21  # characters of its moves and comments
_MOST_HEADERS, _LONGEST_HEADERS = 500, 1 << 18  # of a game, and their characters
_MOST_WARNINGS = 20  # of a game

_NAME = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*"
_STRICT = re.compile(rf'\s*\[\s*({_NAME})\s+"((?:[^"\\]|\\.)*)"\s*\]')  # one of possibly several in a line
_BEGINNING = re.compile(rf'\s*\[\s*({_NAME})\s+"')
_UNQUOTED = re.compile(rf'\s*\[\s*({_NAME})\s+([^"\]]*)\]\s*$')
_FIRST = "Event"  # the header that begins a game
_MOST_VALUE_LINES = 8  # of a value with line breaks
_COMMENT_MARKS = re.compile(r"[{};]")
_MOVE = re.compile(r"[a-h][1-8]|[O0]-[O0]|--|Z0")


@dataclass
class GameText:
    """The text of one game: its headers, its moves, and what had to be left out."""

    headers: dict[str, str] = field(default_factory=dict)
    movetext: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    size: int = 0  # characters of the movetext; those beyond LONGEST_GAME are not kept
    headers_size: int = 0

    def add_header(self, name: str, value: str) -> None:
        """Add a header, or leave it out with a warning if there are too many."""
        self.headers_size += len(name) + len(value)
        if self.headers_size > _LONGEST_HEADERS or len(self.headers) == _MOST_HEADERS:
            self.warn("it has too many headers; the others are left out")
        else:
            self.headers[name] = value

    def warn(self, text: str) -> None:
        """Add a warning, unless there are many already or it is the same as the last one."""
        if len(self.warnings) < _MOST_WARNINGS and self.warnings[-1:] != [text]:
            self.warnings.append(text)

    def text(self) -> str:
        """The game as PGN with well-formed headers."""
        head = "".join(f'[{name} "{value}"]\n' for name, value in self.headers.items())
        return f"{head}\n{''.join(self.movetext)}"


def split_games(lines: Iterable[str]) -> Iterator[GameText]:
    """Yield the games of a PGN file one after the other."""
    splitter = _Splitter()
    for number, line in enumerate(lines, start=1):
        finished = splitter.read(number, line)
        if finished is not None:
            yield finished
    yield from splitter.finish()


class _Splitter:
    """Reads lines, and gives a game back when the next one begins."""

    def __init__(self) -> None:
        self._game = GameText()
        self._open_value: tuple[int, list[str]] | None = None  # a header whose value goes on: first line, its lines
        self._is_in_comment = self._has_gap = False  # a gap: a blank line after the last header

    def read(self, number: int, line: str) -> GameText | None:
        """Take a line; returns the game that it ends, if any."""
        line = line.lstrip("\ufeff") if number == 1 else line
        if self._open_value is not None and self._continue_value(line):
            return None
        header = _BEGINNING.match(line) or (None if self._game.movetext else _UNQUOTED.match(line))
        if self._is_in_comment:
            if header is None or header[1] != _FIRST:
                self._add_moves(line)
                return None
            self._game.warn("a comment is not closed")
            self._is_in_comment = False
        if line.startswith("%"):
            return None
        if not line.strip():
            return self._blank()
        if header is not None:
            finished = self._begin_if_new(header[1])
            self._add_headers(number, line, header)
            return finished
        if line.startswith("[") and not self._game.movetext:
            self._game.warn(f"line {number} is not a header: {quote(line.strip())}")
        else:
            self._add_moves(line)
        return None

    def finish(self) -> Iterator[GameText]:
        """The last game, if there is one."""
        self._close_value()
        if self._game.headers or self._game.movetext:
            yield self._game

    def _begin_if_new(self, name: str) -> GameText | None:
        """Begin another game if a header of this name belongs to one; returns the game before it."""
        game = self._game
        if game.movetext and not any(map(_MOVE.search, game.movetext)):
            game.warn(f"not a header: {quote(' '.join(' '.join(game.movetext).split()))}")
            game.movetext, game.size = [], 0
        is_repeated = name in game.headers and (self._has_gap or name == _FIRST)
        return self._take() if game.movetext or is_repeated else None

    def _take(self) -> GameText:
        finished, self._game, self._has_gap, self._is_in_comment = self._game, GameText(), False, False
        return finished

    def _blank(self) -> GameText | None:
        self._has_gap = True
        return self._take() if self._game.movetext else None

    def _add_moves(self, line: str) -> None:
        self._is_in_comment = _is_comment_open(line, self._is_in_comment)
        self._game.size += len(line)
        if self._game.size <= LONGEST_GAME:
            self._game.movetext.append(line)

    def _add_headers(self, number: int, line: str, first: re.Match[str]) -> None:
        """Add the headers of a line; one whose value goes on in the next line waits for it."""
        self._has_gap = False
        rest = line.rstrip().removesuffix("]").rstrip()
        if found := list(_all_strict(line)):
            for name, value in found:
                self._game.add_header(name, value)
        elif first.re is _UNQUOTED:
            self._game.add_header(first[1], first[2].strip())
        elif rest.endswith('"') and len(rest) > first.end():  # quotes inside the value, or no bracket at its end
            self._game.add_header(first[1], _clean(rest[first.end():-1]))
        else:
            self._open_value = number, [line]

    def _continue_value(self, line: str) -> bool:
        """Whether the line belongs to the value that is open; otherwise that header is left out."""
        assert self._open_value is not None
        number, lines = self._open_value
        if line.strip() and not line.lstrip().startswith("[") and len(lines) < _MOST_VALUE_LINES:
            lines.append(line)
            if line.rstrip().endswith('"]'):
                self._open_value, joined = None, " ".join(part.strip() for part in lines)
                first = _BEGINNING.match(joined)
                assert first is not None
                self._add_headers(number, joined, first)
            return True
        self._close_value()
        return False

    def _close_value(self) -> None:
        """Leave out a header whose value does not end; what followed it may be moves."""
        if self._open_value is not None:
            number, lines = self._open_value
            self._open_value = None
            self._game.warn(f"line {number} is not a header: {quote(lines[0].strip())}")
            for line in lines[1:]:
                self._add_moves(line)


def _all_strict(line: str) -> Iterator[tuple[str, str]]:
    """The headers of a line that contains nothing but well-formed ones; none otherwise."""
    found, end = [], 0
    while match := _STRICT.match(line, end):
        found.append((match[1], _clean(match[2])))
        end = match.end()
    if not line[end:].strip():
        yield from found


def _clean(value: str) -> str:
    return " ".join(value.splitlines()).strip()


def _is_comment_open(line: str, is_in_comment: bool) -> bool:
    """Whether a comment in braces is open at the end of a line."""
    for mark in _COMMENT_MARKS.findall(line):
        if is_in_comment:
            is_in_comment = mark != "}"
        elif mark == ";":
            return False
        else:
            is_in_comment = mark == "{"
    return is_in_comment
