"""An output file with a journal next to it, so that an interrupted run can resume after the last finished game."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from zlib import crc32

from engine.system.errors import InputError, reason_of
from engine.system.files import LARGEST_TEXT, append_whole, check_target, exclusive, read_bytes

_SUFFIX = ".progress"
_CHECKSUM_LENGTH = 9  # with the blank after it


class ResumableFile:
    """The file at `path`, and its journal. A game counts as written once its line is in the journal.

    The journal is locked until the file is closed: another run on the same file is refused.
    """

    def __init__(self, path: Path, conditions: Mapping[str, Any]) -> None:
        """Start a file, or resume one started under the same conditions; InputError if there is another file."""
        self.path, self._journal = path, path.with_name(path.name + _SUFFIX)
        self.rows: list[dict[str, Any]] = []  # one for each finished game
        self._head = _line({"conditions": dict(conditions)})
        check_target(self._journal, lambda _: True, "journal")
        if path.exists() and not self._journal.exists():
            raise self._finished()
        with ExitStack() as stack:
            with self._writing():
                stack.enter_context(exclusive(self._journal))
            self._recover()
            self._lock = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Unlock the journal, which stays if the run was interrupted."""
        self._lock.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Name the file that the user named, not the journal, in the InputError if something cannot be written."""
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {reason_of(error)}") from error

    @property
    def _size(self) -> int:
        return int(self.rows[-1]["end"]) if self.rows else 0

    def _recover(self) -> None:
        """Read the rows of an interrupted run up to the first that is damaged, and cut both files off after them."""
        head, *lines = read_bytes(self._journal, LARGEST_TEXT).splitlines(keepends=True) or [b""]
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and not head:
            raise self._finished()
        if not head.endswith(b"\n"):  # killed before there was anything to resume
            if size or not self._head.startswith(head):
                raise self._damaged()
        elif _value(head) is None:
            raise self._damaged()
        elif head != self._head:
            raise InputError(f"{self.path} was started with different settings or another file; "
                             f"remove {self.path.name} and {self._journal.name} to start over")
        kept = len(head) if head == self._head else 0
        for line in lines:
            row = _value(line)
            if row is None:
                break
            self.rows.append(row)
            kept += len(line)
        if self._size > size:
            raise InputError(f"{self.path} is shorter than {self._journal.name} says; remove both to start over")
        with self._writing():
            os.truncate(self._journal, kept)
            if not kept:
                append_whole(self._journal, self._head)
            self.path.touch()
            os.truncate(self.path, self._size)

    def _finished(self) -> InputError:
        return InputError(f"{self.path} exists and is no interrupted run to resume: delete it, or choose another name")

    def _damaged(self) -> InputError:
        return InputError(f"{self._journal} is damaged; remove it and {self.path.name} to start over")

    def add(self, text: str, row: Mapping[str, Any]) -> None:
        """Append a game and its journal row; after an interruption, either both count or neither."""
        data = text.encode()
        self._append(self.path, data)
        row = {**row, "end": self._size + len(data)}
        self._append(self._journal, _line(row))
        self.rows.append(row)

    def _append(self, path: Path, data: bytes) -> None:
        with self._writing():
            append_whole(path, data, is_durable=True)

    def remove(self) -> None:
        """Remove the file and its journal: no game was written."""
        self.path.unlink()
        self.finish()

    def finish(self) -> None:
        """Remove the journal: all games are written."""
        with suppress(PermissionError):  # Windows removes no file that is open
            self._journal.unlink()
        self._lock.close()
        self._journal.unlink(missing_ok=True)


def _line(value: Mapping[str, Any]) -> bytes:
    """A journal line: a checksum and JSON."""
    text = json.dumps(value).encode()
    return b"%08x %s\n" % (crc32(text), text)


def _value(line: bytes) -> dict[str, Any] | None:
    """The value of a journal line; None if the line is damaged."""
    try:
        value: dict[str, Any] = json.loads(line[_CHECKSUM_LENGTH:])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _line(value) == line else None


def digest_of_file(path: Path) -> str:
    """The digest of a file, to recognize it when a run is resumed."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
