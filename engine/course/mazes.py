"""Pacman's grid to look at: walls, the ghost's room, and the ways to the dot."""

from __future__ import annotations

from collections.abc import Sequence

from engine.course import svg
from engine.course.reference.games.pacman import DOT, GHOST_STARTS, GRID, START, Cell, pacman_moves

_CELL, _TOP = 52.0, 10.0
_WALL, _ROOM = "#334e68", "#ffedd5"
_LOWER_DOOR = (7, 7)


def shortest_way(closed: frozenset[Cell] = frozenset()) -> list[Cell]:
    """The cells of Pacman's shortest way to the dot that keeps off the closed ones."""
    layer = [[START]]
    seen = {START}
    while True:
        onward = []
        for way in layer:
            if way[-1] == DOT:
                return way
            for cell in pacman_moves(way[-1]):
                if cell not in seen and cell not in closed:
                    seen.add(cell)
                    onward.append([*way, cell])
        layer = onward


def three_ways() -> Sequence[list[Cell]]:
    """Through the corridor, past the lower door, and all the way round."""
    corridor = frozenset({(1, 3)})
    return [shortest_way(), shortest_way(corridor), shortest_way(corridor | {_LOWER_DOOR})]


def maze_picture(title: str) -> svg.Picture:
    """The grid with the three ways in three colours, each with its number of steps at its end."""
    elements = []
    for row, line in enumerate(GRID):
        for column, sign in enumerate(line):
            x, y = _middle((row, column))
            fill = _WALL if sign == "%" else _ROOM if sign in ",+" else "white"
            elements.append(svg.box(x, y, _CELL, _CELL, fill=fill, stroke="#e4e7eb", corner=0))
    for number, (way, colour) in enumerate(zip(three_ways(), svg.COLOURS, strict=False)):
        shift = 7.0 * (number - 1)
        points = [(x + shift, y + shift) for x, y in map(_middle, way)]
        elements.append(svg.line(points, stroke=colour, width=4))
        elements.append(svg.words(_CELL * len(GRID[0]) + 18, _TOP + 40 + 34 * number, f"{len(way) - 1} steps", size=18,
                                  anchor="start", fill=colour, is_bold=True))
    for cell, sign, colour in ((START, "P", "#f5c518"), (GHOST_STARTS[0], "G", "#ef4444")):
        x, y = _middle(cell)
        elements += [svg.circle(x, y, 19, fill=colour, stroke=svg.INK),
                     svg.words(x, y + 6, sign, size=18, is_bold=True)]
    elements.append(svg.circle(*_middle(DOT), 9, fill=svg.INK, stroke=svg.INK))
    return svg.titled(svg.Picture(_CELL * len(GRID[0]) + 130, _TOP + _CELL * len(GRID), tuple(elements)), title)


def _middle(cell: Cell) -> tuple[float, float]:
    return (cell[1] + 0.5) * _CELL, _TOP + (cell[0] + 0.5) * _CELL
