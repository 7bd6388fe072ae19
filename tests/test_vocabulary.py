"""The vocabulary of docs/glossary.md, as far as a machine can check it: class names, identifiers, docstrings, also of
the tests and of the page in the browser.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path.relative_to(ROOT).as_posix() for package in ("engine", "eval", "book", "tablebase")
               for path in (ROOT / package).rglob("*.py"))
TESTS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py"))
PAGE = sorted(path for path in (ROOT / "engine" / "ui" / "web" / "page").iterdir() if path.suffix in {".js", ".css"})

# Class names that are defined twice, with the reasons in the last part of docs/glossary.md.
TWICE = {
    "Game": {"engine/core/game.py", "engine/course/reference/game.py"},
    "Network": {"eval/network/file.py", "engine/course/reference/network.py"},
    "Node": {"engine/course/reference/alphazero.py", "engine/course/reference/uct.py"},
}
# These state rules of games: "whoever is left with 0 wins".
COURSE = ("engine/course/", "engine/commands/course.py", "tests/course/")
BANNED_NAMES = {"man", "men", "told", "place", "kind", "course", "lesson"}
NAMES_OF_THE_COURSE = {"course", "lesson"}
NAMES_OF_TESTS = {"course", "lesson"}  # tests of commands and documents name what they test
BANNED_IN_PAGE = BANNED_NAMES | {"talk", "tell", "say", "seat", "hands", "knock", "wish", "gravity", "manner", "recall"}
COMMENT_OR_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|`Place |place-\w+", re.DOTALL)
BANNED_IN_DOCSTRINGS = {"whoever", "somebody", "nobody", "everybody"}
LOOSE_MODULES = {"engine/__init__.py", "engine/__main__.py", "engine/version.py"}


def tree_of(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a module introduces or uses, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def test_no_public_class_name_is_defined_twice():
    homes: dict[str, set[str]] = defaultdict(set)
    for name in FILES:
        for node in tree_of(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == TWICE


def test_the_engine_folder_holds_only_packages_and_three_modules():
    assert {name for name in FILES if name.count("/") == 1 and name.startswith("engine/")} == LOOSE_MODULES


@pytest.mark.parametrize("name", FILES)
def test_names_are_those_of_the_glossary(name):
    banned = BANNED_NAMES - NAMES_OF_THE_COURSE if name.startswith(COURSE) else BANNED_NAMES
    assert [f"{word}, line {line}" for word, line in identifiers(tree_of(name)) if word in banned] == []


@pytest.mark.parametrize("name", TESTS)
def test_names_in_tests_are_those_of_the_glossary(name):
    banned = BANNED_NAMES - NAMES_OF_TESTS
    assert [f"{word}, line {line}" for word, line in identifiers(tree_of(name)) if word in banned] == []


@pytest.mark.parametrize("path", PAGE, ids=lambda path: path.name)
def test_names_in_the_page_are_those_of_the_glossary(path):
    names = re.findall(r"[A-Za-z][a-z]*", COMMENT_OR_TEXT.sub("", path.read_text(encoding="utf-8")))
    assert {name.lower() for name in names} & BANNED_IN_PAGE == set()


@pytest.mark.parametrize("name", [name for name in FILES + TESTS if not name.startswith(COURSE)])
def test_docstrings_name_who_acts(name):
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").lower().replace(",", " ").replace(".", " ").split()
            assert not BANNED_IN_DOCSTRINGS & set(words), ast.get_docstring(node)
