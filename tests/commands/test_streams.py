"""Streams that are closed, or that nobody reads any more: commands end quietly, and nothing is written by chance."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from engine.kernel import SOURCE_ROOT

if os.name != "posix":
    pytest.skip("closes streams by their numbers", allow_module_level=True)

COMMANDS = ("perft 2", "perft 6 --divide", "bench 3", "explain startpos", "book show --nodes 100", "tablebase stats",
            "--help", "bench --help")


def run(line: str, redirections: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, with its streams as they are asked for."""
    program = f"{sys.executable} -m engine {line} {redirections}"
    return subprocess.run(["/bin/sh", "-c", program], cwd=SOURCE_ROOT, capture_output=True, text=True, check=False,
                          timeout=120)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_reader_that_goes_away_ends_a_command_quietly(line):
    done = run(line, "| true")
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("redirections", [">&-", "<&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_empty_ones(redirections):
    done = run("perft 2", redirections)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ("Nodes searched: 400" in done.stdout) == (redirections == "<&-")


def test_a_full_disk_is_told():
    done = run("perft 2", "> /dev/full")
    assert done.returncode == 1
    assert done.stderr == "error: [Errno 28] No space left on device\n"
