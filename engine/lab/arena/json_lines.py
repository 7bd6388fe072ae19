"""A file of work that can be continued: one line of JSON that describes the work, then one for each finished part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.system.errors import InputError, reason_of
from engine.system.files import append_whole, begins_with, read_text


@dataclass(frozen=True)
class JsonLines:
    """The format of such a file: what it holds, in one word, and the version of the format."""

    what: str
    version: int = 1

    @property
    def _magic(self) -> str:
        return f'{{"{self.what}": {self.version}, '

    @property
    def is_ours(self) -> Callable[[Path], bool]:
        """Tells whether a file has this format."""
        return begins_with(self._magic.encode())

    def read(self, path: Path) -> tuple[dict[str, Any], list[Any]]:
        """The description and the parts; an incomplete last line, of work that was killed, does not count.

        InputError if the file has another format.
        """
        description, parts, _ = self._read(path)
        return description, parts

    def _read(self, path: Path) -> tuple[dict[str, Any], list[Any], int]:
        """The description, the parts, and the length of the text that holds them."""
        text = read_text(path)
        length = text.rfind("\n") + 1
        first, *lines = text[:length].splitlines() or [""]
        if not first.startswith(self._magic):
            raise InputError(f"{path} is not a {self.what}")
        try:
            description = json.loads(first)
            parts = [json.loads(line) for line in lines]
        except ValueError as error:
            raise InputError(f"{path} is not a {self.what}: {error}") from error
        del description[self.what]
        return description, parts, length

    @contextmanager
    def open(self, path: Path | None, description: Mapping[str, Any]) -> Iterator[tuple[list[Any], Callable[[Any],
                                                                                                         None]]]:
        """(the parts in the file, a function that appends one); without a path, no parts and nothing is written.

        InputError if the file describes other work, or cannot be written.
        """
        if path is None:
            yield [], lambda part: None
            return
        parts, length = list[Any](), 0
        if path.exists() and not self._is_first_line_incomplete(path):
            kept, parts, length = self._read(path)
            self._check_same(path, kept, description)
        with _writing(path):
            with path.open("ab") as file:
                file.truncate(length)
            if not length:
                append_whole(path, (self._magic + json.dumps(description)[1:] + "\n").encode())
        yield parts, lambda part: _append(path, part)

    def _is_first_line_incomplete(self, path: Path) -> bool:
        """Whether work was killed before it had described itself."""
        text = read_text(path)
        return "\n" not in text and self._magic.startswith(text[: len(self._magic)])

    def _check_same(self, path: Path, kept: Mapping[str, Any], description: Mapping[str, Any]) -> None:
        wanted = json.loads(json.dumps(description))
        names = [name for name in {**wanted, **kept} if kept.get(name) != wanted.get(name)]
        if names:
            raise InputError(f"{path} is a {self.what} with other {' and '.join(names)}")


def _append(path: Path, part: Any) -> None:
    with _writing(path):
        append_whole(path, (json.dumps(part) + "\n").encode())


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """InputError instead of OSError within this context."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason_of(error)}") from error
