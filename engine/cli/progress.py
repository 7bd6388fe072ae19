"""Progress bars, on stderr and only on a terminal. An interruption ends them; the results so far are returned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from engine.cli.interruption import InterruptionError, check_interruption, is_interrupted

T = TypeVar("T")
R = TypeVar("R")

Show = Callable[[float, str], None]  # the amount done, and a description


@contextmanager
def progress_bar(total: float | None, *, counts: bool = True) -> Iterator[Show]:
    """A progress bar with the remaining time, removed at the end. Without a `total` it shows only the description."""
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
    # Output printed meanwhile goes above the bar if both are on the terminal, otherwise to its own stream.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, what: progress.update(task, completed=done, description=what)


def track(items: Sequence[T], describe: Callable[[T], str]) -> Iterator[T]:
    """Yield `items` with a progress bar that describes each; stop at an interruption."""
    with progress_bar(len(items)) as show:
        for done, item in enumerate(items):
            if is_interrupted():
                return
            show(done, describe(item))
            yield item


def map_with_progress(items: Sequence[T], work: Callable[[T], R], describe: Callable[[T], str]) -> list[R]:
    """Map `work` over `items` with a progress bar; after Ctrl-C, return the results so far."""
    results: list[R] = []
    for item in track(items, describe):
        try:
            result = work(item)
            check_interruption()
        except InterruptionError:
            break
        results.append(result)
    if is_interrupted():
        print(f"{len(results)} of {len(items)} were finished", file=sys.stderr)
    return results


def count_with_progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield `items` with a progress bar that counts them; stop at an interruption."""
    with progress_bar(total) as show:
        for number, item in enumerate(items, start=1):
            yield item
            show(number, f"{what} {number}")
            if is_interrupted():
                return
