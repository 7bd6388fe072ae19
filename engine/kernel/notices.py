"""What a user should know about the kernels, one line each: not the compiler but the text layer says it.

Until a text layer listens, a line goes to the error stream.
"""

from __future__ import annotations

import sys
from collections.abc import Callable


def _complain(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


_hearer: list[Callable[[str], None]] = [_complain]
_told: set[str] = set()


def tell(line: str) -> None:
    """Let the user know; the same line is told once."""
    if line not in _told:
        _told.add(line)
        _hearer[-1](line)


def listen(hearer: Callable[[str], None]) -> None:
    """Tell `hearer` from now on."""
    _hearer[-1] = hearer
