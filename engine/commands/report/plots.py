"""The report as plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.cli.output import print_warning
from engine.cli.plots import check_plot, save_bars, save_plot
from engine.coach.report import Percentage, Report

_MOST_BARS = 12
_NAMES = ("trend.svg", "openings.svg", "phases.svg", "clocks.svg", "themes.svg")


def check_plots() -> None:
    """InputError if there is nothing to draw with, before hours of work rather than after."""
    check_plot(Path(_NAMES[0]).resolve())


def draw_plots(folder: Path, report: Report) -> None:
    """Draw what there is enough data for, in place of the plots of an earlier report; a warning if it is nothing."""
    trend, openings, phases, clocks, themes = paths = [folder / name for name in _NAMES]
    for path in paths:
        check_plot(path)
        path.unlink(missing_ok=True)
    curves = {name: [(number, row) for number, row in enumerate(values, 1) if row is not None]
              for name, values in (("accuracy", [row.accuracy for row in report.blocks]),
                                   ("score", [row.score for row in report.blocks]))}
    save_plot(trend, ("part of the games, by date", "per cent"), {
        name: ([float(number) for number, _ in points], [row.value for _, row in points])
        for name, points in curves.items()}, title=f"{report.player}: score and accuracy over time",
        errors={name: ([row.error for _, row in points],) * 2 for name, points in curves.items()})
    _bars(openings, f"{report.player}: score by opening, in per cent", [
        (f"{row.name}, {row.games} games", row.score) for row in report.openings])
    _bars(phases, f"{report.player}: accuracy by phase", [(name, accuracy) for name, _, accuracy, _ in report.phases])
    _bars(clocks, f"{report.player}: mistakes per hundred moves, by the time left", [
        (row.name, row.rate) for row in report.clocks])
    shown = report.themes[:_MOST_BARS]
    save_bars(themes, f"{report.player}: themes missed and allowed", [row.name for row in shown],
              {"missed": [float(row.missed) for row in shown], "allowed": [float(row.allowed) for row in shown]})
    if not any(path.exists() for path in paths):
        print_warning(f"nothing is drawn in {folder}: the games show too little")


def _bars(path: Path, title: str, rows: Sequence[tuple[str, Percentage | None]]) -> None:
    known = [(name, estimate) for name, estimate in rows if estimate is not None][:_MOST_BARS]
    save_bars(path, title, [name for name, _ in known], {"": [estimate.value for _, estimate in known]},
              [estimate.error for _, estimate in known])
