"""Tables without frames: the first column is text, the others are numbers unless a command says otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

_GAP = 2  # columns of the terminal between two of the table
_PIPE_WIDTH = 10_000  # columns without a terminal: nothing is cut off


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[str] = (),
                bold: Collection[int] = (), title: str | None = None) -> None:
    """Print a table. Columns whose headings are in `left` hold text as the first one does; rows in `bold` are bold."""
    from rich.console import Console, ConsoleDimensions

    console = Console(highlight=False)
    kept = list(rows)
    # A terminal wraps a line that is too long, which is better than cutting off numbers.
    least = _least_width(headings, kept, left) if console.is_terminal else _PIPE_WIDTH
    console.size = ConsoleDimensions(max(console.width, least), console.height)
    if title is not None:
        console.print(title, markup=False)
    console.print(_table(headings, kept, left, bold))


def _least_width(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str]) -> int:
    """The number of terminal columns that a table needs if only the texts in `left` may wrap, between words."""
    from rich.cells import cell_len

    cells = [[heading, *(row[index] for row in rows)] for index, heading in enumerate(headings)]
    parts = [" ".join(column).split() if heading in left else column
             for heading, column in zip(headings, cells, strict=True)]
    return sum(max(map(cell_len, column), default=0) + _GAP for column in parts) - _GAP


@contextmanager
def live_table(left: Collection[str] = ()) -> Iterator[Callable[[str, Sequence[str], Iterable[Sequence[str]]], None]]:
    """A table on stderr that is updated in place and removed at the end.

    Yields a function that takes a title, headings and rows; `left` is as for `print_table`. Without a terminal nothing
    is shown.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda title, headings, rows: None
        return
    with Live(console=console, transient=True, auto_refresh=False, redirect_stdout=sys.stdout.isatty()) as live:
        def show(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
            table = _table(headings, rows, left)
            table.title, table.title_justify = title, "left"
            live.update(table, refresh=True)

        yield show


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[str] = (),
           bold: Collection[int] = ()) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(headings))
    for index, heading in enumerate(headings):
        is_text = index == 0 or heading in left
        # Only text may wrap on a narrow terminal: half a number would be another number.
        table.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=heading not in left)
    for number, row in enumerate(rows):
        table.add_row(*map(Text, row), style="bold" if number in bold else None)
    return table


class GrowingTable:
    """A table whose rows are printed one by one, with fixed column widths."""

    def __init__(self, columns: Sequence[tuple[str, int]], *, left: Collection[str] = ()) -> None:
        self._columns, self._left = columns, left
        self.add(*(heading for heading, _ in columns))

    def add(self, *cells: str) -> None:
        """Print a row."""
        padded = (cell.ljust(width) if heading in self._left else cell.rjust(width)
                  for cell, (heading, width) in zip(cells, self._columns, strict=True))
        print(" ".join(padded).rstrip(), flush=True)
