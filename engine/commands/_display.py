"""What commands show while they work: on stderr, and only where a person is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from engine.core.errors import InputError

T = TypeVar("T")

_COLOURS = 10  # that curves have before they come again
_DASHES = ("--", ":")


def check_plot(path: Path, option: str = "--plot") -> None:
    """InputError if a plot cannot be written there: it is better known before hours of work than after."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(f"{option} needs matplotlib: pip install '.[lab]', where the sources are") from error
    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".") not in kinds or not path.parent.is_dir():
        raise InputError(f"{option}: {path} names no folder that exists, or none of the kinds "
                         f"{', '.join(sorted(kinds))}")


Curve = tuple[Sequence[float], Sequence[float]]


def save_plot(path: Path, labels: tuple[str, str], curves: Mapping[str, Curve], *, dashed: Sequence[str] = (),
              x_scale: str = "linear", y_scale: str = "linear") -> None:
    """Draw named curves, each given by its places and its heights; `labels` and scales are those of the two axes."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    if len(curves) > _COLOURS:
        axes.set_prop_cycle(color=colormaps["tab20"](range(20)))
    for name, (places, heights) in curves.items():
        if name in dashed:
            axes.plot(places, heights, label=name, linestyle=_DASHES[dashed.index(name)], color="black")
        else:
            axes.plot(places, heights, label=name)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_xscale(x_scale)
    axes.set_yscale(y_scale)
    axes.legend(fontsize="x-small", ncols=2)
    figure.savefig(path)


def track(items: Sequence[T], describe: Callable[[T], str]) -> Iterator[T]:
    """Yield `items` under a progress bar that says what each is; the bar is gone when they are done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(items))
        for item in items:
            progress.update(task, description=describe(item))
            yield item
            progress.advance(task)
