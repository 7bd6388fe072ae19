"""What every page of the reference promises: short, and independent of the engine that it judges."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.course.lesson import LESSONS

PAGES = sorted(Path(__file__).parents[3].joinpath("engine", "course", "reference").rglob("*.py"))
LONGEST = 150  # lines
IDEAS = 103  # of the notes
OURS = {"engine", "eval", "book", "tablebase"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_stands_alone(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.startswith("engine.course.reference.") or name.partition(".")[0] not in OURS, name


README = PAGES[0].parent / "README.md"


def test_the_readme_links_every_page_and_nothing_that_is_not_there():
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    for link in links:
        assert (README.parent / link).exists(), link
    linked = {(README.parent / link).resolve() for link in links}
    for page in PAGES:
        assert page.resolve() in linked or page.stem == "__init__", page


def ideas() -> list[list[str]]:
    """The rows of the README's table of ideas: number, idea, page, lesson, place in the engine, test."""
    lines = [line.strip("|").split(" | ") for line in README.read_text(encoding="utf-8").splitlines()]
    return [[cell.strip() for cell in cells] for cells in lines if len(cells) == 6 and cells[0].strip().isdigit()]


def test_every_idea_of_the_notes_has_a_row():
    assert [row[0] for row in ideas()] == [str(number) for number in range(1, IDEAS + 1)]
    assert len({row[1] for row in ideas()}) == IDEAS
    assert all(all(row) for row in ideas())


def test_the_readme_names_every_lesson_and_no_other():
    assert {row[3].strip("`") for row in ideas()} == set(LESSONS)


@pytest.mark.parametrize("row", ideas(), ids=lambda row: row[0])
def test_every_place_of_an_idea_exists(row):
    """Links lead to files, tests are functions of theirs, and each row names a test."""
    _, _, page, _, engine_path, test = row
    for cell in (page, engine_path, test):
        for target in re.findall(r"\]\(([^)#]+)\)", cell):
            assert (README.parent / target).exists(), target
    (name, file), = re.findall(r"^\[(\w[\w.]*)\]\((.+)\)$", test)
    if not name.endswith(".py"):
        tree = ast.parse((README.parent / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert page == "-" or (README.parent / re.findall(r"\((.+)\)", page)[0]).suffix in {".py", ".md"}
