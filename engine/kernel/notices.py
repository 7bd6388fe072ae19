"""Warnings about the kernels, one line each, sent to a listener; without one they go to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable


def _print_warning(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


_listener: list[Callable[[str], None]] = [_print_warning]
_sent: set[str] = set()


def notify(line: str) -> None:
    """Send a line to the listener; the same line is sent only once."""
    if line not in _sent:
        _sent.add(line)
        _listener[-1](line)


def set_listener(listener: Callable[[str], None]) -> None:
    """Send warnings to `listener` from now on."""
    _listener[-1] = listener
