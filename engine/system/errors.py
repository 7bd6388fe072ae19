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


def message_of(error: BaseException) -> str:
    """An exception as an error message, with the name of the file if the system refused to use one."""
    name = error.filename if isinstance(error, OSError) else None
    return f"{name}: {reason_of(error)}" if name else reason_of(error)


def reason_of(error: BaseException) -> str:
    """Why the system refused something, for an error message: its words, without numbers and on one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split()) or type(error).__name__
