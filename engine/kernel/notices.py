"""What a user should know about the kernels, one line each; the text layer prints it, not the compiler.

Until a text layer listens, a line goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable


def _complain(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


_hearer: list[Callable[[str], None]] = [_complain]
_told: set[str] = set()


def notify(line: str) -> None:
    """Tell the user; the same line is told only once."""
    if line not in _told:
        _told.add(line)
        _hearer[-1](line)


def set_listener(hearer: Callable[[str], None]) -> None:
    """Send notices to `hearer` from now on."""
    _hearer[-1] = hearer
