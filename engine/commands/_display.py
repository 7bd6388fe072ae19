"""How commands show things: tables, plots, and on stderr, where a person is watching, how far they have come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from engine.core.errors import InputError

T = TypeVar("T")

_COLOURS = 10  # that curves have before they come again
_DASHES = ("--", ":")
_FEW_POINTS = 30  # that are marked each
_PIPE_WIDTH = 120  # columns, where no terminal says how many it has


def check_plot(path: Path, option: str = "--plot") -> None:
    """InputError if a plot cannot be written there: it is better known before hours of work than after."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(f"{option} needs matplotlib: pip install 'adversary[lab]'") from error
    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".") not in kinds or not path.parent.is_dir():
        raise InputError(f"{option}: {path} names no folder that exists, or none of the kinds "
                         f"{', '.join(sorted(kinds))}")


Curve = tuple[Sequence[float], Sequence[float]]


def save_plot(path: Path, labels: tuple[str, str], curves: Mapping[str, Curve], *, title: str = "",
              dashed: Sequence[str] = (), x_scale: str = "linear", y_scale: str = "linear") -> None:
    """Draw named curves, each given by its places and its heights; `labels` and scales are those of the two axes."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots()
    if len(curves) > _COLOURS:
        axes.set_prop_cycle(color=colormaps["tab20"](range(20)))
    for name, (places, heights) in curves.items():
        if name in dashed:
            axes.plot(places, heights, label=name, linestyle=_DASHES[dashed.index(name)], color="black")
        else:
            axes.plot(places, heights, label=name, marker="o" if len(places) <= _FEW_POINTS else "")
    axes.set_title(title, fontsize="x-large", loc="left")
    axes.set_xlabel(labels[0], fontsize="large")
    axes.set_ylabel(labels[1], fontsize="large")
    for axis, scale, values in ((axes.xaxis, x_scale, [place for places, _ in curves.values() for place in places]),
                                (axes.yaxis, y_scale, [])):
        _set_ticks(axes, axis, scale, values)
    axes.grid(visible=True, color="#e4e7eb")
    axes.set_axisbelow(True)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(path)


def _set_ticks(axes: Any, axis: Any, scale: str, values: Sequence[float]) -> None:
    """Numbers that a reader can take in: whole ones where all values are, 10 M instead of 10^7."""
    from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)(scale)
    if scale == "log":
        axis.set_major_formatter(EngFormatter(sep=" "))
        axis.set_minor_formatter(FuncFormatter(lambda value, place: ""))
    elif values and all(value == int(value) for value in values):
        axis.set_major_locator(MaxNLocator(integer=True, nbins=12))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.0f}"))
    axis.set_tick_params(labelsize="large")


def print_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """A table whose first column is text and the others figures."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place == 0 else "right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    console.print(table)


def track(items: Sequence[T], describe: Callable[[T], str]) -> Iterator[T]:
    """Yield `items` under a progress bar that says what each is and how long it may take; it is gone when they are."""
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
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(items))
        for item in items:
            progress.update(task, description=describe(item))
            yield item
            progress.advance(task)
