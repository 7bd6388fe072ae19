"""Reading text files that users name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from engine.core.errors import InputError

_OPENERS: dict[str, Callable[..., IO[str]]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_UNREADABLE = (".zst", ".7z", ".rar")


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a suite that say something, with their numbers; InputError if the file cannot be read as text."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read suite {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"suite {path} is not a text file: {error.reason} at byte {error.start}") from error
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.startswith("#")]


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """A text file, plain or packed (.gz, .xz, .bz2, or the first of a .zip), to be read as a stream.

    InputError, also later while it is read, if that cannot be done. What is no text is replaced by question marks.
    """
    try:
        with ExitStack() as stack:
            yield _open(path, stack)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        raise InputError(f"{path} is damaged, or packed in a way that cannot be read: {error}") from error


def _open(path: Path, stack: ExitStack) -> IO[str]:
    suffix = path.suffix.lower()
    if suffix in _UNREADABLE:
        raise InputError(f"{path}: unpack it first; .gz, .xz, .bz2 and .zip can be read as they are")
    if suffix == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(path))
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if not names:
            raise InputError(f"{path} holds no file")
        raw = stack.enter_context(archive.open(names[0]))
        return stack.enter_context(io.TextIOWrapper(raw, "utf-8-sig", "replace"))
    opener = _OPENERS.get(suffix, open)
    return stack.enter_context(opener(path, "rt", encoding="utf-8-sig", errors="replace"))
