"""Where a game is shown: a terminal in colours, or lines of plain text for a pipe. And the lines that people type."""

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

# Backgrounds by (is light): usual squares, and those of the last move. White and black men can both be read on all.
_SQUARES = {True: "#bfa67f", False: "#8a6a4b"}
_LAST_SQUARES = {True: "#a9b665", False: "#7f8c3b"}
_CHECK = "#c0392b"
_MEN_COLOURS = {True: "#ffffff", False: "#101010"}
_BAR_COLOURS = {True: "#f0f0f0", False: "#303030"}


class Screen(Protocol):
    """Something that shows a game and messages."""

    has_symbols: bool

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Show the board, which is another than the last time if `is_changed`, and messages below it."""

    def ask(self, prompt: str) -> None:
        """Show that a line is waited for."""

    def wait(self, text: str) -> None:
        """Show that something else is waited for."""


class PlainScreen:
    """Lines of text, one after the other."""

    def __init__(self, out: TextIO, has_symbols: bool = False) -> None:
        self._out, self.has_symbols = out, has_symbols

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Print the messages, and the board if it is a new one."""
        for line in messages:
            self._print(line)
        if is_changed:
            for left, right in zip(plain_board(view), panel(view), strict=True):
                self._print(f"{left}   {right}".rstrip())

    def ask(self, prompt: str) -> None:
        """Print nothing: whoever reads this does not type."""

    def wait(self, text: str) -> None:
        """Print nothing."""

    def _print(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class TerminalScreen:
    """A terminal, on which the board stays at its place."""

    def __init__(self, console: Console, has_symbols: bool) -> None:
        self._console, self.has_symbols = console, has_symbols

    def show(self, view: View, messages: Sequence[str], is_changed: bool) -> None:
        """Draw everything anew."""
        self._console.clear()
        for line in _coloured(view):
            self._console.print(line, no_wrap=True, crop=True, overflow="crop")
        self._console.print()
        for message in messages:
            self._console.print(message, markup=False)

    def ask(self, prompt: str) -> None:
        """Leave the cursor behind the prompt."""
        self._console.print(prompt, end="", markup=False)

    def wait(self, text: str) -> None:
        """Say what is waited for."""
        self._console.print(text, style="dim", markup=False)


def _coloured(view: View) -> Iterable[Text]:
    """The board in colours with what stands beside it, line by line."""
    from rich.text import Text

    beside = panel(view)
    for number, (rank, squares) in enumerate(rows(view)):
        line = Text(f" {rank} ")
        for square in squares:
            line.append(f" {_man(square, view.has_symbols)} ", _style(square))
        line.append(*_bar(view, number))
        yield line.append(f"  {beside[number]}", "bold" if beside[number].startswith(">") else "")
    line = Text("    " + "  ".join(files(view)))
    yield line.append(f"       {beside[-1]}")


def _man(square: Square, has_symbols: bool) -> str:
    return " " if square.piece is None else piece_text(square.piece, has_symbols, is_coloured=True)


def _style(square: Square) -> str:
    ground = _CHECK if square.is_check else (_LAST_SQUARES if square.is_last else _SQUARES)[square.is_light]
    man = "" if square.piece is None else f"bold {_MEN_COLOURS[square.piece.color]} "
    return f"{man}on {ground}"


def _bar(view: View, number: int) -> tuple[str, str]:
    """A row of the evaluation bar, counted from the far side: its text and its style."""
    if view.score is None:
        return "", ""
    white = bar_rows(view.score)
    is_white = number >= BAR_ROWS - white if view.bottom else number < white
    return "  ", f"on {_BAR_COLOURS[is_white]}"


def screen_for(out: TextIO, has_symbols: bool | None) -> Screen:
    """The screen that suits where the output goes; `has_symbols` None leaves it to what that can show."""
    if not out.isatty():
        return PlainScreen(out, bool(has_symbols))
    from rich.console import Console

    console = Console(file=out, highlight=False)
    can_show = (out.encoding or "").lower().replace("-", "") == "utf8"
    wanted = can_show if has_symbols is None else has_symbols
    if console.is_dumb_terminal or console.color_system is None or console.width < 3 * 8 + PANEL_WIDTH:
        return PlainScreen(out, wanted)
    return TerminalScreen(console, wanted)


class InputLines:
    """What people type, line by line. Reading is done by a thread of its own, so that waiting can end."""

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
        """The next line, None when there will be no more; TimeoutError if it has not come after so many seconds."""
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
        """Let nobody wait any longer; from any thread."""
        self._read.put(None)
