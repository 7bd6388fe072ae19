"""Reading text files that users name."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import InputError


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
