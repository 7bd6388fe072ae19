"""What every page of the reference promises: short, and independent of the engine that it judges."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

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
