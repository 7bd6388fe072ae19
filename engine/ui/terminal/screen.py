"""Output of a game: a terminal with colours, or plain text for a pipe; and input, line by line."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TextIO

from engine.ui.terminal.drawing import (
    BAR_ROWS,
    PANEL_WIDTH,
    Square,
    View,
    bar_rows,
    files,
    panel,
    piece_text,
    plain_board,
    rows,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Backgrounds by (is light): ordinary squares, and those of the last move. Both piece colours are legible on all.
_SQUARES = {True: "#bfa67f", False: "#8a6a4b"}
_LAST_SQUARES = {True: "#a9b665", False: "#7f8c3b"}
_CHECK = "#c0392b"
_PIECE_COLOURS = {True: "#ffffff", False: "#101010"}
_BOARD_WIDTH = 3 + 3 * 8 + 2 + 2  # columns: rank, squares, evaluation bar, and a gap
_BAR_COLOURS = {True: "#f0f0f0", False: "#303030"}


class Screen(Protocol):
    """Displays a game and messages."""

    has_symbols: bool

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Show the messages, and the board, which has changed since the last time if `is_changed`."""

    def ask(self, prompt: str) -> None:
        """Prompt for a line of input."""

    def wait(self, text: str) -> None:
        """Show that the engine is busy."""


class PlainScreen:
    """Plain lines of text."""

    def __init__(self, out: TextIO, has_symbols: bool = False) -> None:
        self._out, self.has_symbols = out, has_symbols

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Print the messages, and the board if it has changed."""
        for line in messages:
            self._print(line)
        if is_changed:
            for left, right in zip(plain_board(view), panel(view), strict=True):
                self._print(f"{left}   {right}".rstrip())

    def ask(self, prompt: str) -> None:
        """Print nothing: a pipe needs no prompt."""

    def wait(self, text: str) -> None:
        """Print nothing."""

    def _print(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class TerminalScreen:
    """A terminal that is cleared and redrawn, so that the board does not scroll."""

    def __init__(self, console: Console, has_symbols: bool) -> None:
        self._console, self.has_symbols = console, has_symbols

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Redraw everything."""
        self._console.clear()
        for line in _coloured(view, self._console.width - _BOARD_WIDTH):
            self._console.print(line, no_wrap=True, crop=True, overflow="crop")
        self._console.print()
        for message in messages:
            self._console.print(message, markup=False)

    def ask(self, prompt: str) -> None:
        """Print the prompt and leave the cursor after it."""
        self._console.print(prompt, end="", markup=False)

    def wait(self, text: str) -> None:
        """Print the text dimmed."""
        self._console.print(text, style="dim", markup=False)


def _coloured(view: View, panel_width: int) -> Iterable[Text]:
    """The coloured board with its panel, line by line."""
    from rich.text import Text

    panel_lines = panel(view, panel_width)
    for number, (rank, squares) in enumerate(rows(view)):
        line = Text(f" {rank} ")
        for square in squares:
            line.append(f" {_square_text(square, view.has_symbols)} ", _style(square))
        line.append(*_bar(view, number))
        yield line.append(f"  {panel_lines[number]}", "bold" if panel_lines[number].startswith(">") else "")
    line = Text("    " + "  ".join(files(view)))
    yield line.append(f"       {panel_lines[-1]}")


def _square_text(square: Square, has_symbols: bool) -> str:
    return " " if square.piece is None else piece_text(square.piece, has_symbols, is_coloured=True)


def _style(square: Square) -> str:
    background = _CHECK if square.is_check else (_LAST_SQUARES if square.is_last else _SQUARES)[square.is_light]
    piece = "" if square.piece is None else f"bold {_PIECE_COLOURS[square.piece.color]} "
    return f"{piece}on {background}"


def _bar(view: View, number: int) -> tuple[str, str]:
    """A row of the evaluation bar, counted from the top: its text and its style."""
    if view.score is None:
        return "", ""
    white = bar_rows(view.score)
    is_white = number >= BAR_ROWS - white if view.bottom else number < white
    return "  ", f"on {_BAR_COLOURS[is_white]}"


def screen_for(out: TextIO, has_symbols: bool | None) -> Screen:
    """The screen for an output stream; `has_symbols` None uses chess symbols if the stream can show them."""
    if not out.isatty():
        return PlainScreen(out, bool(has_symbols))
    from rich.console import Console

    console = Console(file=out, highlight=False)
    can_show = (out.encoding or "").lower().replace("-", "") == "utf8"
    use_symbols = can_show if has_symbols is None else has_symbols
    if console.is_dumb_terminal or console.color_system is None or console.width < _BOARD_WIDTH + PANEL_WIDTH:
        return PlainScreen(out, use_symbols)
    return TerminalScreen(console, use_symbols)


class InputLines:
    """Input lines. A separate thread reads them, so that waiting for one can end."""

    def __init__(self, source: TextIO | None = None) -> None:
        self._source = sys.stdin if source is None else source
        self._read: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._is_closed = False
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        try:
            for line in self._source:
                self._read.put(line)
        except (OSError, ValueError):  # the terminal is gone
            pass
        self._read.put(None)

    def next(self, seconds: float | None = None) -> str | None:
        """The next line, None at the end of the input; TimeoutError if there is none within `seconds`."""
        if self._is_closed:
            return None
        try:
            line = self._read.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._is_closed = True
        return line

    def close(self) -> None:
        """End the input; may be called from any thread."""
        self._read.put(None)
