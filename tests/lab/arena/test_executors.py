"""Processes that work for this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from engine.kernel import SOURCE_ROOT
from engine.lab.arena.executors import processes
from tests.timing import PATIENCE

PROGRAM = """
import sys, time
from engine.lab.arena.executors import processes
from engine.lab.arena.cancellation import cancel_games

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
                          check=False, timeout=PATIENCE, env={**os.environ, "PYTHONPATH": str(SOURCE_ROOT)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no signal masks")
def test_processes_leave_the_callers_signals_as_they_were():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    with processes(1):
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
