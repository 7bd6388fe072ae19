"""Plots of measurements; they need the extra `lab`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.system.errors import InputError, quote
from engine.system.extras import missing_extra, missing_packages
from engine.system.files import begins_with, check_target, replacing

_COLOURS = 10  # of curves before they repeat
_DASHES = ("--", ":")
_FEW_POINTS = 30  # up to which every point is marked
_BEGINNINGS = {".png": (b"\x89PNG",), ".svg": (b"<?xml", b"<svg"), ".pdf": (b"%PDF",)}  # magic bytes by suffix

Curve = tuple[Sequence[float], Sequence[float]]
Errors = tuple[Sequence[float], Sequence[float]]  # the lower and upper error of each y value


def check_plot(path: Path) -> None:
    """Raise InputError if a plot cannot be written, before hours of work rather than after."""
    if path.suffix not in _BEGINNINGS:
        raise InputError(f"cannot draw {quote(str(path))}: a plot is one of {', '.join(_BEGINNINGS)}")
    check_target(path, begins_with(*_BEGINNINGS[path.suffix]), "plot")
    if "matplotlib" in missing_packages("lab"):
        raise missing_extra("a plot", "lab", "matplotlib")


@dataclass(frozen=True)
class PlotFile:
    """A plot to be written; it replaces an existing plot, but no other file."""

    def __call__(self, text: str) -> Path:
        """Return its path; ArgumentTypeError if it cannot or must not be written."""
        path = Path(text)
        try:
            check_plot(path)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return path


plot_file = PlotFile()


def save_plot(path: Path, labels: tuple[str, str], curves: Mapping[str, Curve], *, title: str,
              dashed: Sequence[str] = (), x_scale: str = "linear", y_scale: str = "linear",
              errors: Mapping[str, Errors] | None = None) -> bool:
    """Draw named curves, each given by its x and y values; `labels` and scales are those of the two axes.

    Returns whether there was anything to draw: an empty picture is not written.
    """
    curves = {name: curve for name, curve in curves.items() if len(curve[0])}
    if not curves:
        return False
    check_plot(path)
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots()
    if len(curves) > _COLOURS:
        axes.set_prop_cycle(color=colormaps["tab20"](range(20)))
    for name, (xs, ys) in curves.items():
        if name in dashed:
            axes.plot(xs, ys, label=name, linestyle=_DASHES[dashed.index(name)], color="black")
        else:
            axes.errorbar(xs, ys, yerr=(errors or {}).get(name), label=name, capsize=4, elinewidth=1,
                          marker="o" if len(xs) <= _FEW_POINTS else "")
    axes.set_title(title, fontsize="x-large", loc="left")
    axes.set_xlabel(labels[0], fontsize="large")
    axes.set_ylabel(labels[1], fontsize="large")
    for number, (axis, scale) in enumerate(((axes.xaxis, x_scale), (axes.yaxis, y_scale))):
        _set_ticks(axes, axis, scale, [value for curve in curves.values() for value in curve[number]])
    axes.grid(visible=True, color="#e4e7eb")
    axes.set_axisbelow(True)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    _save(figure, path)
    return True


def save_bars(path: Path, title: str, names: Sequence[str], values: Mapping[str, Sequence[float]],
              errors: Sequence[float] | None = None) -> bool:
    """Draw horizontal bars, the first on top: those of each series beside each other, with errors if they are given.

    A series without a name gets no legend. Returns whether there was anything to draw.
    """
    if not names:
        return False
    check_plot(path)
    from matplotlib.figure import Figure

    thickness = 0.8 / len(values)
    figure = Figure(figsize=(11, 1.5 + 0.45 * len(names)), layout="constrained")
    axes = figure.subplots()
    for number, (series, lengths) in enumerate(values.items()):
        places = [index + thickness * (number - (len(values) - 1) / 2) for index in range(len(names))]
        axes.barh(places, lengths, height=thickness, label=series, xerr=errors, ecolor="#404040", capsize=4)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_title(title, fontsize="x-large", loc="left")
    axes.grid(visible=True, axis="x", color="#e4e7eb")
    axes.set_axisbelow(True)
    if any(values):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    _save(figure, path)
    return True


def _save(figure: Any, path: Path) -> None:
    """Write a figure; InputError, and an older plot stays, if there is no room."""
    with replacing(path) as file:
        figure.savefig(file, format=path.suffix.removeprefix("."))


def _set_ticks(axes: Any, axis: Any, scale: str, values: Sequence[float]) -> None:
    """Set readable ticks: integers if all values are, and 10 M instead of 10^7."""
    from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)(scale)
    if scale == "log":
        axis.set_major_formatter(EngFormatter(sep=" "))
        axis.set_minor_formatter(FuncFormatter(lambda value, index: ""))
    elif values and all(value == int(value) for value in values):
        axis.set_major_locator(MaxNLocator(integer=True, nbins=12, steps=(1, 2, 5, 10)))
        axis.set_major_formatter(FuncFormatter(lambda value, index: f"{value:,.0f}"))
    axis.set_tick_params(labelsize="large")
