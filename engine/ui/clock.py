"""A chess clock for two sides, in milliseconds, and time controls."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import chess

from engine.system.errors import InputError, quote

_CONTROL = re.compile(r"(\d{1,4}(?:\.\d{1,2})?)\+(\d{1,4}(?:\.\d{1,2})?)")
_TAG = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)(?:\+(\d{1,7}(?:\.\d{1,3})?))?")
_SECOND, _MINUTE = 1000, 60_000  # milliseconds
_TENTHS_BELOW = 10 * _SECOND


@dataclass(frozen=True)
class TimeControl:
    """The time of each side for the game and the increment per move, in milliseconds."""

    base: int
    increment: int = 0

    def tag(self) -> str:
        """The value of PGN's TimeControl tag, in seconds."""
        return f"{self.base / _SECOND:g}" + (f"+{self.increment / _SECOND:g}" if self.increment else "")

    def __str__(self) -> str:
        return f"{self.base / _MINUTE:g}+{self.increment / _SECOND:g}"


def parse_time_control(text: str) -> TimeControl:
    """Parse `5+3`: minutes for the game, seconds per move. InputError if the text is not a time control."""
    match = _CONTROL.fullmatch(text.strip())
    base = round(float(match[1]) * _MINUTE) if match else 0
    if match is None or base == 0:
        raise InputError(f"a clock must be MINUTES+SECONDS, as in 5+3, got {quote(text)}")
    return TimeControl(base, round(float(match[2]) * _SECOND))


def parse_time_control_tag(text: str) -> TimeControl | None:
    """Parse the value of a TimeControl tag; None if it is missing or not of the form BASE+INCREMENT."""
    match = _TAG.fullmatch(text.strip())
    base = round(float(match[1]) * _SECOND) if match else 0
    if match is None or base == 0:
        return None
    return TimeControl(base, round(float(match[2] or 0) * _SECOND))


def format_time(milliseconds: int) -> str:
    """Format a time: `1:02:03`, `4:05`, `0:09.8`."""
    if milliseconds < _TENTHS_BELOW:
        return f"0:{milliseconds // 100 / 10:04.1f}"
    seconds = milliseconds // _SECOND
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


class ChessClock:
    """The clock of a game. `now` returns monotonic seconds."""

    def __init__(self, control: TimeControl, now: Callable[[], float] = time.monotonic) -> None:
        self.control = control
        self._now = now
        self._left = {chess.WHITE: control.base, chess.BLACK: control.base}
        self._running: chess.Color | None = None
        self._since = 0.0

    @property
    def running(self) -> chess.Color | None:
        """The side whose clock runs; None while both are stopped."""
        return self._running

    def left(self, color: chess.Color) -> int:
        """The milliseconds that a side has left, at least 0."""
        spent = round((self._now() - self._since) * _SECOND) if color == self._running else 0
        return max(self._left[color] - spent, 0)

    def set(self, color: chess.Color, milliseconds: int) -> None:
        """Set the remaining time of a side; a running clock continues from there."""
        self._left[color] = milliseconds
        if color == self._running:
            self._since = self._now()

    def start(self, color: chess.Color) -> None:
        """Start the clock of one side and stop the other."""
        self.stop()
        self._running, self._since = color, self._now()

    def stop(self) -> None:
        """Stop both clocks."""
        if self._running is not None:
            self._left[self._running] = self.left(self._running)
            self._running = None

    def press(self, color: chess.Color) -> int:
        """End the move of a side: add its increment and start the other clock. Return the milliseconds it has left."""
        self.start(not color)
        self._left[color] += self.control.increment
        return self._left[color]

    def flagged_side(self) -> chess.Color | None:
        """The side whose time is up; None if neither flag has fallen."""
        return self._running if self._running is not None and self.left(self._running) == 0 else None
