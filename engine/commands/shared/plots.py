"""Plots of what was measured; they need the extra `lab`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.core.errors import InputError

_COLOURS = 10  # that curves have before they come again
_DASHES = ("--", ":")
_FEW_POINTS = 30  # that are marked each

Curve = tuple[Sequence[float], Sequence[float]]


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
