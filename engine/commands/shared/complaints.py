"""What was wrong with the input, where the work goes on without it."""

from __future__ import annotations

import sys


def print_warning(text: str) -> None:
    """Tell the user on stderr, in one line."""
    print(f"error: {text}", file=sys.stderr)
