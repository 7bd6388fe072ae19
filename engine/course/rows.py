"""Every row of the lecture notes, and where it is: the lesson, the page of code, and the test that holds it.

A row is an idea, number, tree, game or question of the notes, numbered 000 to 004 in their order. The page of all rows
is written by `adversary class --rows FILE.md`; a test says when it is stale, and that all that it names exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_COURSE = "../"  # of engine/course, from the page in engine/course/reference
SETS: Mapping[str, str] = {
    "000": "adversarial search: the textbook view", "001": "ways to play, minimax, alpha-beta",
    "002": "chance, and assumptions about opponents", "003": "evaluation, depth and ordering",
    "004": "Monte Carlo, simultaneous moves, hidden information",
}


class NotesRow(NamedTuple):
    """What the notes show; the lesson that runs it; the page of code, from engine/course; the test."""

    notes: str
    idea: str
    lesson: str
    page: str
    test: str


@cache
def rows() -> tuple[NotesRow, ...]:
    """All rows, in the order of the notes."""
    lines = files("engine.course").joinpath("rows.txt").read_text(encoding="utf-8").splitlines()
    return tuple(NotesRow(*(cell.strip() for cell in line.split("|"))) for line in lines)


def rows_page() -> str:
    """The page of all rows, as Markdown."""
    lines = ["# Every row of the notes", "",
             f"{len(rows())} ideas, numbers, trees, games and questions of the lecture notes: the lesson that runs",
             "each (`adversary class LESSON`), the page of code, and the test that holds it. Written by",
             "`adversary class --rows engine/course/reference/rows.md` from one table; a test says when it is stale."]
    number = 0
    for notes, title in SETS.items():
        lines += ["", f"## {notes}: {title}", "", "| # | idea | lesson | page | test |",
                  "| --- | --- | --- | --- | --- |"]
        for row in rows():
            if row.notes == notes:
                number += 1
                is_beside = row.page.startswith("reference/")
                page = row.page.removeprefix("reference/") if is_beside else _COURSE + row.page
                lines.append(f"| {number} | {row.idea} | `{row.lesson}` | [{row.page.rpartition('/')[2]}]({page}) | "
                             f"`{row.test}` |")
    return "\n".join(lines) + "\n"
