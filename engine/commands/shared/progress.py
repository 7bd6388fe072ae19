"""What commands show while they work: on stderr, and only where a person is watching.

All of it ends when the user ends the work; what was done until then is left to be printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from engine.commands.shared.interruption import InterruptionError, check_interruption, is_interrupted

T = TypeVar("T")
R = TypeVar("R")

Show = Callable[[float, str], None]  # how much is done, and what is being done


@contextmanager
def progress_bar(total: float | None, *, counts: bool = True) -> Iterator[Show]:
    """A bar with the time that is left, gone when all is done. Without a `total` it only says what is being done."""
    if not sys.stderr.isatty():
        yield lambda done, what: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = [TextColumn("{task.description}", markup=False), BarColumn(),
               *([MofNCompleteColumn()] if counts and total is not None else []), TimeElapsedColumn(),
               *([TextColumn("left:"), TimeRemainingColumn()] if total is not None else [])]
    # What is printed meanwhile goes above the bar if both are on the terminal, and where it belongs if they are not.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, what: progress.update(task, completed=done, description=what)


def track(items: Sequence[T], describe: Callable[[T], str]) -> Iterator[T]:
    """Yield `items` under a progress bar that says what each is; an interruption is the end of them."""
    with progress_bar(len(items)) as show:
        for done, item in enumerate(items):
            if is_interrupted():
                return
            show(done, describe(item))
            yield item


def map_with_progress(items: Sequence[T], work: Callable[[T], R], describe: Callable[[T], str]) -> list[R]:
    """What `work` makes of each item, under a progress bar; after an interruption, of those that were finished."""
    found: list[R] = []
    for item in track(items, describe):
        try:
            result = work(item)
            check_interruption()
        except InterruptionError:
            break
        found.append(result)
    if is_interrupted():
        print(f"{len(found)} of {len(items)} were finished", file=sys.stderr)
    return found


def count_with_progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield `items`, which come one by one, under a bar that counts them; an interruption is the end of them."""
    with progress_bar(total) as show:
        for number, item in enumerate(items, start=1):
            yield item
            show(number, f"{what} {number}")
            if is_interrupted():
                return
