"""Processes that need the same kernel at the same time: one compiles it, the others wait for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT
from engine.kernel.library import CODE_VARIABLE

KERNEL = """
from engine.kernel import entry, int64

@entry(int64)
def triple(number):
    return 3 * number
"""
# Numba is loaded before the start, so that all of them come to the lock within a moment.
PROGRAM = """
import sys
import small_kernel
from engine.kernel import compiler
print("ready", flush=True)
sys.stdin.readline()
print(small_kernel.triple(14), small_kernel.triple.origin.name)
"""


def start(folder: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(folder), str(SOURCE_ROOT)))
    # Python takes old bytecode for current where an edit keeps the size and the second of the source.
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1",
                   CACHE_VARIABLE: str(folder / "cache"), CODE_VARIABLE: "native"}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answers_of(processes: list[subprocess.Popen[str]]) -> list[str]:
    """The output of each process, all started at once; none may print a warning."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = []
    for process in processes:
        answer, message = process.communicate(timeout=120)
        assert (process.returncode, message) == (0, "")
        answers.append(answer.strip())
    return sorted(answers)


def test_a_kernel_is_compiled_once(tmp_path):
    (tmp_path / "small_kernel.py").write_text(KERNEL)
    assert answers_of([start(tmp_path) for _ in range(3)]) == ["42 CACHED", "42 CACHED", "42 COMPILED"]
    kept = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert kept[0].startswith("small_kernel.triple-")
    assert answers_of([start(tmp_path)]) == ["42 CACHED"]


def test_a_changed_kernel_is_compiled_again(tmp_path):
    (tmp_path / "small_kernel.py").write_text(KERNEL)
    assert answers_of([start(tmp_path)]) == ["42 COMPILED"]
    (tmp_path / "small_kernel.py").write_text(KERNEL.replace("3 * number", "4 * number"))
    assert answers_of([start(tmp_path)]) == ["56 COMPILED"]
    (tmp_path / "small_kernel.py").write_text(KERNEL)
    assert answers_of([start(tmp_path)]) == ["42 CACHED"]
