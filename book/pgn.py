"""Games from PGN files, fast: headers and the moves of the main line as text, nothing else.

python-chess reads PGN completely and judges every move; building a book from hundreds of thousands of games needs a
reader fifty times faster, which leaves the judging to a kernel (replay.py).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.core.errors import InputError

_OPENERS: dict[str, Callable[..., IO[str]]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_HEADER = re.compile(r'^\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]')
_NOISE = re.compile(r"\{[^}]*\}|;[^\n]*|\$\d+")
_VARIATION = re.compile(r"\([^()]*\)")
_NUMBER = re.compile(r"\d+\.+")
_MARK = re.compile(r"[!?+\-=/#]*$")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


@dataclass(frozen=True)
class PgnGame:
    """A game as it was written down."""

    number: int  # in its file, from 1
    headers: dict[str, str]
    moves: list[str]  # SAN, with whatever marks were added

    @property
    def result(self) -> str:
        """One of RESULTS."""
        result = self.headers.get("Result", "*")
        return result if result in RESULTS else "*"


def read_pgn(path: Path) -> Iterator[PgnGame]:
    """The games of a file, plain or packed, one at a time; InputError if it cannot be read."""
    try:
        with ExitStack() as stack:
            yield from _games(_open(path, stack))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is damaged: {error}") from error


def _open(path: Path, stack: ExitStack) -> IO[str]:
    if path.suffix == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(path))
        names = archive.namelist()
        if not names:
            raise InputError(f"{path} holds no file")
        raw = stack.enter_context(archive.open(names[0]))
        return stack.enter_context(io.TextIOWrapper(raw, "utf-8", "replace"))
    opener = _OPENERS.get(path.suffix, open)
    return stack.enter_context(opener(path, "rt", encoding="utf-8", errors="replace"))


def _games(lines: IO[str]) -> Iterator[PgnGame]:
    headers: dict[str, str] = {}
    text: list[str] = []
    number = 0
    depth = False  # inside a comment that goes on over lines, where a bracket is no header
    for line in lines:
        header = None if depth else _HEADER.match(line)
        if header is None:
            text.append(line)
            depth = _is_open(line, depth)
            continue
        if any(part.strip() for part in text):
            number += 1
            yield PgnGame(number, headers, moves_of("".join(text)))
            headers = {}
        text = []
        headers[header[1]] = header[2]
    if headers or any(part.strip() for part in text):
        yield PgnGame(number + 1, headers, moves_of("".join(text)))


def _is_open(line: str, was_open: bool) -> bool:
    """Whether a comment in braces is still open at the end of a line."""
    last_open, last_close = line.rfind("{"), line.rfind("}")
    return was_open if last_open == last_close else last_open > last_close


def moves_of(text: str) -> list[str]:
    """The moves of the main line."""
    if "{" in text or ";" in text or "$" in text:
        text = _NOISE.sub(" ", text)
    while "(" in text:
        shorter = _VARIATION.sub(" ", text)
        if shorter == text:
            break  # a bracket that is never closed
        text = shorter
    words = _NUMBER.sub(" ", text).split()
    return [word for word in words if word not in RESULTS and not _MARK.match(word)]
