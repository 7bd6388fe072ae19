"""Pictures as SVG text: a few shapes, lines and words, and nothing that needs a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
INK, FAINT, FADED, PALE, WARNING = "#1f2933", "#52606d", "#9aa5b1", "#cbd2d9", "#c81e1e"
COLOURS = ("#1f6feb", "#d9730d", "#2e8540", "#8250df", "#b4236b", "#57606a")  # of curves, in their order
_TITLE_SIZE = 20
_TITLE_ROOM = 44
_GAP = 12  # between pictures that stand above each other


@dataclass(frozen=True)
class Picture:
    """A drawing: its elements, whose origin is the upper left corner, and how large it is."""

    width: float
    height: float
    elements: tuple[str, ...]
    parts: tuple[Picture, ...] = ()  # of which it is stacked

    def singles(self) -> tuple[Picture, ...]:
        """The pictures that it is stacked of; itself if it is one."""
        return tuple(single for part in self.parts for single in part.singles()) or (self,)

    def text(self) -> str:
        """The whole SVG file."""
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}" '
                f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="{FONT}">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.elements) + "\n</svg>\n")

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.text()


def titled(picture: Picture, title: str) -> Picture:
    """The same picture under a heading."""
    width = max(picture.width, 40 + 0.56 * _TITLE_SIZE * len(title))
    moved = f'<g transform="translate({(width - picture.width) / 2:g} {_TITLE_ROOM})">'
    heading = words(20, 30, title, size=_TITLE_SIZE, anchor="start", is_bold=True)
    return Picture(width, picture.height + _TITLE_ROOM, (heading, moved, *picture.elements, "</g>"))


def stacked(pictures: Sequence[Picture]) -> Picture:
    """Pictures one below the other."""
    elements, height = list[str](), 0.0
    for picture in pictures:
        elements += [f'<g transform="translate(0 {height:g})">', *picture.elements, "</g>"]
        height += picture.height + _GAP
    return Picture(max(picture.width for picture in pictures), height - _GAP, tuple(elements),
                   tuple(pictures))


def words(x: float, y: float, text: str, *, size: float = 13, fill: str = INK, anchor: str = "middle",
          is_bold: bool = False) -> str:
    """A line of text; `y` is where its letters stand."""
    weight = ' font-weight="bold"' if is_bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{weight}>'
            f"{escape(text)}</text>")


def line(points: Sequence[tuple[float, float]], *, stroke: str = INK, width: float = 1.5, dashes: str = "") -> str:
    """A line through some points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashed}/>')


def polygon(points: Sequence[tuple[float, float]], *, fill: str, stroke: str, width: float = 1.5) -> str:
    """A closed shape."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}" '
            f'stroke-linejoin="round"/>')


def circle(x: float, y: float, radius: float, *, fill: str, stroke: str, width: float = 1.5) -> str:
    """A round shape about a point."""
    return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width:g}"/>')


def box(x: float, y: float, width: float, height: float, *, fill: str, stroke: str = "none",
        corner: float = 4) -> str:
    """A rectangle about a point."""
    return (f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{corner:g}" fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>')
