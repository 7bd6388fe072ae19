"""Numbers in sentences."""

from __future__ import annotations


def pluralize(number: int, one: str, more: str | None = None) -> str:
    """`1 ply`, `2 plies`; the plural is that of most words unless it is said."""
    return f"{number} {one if number == 1 else more or one + 's'}"
