"""The pages for developers name files, modules, classes and functions that exist, and list every package."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.docs.pages import ROOT, page, prose, rows, sections

PACKAGES_OF_THE_PAGE = [cells[0].strip("`") for cells in rows(sections(page("docs/architecture.md"))["Packages"])][1:]
_PAGES = ("architecture", "glossary", "web-protocol")
_PACKAGES = ("engine", "eval", "book", "tablebase")
_PATH = re.compile(r"`((?:engine|eval|book|tablebase|tests|docs|history)/[\w./-]*)`")
_CLASS = re.compile(r"`([A-Z][a-z]+[A-Z]\w*)(?:\.\w+)?`")
_NAME = re.compile(r"`@?([A-Za-z_]\w*(?:\.\w+)*)(?:\([^`]*\)|\[[^`]*\])?`")
_FILE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|js|json|network|policy))`")
_WORD = re.compile(r"\w+")
_PREFIX = re.compile(r"[a-z]+_")  # of the rules for names, such as `parse_`


@cache
def names() -> set[str]:
    """Return every word in the sources and tests, and the names of their modules and folders."""
    paths = [path for name in (*_PACKAGES, "tests") for path in (ROOT / name).rglob("*.py")]
    found = {"None", "py", *(name for path in paths for name in (path.stem, path.parent.name))}
    return found.union(*(_WORD.findall(path.read_text(encoding="utf-8")) for path in paths))


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


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"])
def test_the_names_on_the_page_exist(name):
    text = "\n".join(prose(page(name)))
    files = {path.name for folder in (*_PACKAGES, "tests") for path in (ROOT / folder).rglob("*")}
    assert {path.rpartition("/")[2] for path in _FILE.findall(text)} <= files
    spans = {span for span in _NAME.findall(text) if not _PREFIX.fullmatch(span)}
    assert spans
    assert not {span for span in spans if not set(span.split(".")) <= names()}


def test_the_classes_exist():
    assert set(_CLASS.findall(page("docs/architecture.md"))) <= classes()
