"""The one exception for input that cannot be used."""

from __future__ import annotations

_LONGEST_QUOTE = 40


class InputError(ValueError):
    """A FEN, move or setting from outside is wrong; the message is one line that says what is wrong and where."""


class IllegalMoveError(InputError):
    """A text names no move that can be played."""


def quote(text: str) -> str:
    """`text` quoted for an error message: on one line, and cut short if it is long."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."
    return repr(shown)
