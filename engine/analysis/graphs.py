"""SVG graphs: the expected score over a game, and the accuracy of the players."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from engine.analysis.annotation import Annotation, MoveNote
from engine.analysis.marks import BAD

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 900, 360, 70, 50, 20, 55
_COLOURS = {"?!": "#e0a800", "?": "#e06c00", "??": "#c62828"}
_BAR = 26  # pixels from one player's bar to the next
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
_MOST_TICKS = 12


def evaluation_graph(title: str, annotation: Annotation) -> str:
    """White's expected score after each move, with the mistakes marked."""
    notes = annotation.notes
    inner = (_WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM)
    last = max(len(notes), 1)

    def x(ply: float) -> float:
        return _LEFT + inner[0] * ply / last

    def y(expected: float) -> float:
        return _TOP + inner[1] * (1 - expected)

    points = " ".join(f"{x(note.ply + 1):.1f},{y(note.score.expected):.1f}" for note in notes)
    parts = [_text(_LEFT, 28, title, size=17)]
    for expected in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(expected):.1f}" y2="{y(expected):.1f}" '
                     'stroke="#d5dae0"/>')
        parts.append(_text(_LEFT - 8, y(expected) + 4, f"{expected:.0%}", anchor="end"))
    moves = (last + 1) // 2
    step = next(step for step in (*_STEPS, moves) if moves <= step * _MOST_TICKS)
    parts += [_text(x(2 * number), _HEIGHT - _BOTTOM + 18, str(number), anchor="middle")
              for number in range(step, moves + 1, step) if 2 * number <= last]
    parts.append(_text(_LEFT + inner[0] / 2, _HEIGHT - 12, "move", anchor="middle"))
    parts.append(f'<text transform="translate(18 {_TOP + inner[1] / 2}) rotate(-90)" text-anchor="middle">'
                 "White's expected score</text>")
    for number, (mark, colour) in enumerate(_COLOURS.items()):
        x_mark = _WIDTH - _RIGHT - 45 * (len(_COLOURS) - number)
        parts.append(f'<circle cx="{x_mark}" cy="24" r="4.5" fill="{colour}"/>')
        parts.append(_text(x_mark + 9, 28, mark))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#2b5c8a" stroke-width="2"/>')
    parts += [_dot(x(note.ply + 1), y(note.score.expected), note) for note in notes if note.mark in _COLOURS]
    return _svg(_WIDTH, _HEIGHT, parts)


def _dot(x: float, y: float, note: MoveNote) -> str:
    number = f"{note.ply // 2 + 1}{'.' if note.ply % 2 == 0 else '...'}"
    words = escape(f"{number}{note.san}{note.mark} {note.reason}")
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{_COLOURS[note.mark]}"><title>{words}</title></circle>'


def accuracy_chart(rows: Sequence[tuple[str, float]]) -> str:
    """One bar per player: the accuracy, from 0 to 100."""
    left, width = 220, 520
    height = _TOP + _BAR * len(rows) + 40
    parts = [_text(16, 28, "Accuracy of the players in per cent", size=17)]
    for number, (name, accuracy) in enumerate(rows):
        top = _TOP + _BAR * number
        parts.append(_text(left - 8, top + 15, name if len(name) <= 28 else name[:27] + "…", anchor="end"))
        parts.append(f'<rect x="{left}" y="{top + 2}" width="{width * accuracy / 100:.1f}" height="{_BAR - 8}" '
                     'fill="#2b5c8a"/>')
        parts.append(_text(left + width * accuracy / 100 + 6, top + 15, f"{accuracy:.1f}"))
    parts += [_text(left + width * tick / 100, height - 14, str(tick), anchor="middle") for tick in range(0, 101, 25)]
    return _svg(left + width + 60, height, parts)


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
            f'font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


assert set(_COLOURS) == {mark.text for mark in BAD}
