"""Lessons as notebooks: what a teacher says becomes a cell of text, what then happens a cell of code."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.course.lesson import LESSONS, load, steps_of
from engine.system.files import write_file

_FORMAT = {"nbformat": 4, "nbformat_minor": 5, "metadata": {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"}}}


def write_notebooks(folder: Path) -> list[Path]:
    """One notebook a lesson, numbered in the order of the course, without outputs; returns the files."""
    files = []
    for number, name in enumerate(LESSONS, 1):
        file = folder / f"{number:02}-{name}.ipynb"
        write_file(file, notebook(name))
        files.append(file)
    return files


def notebook(name: str) -> str:
    """The text of a lesson's notebook."""
    module = load(name)
    cells = [_markdown(f"# {name}: {LESSONS[name]}\n\n{inspect.getdoc(module)}"), _code(_preamble(module))]
    for step in steps_of(module):
        cells += [_markdown(step.words), _code(_body(inspect.getsource(step.function)))]
    for number, cell in enumerate(cells):
        cell["id"] = f"{name}-{number}"
    return json.dumps({"cells": cells, **_FORMAT}, indent=1, ensure_ascii=False) + "\n"


def _preamble(module: ModuleType) -> str:
    """What a module has beside its steps: imports, constants and helpers."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    kept: list[str] = []
    for node in ast.parse(source).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_step = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if is_docstring or is_step or is_future:
            continue
        space = "\n" if kept and not isinstance(node, (ast.Import, ast.ImportFrom)) else ""
        kept.append(space + "\n".join(lines[node.lineno - 1 : node.end_lineno]))
    return "\n".join(kept)


def _body(source: str) -> str:
    """What a step does; its last `return` becomes the value that a notebook shows."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    statements = function.body[1:]
    lines = source.splitlines()[statements[0].lineno - 1 :]
    text = textwrap.dedent("\n".join(lines))
    if isinstance(statements[-1], ast.Return):
        before, _, after = text.rpartition("return ")
        text = before + after
    return text


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "id": "", "metadata": {}, "outputs": [],
            "source": text.splitlines(keepends=True)}
