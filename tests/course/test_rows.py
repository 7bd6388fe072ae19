"""Every row of the notes: the page is up to date, and every lesson, page and test that it names exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from engine.course.lesson import LESSONS
from engine.course.rows import SETS, rows, rows_page
from tests.commands.running import run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "engine" / "course" / "reference" / "rows.md"
COUNTED = 177  # rows that a reading of the notes found


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The names of all test functions and files."""
    found = set()
    for folder in ("course", "lab", "book", "alphabeta"):
        for file in (ROOT / "tests" / folder).rglob("test_*.py"):
            names = {node.name for node in ast.parse(file.read_text(encoding="utf-8")).body
                     if isinstance(node, ast.FunctionDef)}
            found |= {file.name, *names}
    return found


def test_every_row_of_the_notes_is_listed_once_in_their_order():
    assert len(rows()) == COUNTED == len({(row.notes, row.idea) for row in rows()})
    assert [row.notes for row in rows()] == sorted(row.notes for row in rows())
    assert {row.notes for row in rows()} == set(SETS) and {row.lesson for row in rows()} == set(LESSONS)


def test_every_page_and_test_of_a_row_exists(tests):
    for row in rows():
        assert (ROOT / "engine" / "course" / row.page).is_file(), row
        assert row.test in tests, row
        assert row.lesson in LESSONS, row


def test_the_page_is_up_to_date(capsys, tmp_path):
    """If this fails: adversary class --rows engine/course/reference/rows.md."""
    assert PAGE.read_text(encoding="utf-8") == rows_page()
    status, out, err = run(capsys, "class", "--rows", str(tmp_path / "rows.md"))
    assert (status, err, out) == (0, "", f"{tmp_path / 'rows.md'}\n")
    assert (tmp_path / "rows.md").read_text(encoding="utf-8") == rows_page()
