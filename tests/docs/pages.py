"""The project's Markdown pages: their text, headings, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FOLDERS = ("docs", "history", "engine", "eval", "book", "tablebase")
PAGES = sorted([*ROOT.glob("*.md"), *(path for folder in _FOLDERS for path in (ROOT / folder).rglob("*.md"))])

_HEADING = re.compile(r"^(#+) (.+)$")
_FENCE = "```"


def page(name: str) -> str:
    """Return the text of a page, named by its path from the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """Return the path of a page from the root, as tests show it."""
    return path.relative_to(ROOT).as_posix()


def _lines(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each line but the fences, with the language of its fenced block; None outside one."""
    language: str | None = None
    for line in text.splitlines():
        if line.startswith(_FENCE):
            language = line.removeprefix(_FENCE) if language is None else None
        else:
            yield line, language


def code_blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks in a language; "" for those that name none."""
    groups = groupby(_lines(text), key=lambda row: row[1])
    return ["".join(f"{line}\n" for line, _ in lines) for found, lines in groups if found == language]


def programs_with_output(text: str) -> list[tuple[str, str]]:
    """Return the Python programs of a page, each with the output that is shown right below it; "" if none is."""
    return re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)


def without_scores(text: str) -> str:
    """Return an output with its scores, percentages and times replaced; moves, words and node counts stay."""
    for pattern, name in (
            (r"[+-]\d+\.\d\d\b", "SCORE"), (r"\bby \d+\.\d\d\b", "by SCORE"), (r"^-?\d+ ", "CENTIPAWNS "),
            (r"\b\d+(\.\d+)? %", "SHARE"), (r"\b\d+(\.\d+)? m?s\b", "TIME")):
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return text


def prose(text: str) -> Iterator[str]:
    """Yield the lines outside fenced blocks."""
    return (line for line, language in _lines(text) if language is None)


def headings(text: str) -> list[str]:
    """Return the headings of a page, in order."""
    return [found[2] for line in prose(text) if (found := _HEADING.match(line))]


def sections(text: str) -> dict[str, str]:
    """Return the text between each heading and the next, of any level."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in prose(text):
        if heading := _HEADING.match(line):
            lines = found.setdefault(heading[2], [])
        else:
            lines.append(line)
    return {heading: "\n".join(part) for heading, part in found.items()}


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of every table row, without the lines below table heads."""
    for line in prose(text):
        if line.startswith("|") and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    found: set[str] = set()
    for heading in headings(text):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = next(n for n in range(len(found) + 1) if _numbered(plain, n) not in found)
        found.add(_numbered(plain, number))
    return found


def _numbered(anchor: str, number: int) -> str:
    return f"{anchor}-{number}" if number else anchor
