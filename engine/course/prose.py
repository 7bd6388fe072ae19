"""What the teacher says: paragraphs, wrapped for the terminal."""

from __future__ import annotations

import shutil
import textwrap

_WIDEST = 100  # columns


def say(prose: str) -> None:
    """Print paragraphs, as wide as the terminal but no wider than is good to read; indented ones as they are."""
    width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    paragraphs = prose.split("\n\n")
    print("\n\n".join(text if text.startswith("    ") else textwrap.fill(" ".join(text.split()), width)
                      for text in paragraphs))
