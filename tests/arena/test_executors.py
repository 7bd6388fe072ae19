"""Processes that work for this one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from engine.kernel import SOURCE_ROOT

PROGRAM = """
import sys, time
from engine.arena.executors import processes
from engine.arena.cancellation import cancel_games

if __name__ == "__main__":
    with processes(2) as (pool, width):
        for _ in range(width):
            pool.submit(time.sleep, 60)
        time.sleep(float(sys.argv[1]))
        cancel_games()
"""


@pytest.mark.parametrize("seconds", ["0", "0.1"])
def test_children_that_are_only_starting_end_quietly(tmp_path, seconds):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(program), seconds], cwd=SOURCE_ROOT, capture_output=True, text=True,
                          check=False, timeout=30, env={**os.environ, "PYTHONPATH": str(SOURCE_ROOT)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
