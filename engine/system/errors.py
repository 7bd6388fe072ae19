"""The exceptions for invalid input."""

from __future__ import annotations

_LONGEST_QUOTE = 40


class InputError(ValueError):
    """Invalid input: a FEN, a move, an option. The message is one line that says what is wrong and where."""


class IllegalMoveError(InputError):
    """A text does not name a legal move."""


def quote(text: str) -> str:
    """`text` quoted for an error message: on one line, truncated if it is long."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."
    return repr(shown)
