"""The vocabulary of docs/glossary.md, as far as a machine can check it: class names, identifiers, docstrings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path.relative_to(ROOT).as_posix() for package in ("engine", "eval", "book", "tablebase")
               for path in (ROOT / package).rglob("*.py"))

# Class names that are defined twice, with the reasons in the last part of docs/glossary.md.
TWICE = {
    "Game": {"engine/core/game.py", "engine/reference/game.py"},
    "Network": {"eval/network/file.py", "engine/reference/network.py"},
    "Node": {"engine/reference/alphazero.py", "engine/reference/uct.py"},
}
COURSE = "engine/commands/course/"
REFERENCE = "engine/reference/"  # like the lessons, it states rules of games: "whoever is left with 0 wins"
BANNED_NAMES = {"man", "men", "told", "place", "kind", "course", "lesson"}
NAMES_OF_THE_COURSE = {"course", "lesson"}
BANNED_IN_DOCSTRINGS = {"whoever", "somebody"}
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


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith((COURSE, REFERENCE))])
def test_docstrings_name_who_acts(name):
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").lower().replace(",", " ").replace(".", " ").split()
            assert not BANNED_IN_DOCSTRINGS & set(words), ast.get_docstring(node)
