"""The digest of the sources: what it depends on, and what not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.kernel import sources
from tests.test_imports import FILES, imports_of, module_name


@pytest.fixture
def tree(tmp_path) -> Path:
    for package in sources.PACKAGES:
        shutil.copytree(sources.SOURCE_ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_digest_is_of_the_sources_alone(tree):
    assert sources.source_digest(tree) == sources.own_digest()


@pytest.mark.parametrize("name", ["engine/core/bits.py", "eval/features.py", "book/__init__.py", "tablebase/probe.py",
                                  "engine/kernel/compiler.py"])
def test_a_changed_source_file_changes_the_digest(tree, name):
    with (tree / name).open("a") as file:
        file.write("\n")
    assert sources.source_digest(tree) != sources.own_digest()


def test_new_and_renamed_files_change_the_digest(tree):
    (tree / "eval" / "new.py").touch()
    added = sources.source_digest(tree)
    (tree / "eval" / "new.py").rename(tree / "eval" / "other.py")
    assert len({sources.own_digest(), added, sources.source_digest(tree)}) == 3


def test_a_command_can_be_changed_without_compiling(tree):
    with (tree / "engine" / "commands" / "bench.py").open("a") as file:
        file.write("\n")
    assert sources.source_digest(tree) == sources.own_digest()


def test_no_kernel_depends_on_what_is_left_out():
    counted = {module_name(path) for path in sources.kernel_sources(sources.SOURCE_ROOT)}
    reached = [module for module, path in FILES.items() if "\n@entry(" in path.read_text(encoding="utf-8")]
    for module in reached:
        assert module in counted
        reached.extend(name for name in imports_of(FILES[module]) if name in FILES and name not in reached)
    assert len(reached) > 50
