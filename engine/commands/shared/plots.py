"""Plots of what was measured; they need the extra `lab`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.core.errors import InputError

_COLOURS = 10  # that curves have before they come again
_DASHES = ("--", ":")

Curve = tuple[Sequence[float], Sequence[float]]


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
