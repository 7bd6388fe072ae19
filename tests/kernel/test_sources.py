"""The sources that an entry depends on, and what changes their digest."""

from __future__ import annotations

import ast
import shutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernel import import_all, sources
from engine.kernel.sources import SourceTree
from engine.system.packages import PACKAGES, SOURCE_ROOT
from tests import kernels
from tests.test_imports import FILES

SEARCH = "engine.alphabeta.root"


@pytest.fixture
def tree(tmp_path) -> Path:
    for package in PACKAGES:
        shutil.copytree(SOURCE_ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digest_in(tree: Path, module: str = SEARCH) -> str:
    return SourceTree(tree).digest_of(module)


def test_the_digest_depends_only_on_the_sources(tree):
    assert digest_in(tree) == sources.digest_of_module(SEARCH)


@pytest.mark.parametrize("name", ["engine/alphabeta/node.py", "engine/core/bits.py", "eval/features.py",
                                  "tablebase/__init__.py", "engine/kernel/compiler.py", "engine/__init__.py"])
def test_a_changed_import_changes_the_digest(tree, name):
    with (tree / name).open("a") as file:
        file.write("\n")
    assert digest_in(tree) != sources.digest_of_module(SEARCH)


@pytest.mark.parametrize("name", ["engine/lab/bench/__init__.py", "engine/lab/arena/selfplay.py", "book/polyglot.py",
                                  "engine/mcts/iterate.py", "eval/network/train.py", "engine/kernel/build.py"])
def test_a_change_elsewhere_leaves_the_digest_of_the_search(tree, name):
    with (tree / name).open("a") as file:
        file.write("\n")
    (tree / name).with_name("new.py").touch()
    assert digest_in(tree) == sources.digest_of_module(SEARCH)


def test_a_new_import_adds_its_own_imports_to_the_digest(tree):
    leaf = tree / "eval" / "new.py"
    leaf.write_text("NUMBER = 1\n")
    with (tree / "engine" / "core" / "bits.py").open("a") as file:
        file.write("\nfrom eval.new import NUMBER\n")
    with_import = digest_in(tree)
    leaf.write_text("NUMBER = 2\n")
    assert len({sources.digest_of_module(SEARCH), with_import, digest_in(tree)}) == 3


def test_imports_inside_functions_and_through_packages_count(tree):
    (tree / "eval" / "sub").mkdir()
    (tree / "eval" / "sub" / "__init__.py").write_text("from eval.sub.inner import VALUE\n")
    (tree / "eval" / "sub" / "inner.py").write_text("def value():\n    from book import polyglot\n")
    (tree / "eval" / "sub" / "leaf.py").touch()
    (tree / "eval" / "top.py").write_text("from __future__ import annotations\n\nfrom eval.sub import (  # both\n"
                                          "    leaf,\n    leaf as other,\n)\n")
    reached = SourceTree(tree).sources_of("eval.top")
    assert {"eval", "eval.sub", "eval.sub.inner", "eval.sub.leaf", "eval.top", "book.polyglot"} <= set(reached)
    assert reached == sorted(reached)


def test_a_kernel_in_a_test_depends_on_the_imports_of_the_test():
    reached = sources.own_tree().sources_of(kernels.__name__)
    assert {"tests", "tests.kernels", "engine.core.movegen"} <= set(reached)
    assert not any(name.startswith("numpy") for name in reached)
    assert "tests.test_imports" in sources.own_tree().sources_of(__name__)


def test_a_module_without_a_file_never_gets_the_machine_code_of_another(monkeypatch):
    for name in ("typed_in", "typed_in_too"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    assert sources.digest_of_module("typed_in") != sources.digest_of_module("typed_in_too")


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Every import statement that may be executed."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from statements(child)


def imports_by_syntax(path: Path) -> set[str]:
    found: set[str] = set()
    for statement in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.ImportFrom):
            found.update((str(statement.module), *(f"{statement.module}.{alias.name}" for alias in statement.names)))
        else:
            assert isinstance(statement, ast.Import)
            found.update(alias.name for alias in statement.names)
    return found & FILES.keys()


def test_the_scan_agrees_with_the_syntax_trees():
    """All imports of every file; for sources of kernels, no others."""
    tree = SourceTree(SOURCE_ROOT)
    of_kernels = {name for point in import_all() for name in tree.sources_of(point.name.rpartition(".")[0])}
    assert len(of_kernels) > 100
    for module, path in FILES.items():
        scanned, package = set(tree.imports_of(module)), {module.rpartition(".")[0]}
        expected = imports_by_syntax(path)
        assert expected <= scanned, module
        assert module not in of_kernels or scanned - package - {module} == expected - package, module
