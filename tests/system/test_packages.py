"""A user's module with the name of a package of the engine is named, in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.system.packages import PACKAGES, check_packages
from engine.system.processes import own_environment


def test_these_packages_are_found():
    check_packages()


@pytest.mark.parametrize("name", ["book.py", "eval.py", "tablebase.py", "book/__init__.py", "eval/notes.txt"])
def test_a_script_beside_such_a_file_gets_its_name(name, tmp_path):
    script, other = tmp_path / "mine.py", tmp_path / name
    script.write_text("import engine\nengine.Engine\n")
    other.parent.mkdir(exist_ok=True)
    other.write_text("")
    done = subprocess.run([sys.executable, script], env=own_environment(), capture_output=True, text=True, check=False)
    if name.endswith(".txt"):  # a folder without modules gives way to a package
        assert (done.returncode, done.stderr) == (0, "")
        return
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.partition(": ")[0].endswith("ForeignModuleError")
    assert f"{other} is in the way of the engine's package `{Path(name).parts[0].removesuffix('.py')}`" in last


def test_a_module_that_was_imported_before_is_named(tmp_path):
    (tmp_path / "book.py").write_text("pages = 300\n")
    script = tmp_path / "mine.py"
    script.write_text("import sys\nimport book\nsys.path.pop(0)\nimport engine\ntry:\n    engine.Engine\n"
                      "except ImportError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, script], env=own_environment(), capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{tmp_path / 'book.py'} is in the way") and done.stdout.count("\n") == 1


def test_the_program_says_so_in_one_line(tmp_path):
    (tmp_path / "book.py").write_text("")
    done = subprocess.run([sys.executable, "-m", "engine", "perft", "1"], cwd=tmp_path, env=own_environment(),
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {tmp_path / 'book.py'} is in the way") and done.stderr.count("\n") == 1


def test_the_packages_are_those_of_the_project():
    assert {path.parent.name for path in Path(__file__).parents[2].glob("*/__init__.py")} == {*PACKAGES, "tests"}
