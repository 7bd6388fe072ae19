"""What every page of the reference promises: short, and independent of the engine that it judges."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.commands.course.lesson import LESSONS

PAGES = sorted(Path(__file__).parents[2].joinpath("engine", "reference").rglob("*.py"))
LONGEST = 150  # lines
OURS = {"engine", "eval", "book", "tablebase"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_stands_alone(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.startswith("engine.reference.") or name.partition(".")[0] not in OURS, name


README = PAGES[0].parent / "README.md"


def test_the_readme_links_every_page_and_nothing_that_is_not_there():
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    for link in links:
        assert (README.parent / link).exists(), link
    linked = {(README.parent / link).resolve() for link in links}
    for page in PAGES:
        assert page.resolve() in linked or page.stem == "__init__", page


def test_the_readme_names_every_lesson_and_no_other():
    text = README.read_text(encoding="utf-8")
    table = [line.split("|") for line in text.splitlines() if line.startswith("| ") and line.count("|") == 5]
    named = {cells[3].strip().strip("`") for cells in table[1:]} - {"", "---"}
    assert named == set(LESSONS)
