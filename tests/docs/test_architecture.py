"""docs/architecture.md and CONTRIBUTING.md name modules and classes that exist, and list every package."""

from __future__ import annotations

import ast
import re

import pytest

from tests.docs.pages import ROOT, page, rows, sections

PACKAGES_OF_THE_PAGE = [cells[0].strip("`") for cells in rows(sections(page("docs/architecture.md"))["Packages"])][1:]
_PAGES = ("architecture", "glossary", "web-protocol")
_PACKAGES = ("engine", "eval", "book", "tablebase")
_PATH = re.compile(r"`((?:engine|eval|book|tablebase|tests|docs|history)/[\w./-]*)`")
_CLASS = re.compile(r"`([A-Z][a-z]+[A-Z]\w*)(?:\.\w+)?`")


def classes() -> set[str]:
    """Return the names of all classes of the engine."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for name in _PACKAGES for path in (ROOT / name).rglob("*.py")]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def test_every_package_is_listed():
    packages = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "engine").glob("*/__init__.py")}
    assert packages | {"eval", "book", "tablebase", "tests"} == set(PACKAGES_OF_THE_PAGE)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", *(f"docs/{name}.md" for name in _PAGES)])
def test_what_the_page_names_exists(name):
    for path in _PATH.findall(page(name)):
        assert (ROOT / path).exists(), path


def test_the_classes_exist():
    assert set(_CLASS.findall(page("docs/architecture.md"))) <= classes()
