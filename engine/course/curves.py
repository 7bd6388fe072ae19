"""Curves to look at: a line chart as SVG, and as text the points of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from engine.course import svg

_WIDTH, _HEIGHT = 800.0, 360.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 100.0, 200.0, 16.0, 60.0
_LABEL_ROOM = 18.0  # between the names of two curves

Points = Sequence[tuple[float, float]]


def chart(title: str, axes: tuple[str, str], curves: Mapping[str, Points], *, levels: Mapping[str, float] | None = None,
          is_log: tuple[bool, bool] = (False, False)) -> svg.Picture:
    """Named curves, each with its name at its end; `levels` are heights to compare them with."""
    levels = levels or {}
    places = [x for points in curves.values() for x, _ in points]
    heights = [y for points in curves.values() for _, y in points] + list(levels.values())
    x_scale, x_ticks = _scale(places, is_log[0], _LEFT, _WIDTH - _RIGHT, is_exact=True)
    y_scale, y_ticks = _scale(heights, is_log[1], _HEIGHT - _BOTTOM, _TOP, is_exact=False)
    elements = []
    for tick in y_ticks:
        elements += [svg.line(((_LEFT, y_scale(tick)), (_WIDTH - _RIGHT, y_scale(tick))), stroke="#e4e7eb", width=1),
                     svg.words(_LEFT - 8, y_scale(tick) + 4, _tick(tick), size=14, anchor="end", fill=svg.FAINT)]
    for tick in x_ticks:
        elements.append(svg.words(x_scale(tick), _HEIGHT - _BOTTOM + 20, _tick(tick), size=14, fill=svg.FAINT))
    elements.append(svg.line(((_LEFT, _HEIGHT - _BOTTOM), (_WIDTH - _RIGHT, _HEIGHT - _BOTTOM)), stroke=svg.FAINT))
    elements.append(svg.words((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, axes[0], size=15))
    elements.append(f'<g transform="rotate(-90 20 {(_TOP + _HEIGHT - _BOTTOM) / 2:g})">'
                    + svg.words(20, (_TOP + _HEIGHT - _BOTTOM) / 2, axes[1], size=15) + "</g>")
    ends: list[tuple[float, str, str]] = []
    for name, level in levels.items():
        ends_of_line = (_LEFT, y_scale(level)), (_WIDTH - _RIGHT, y_scale(level))
        elements.append(svg.line(ends_of_line, stroke=svg.INK, width=1.2, dashes="5 4"))
        ends.append((y_scale(level), name, svg.INK))
    for (name, points), colour in zip(curves.items(), svg.COLOURS, strict=False):
        elements.append(svg.line([(x_scale(x), y_scale(y)) for x, y in points], stroke=colour, width=2.5))
        ends.append((y_scale(points[-1][1]), name, colour))
    elements += [svg.words(_WIDTH - _RIGHT + 8, y + 4, name, size=14, anchor="start", fill=colour, is_bold=True)
                 for y, name, colour in _spread(ends)]
    return svg.titled(svg.Picture(_WIDTH, _HEIGHT, tuple(elements)), title)


def _scale(values: Sequence[float], is_log: bool, start: float, end: float, is_exact: bool):  # type: ignore[no-untyped-def]
    """A function from values to places between `start` and `end`, and the values to write beside the axis."""
    low, high = min(values), max(values)
    if is_log:
        exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [10.0**exponent for exponent in exponents]
        if is_exact:
            ticks = [tick for tick in ticks if low <= tick <= high]
        else:
            low, high = ticks[0], ticks[-1]
        span = math.log10(high / low) or 1.0
        return lambda value: start + (end - start) * math.log10(value / low) / span, ticks
    step = _step((high - low) or 1.0)
    if is_exact and all(float(value).is_integer() for value in values):  # there is no depth of 1.5
        step = max(step, 1.0)
    first, last = math.floor(low / step), math.ceil(high / step)
    if not is_exact:
        low, high = first * step, last * step
    ticks = [round(number * step, 10) for number in range(first, last + 1) if low <= number * step <= high + 1e-9]
    span = (high - low) or 1.0
    return lambda value: start + (end - start) * (value - low) / span, ticks


def _step(span: float) -> float:
    """A round distance between ticks, of which there are about five."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= 6)


def _tick(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}".replace("-", "−")


def _spread(ends: Sequence[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Names moved apart so that none covers another: down, and up again from the end of the axis."""
    placed = sorted(ends)
    heights = [y for y, _, _ in placed]
    for number in range(1, len(heights)):
        heights[number] = max(heights[number], heights[number - 1] + _LABEL_ROOM)
    lowest = _HEIGHT - _BOTTOM
    for number in reversed(range(len(heights))):
        heights[number] = min(heights[number], lowest)
        lowest = heights[number] - _LABEL_ROOM
    return [(y, name, colour) for y, (_, name, colour) in zip(heights, placed, strict=True)]
