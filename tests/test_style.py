"""How long functions and modules may be, and how many parameters a function takes: held by walking the syntax trees."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path for package in ("engine", "eval", "book", "tablebase", "tests")
               for path in (ROOT / package).rglob("*.py"))

LONGEST_FUNCTION = 60
LONGEST_MODULE = 400
MOST_PARAMETERS = 9
# The node of alpha-beta calls itself, and a kernel that does so cannot be cut into several.
LONG_FUNCTIONS = {"engine/alphabeta/node.py": {"search": 220}}
NAMES = [path.relative_to(ROOT).as_posix() for path in FILES]


def functions(name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_only_modules_with_kernels_are_excused_from_types():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["overrides"]
    (excused,) = [row["module"] for row in settings if not row.get("disallow_untyped_defs", True)]
    for module in excused:
        if not module.endswith(".*"):
            text = (ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")
            assert re.search(r"^@(kernel|inline|entry)\b", text, re.MULTILINE), module


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_short(name):
    for function in functions(name):
        most = LONG_FUNCTIONS.get(name, {}).get(function.name, LONGEST_FUNCTION)
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < most, f"{function.name} is longer than {most} lines"


@pytest.mark.parametrize("name", NAMES)
def test_functions_take_few_parameters(name):
    for function in functions(name):
        listed = function.args
        count = len(listed.posonlyargs) + len(listed.args) + len(listed.kwonlyargs)
        assert count <= MOST_PARAMETERS, f"{function.name} takes {count} parameters: a record or a named tuple instead"


@pytest.mark.parametrize("name", NAMES)
def test_modules_fit_a_reader(name):
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE
