"""Closed streams and broken pipes: commands end quietly and write nothing elsewhere."""

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


def run(line: str, redirections: str, said: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell with redirections, the input `said` and a changed environment."""
    program = f"{sys.executable} -m engine {line} {redirections}"
    return subprocess.run(["/bin/sh", "-c", program], cwd=SOURCE_ROOT, capture_output=True, text=True, check=False,
                          timeout=120, input=said, encoding="utf-8", env={**os.environ, **environment})


@pytest.mark.parametrize(("line", "unbuffered"), [*((line, "") for line in COMMANDS), ("--help", "1")])
def test_a_closed_pipe_ends_a_command_quietly(line, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)  # before the command starts: `| true` ends before it prints or after
    with os.fdopen(writer) as pipe:
        done = subprocess.run([sys.executable, "-m", "engine", *line.split()], cwd=SOURCE_ROOT, stdout=pipe,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=120,
                              env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("redirections", [">&-", "<&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_act_as_empty_ones(redirections):
    done = run("perft 2", redirections)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ("Nodes searched: 400" in done.stdout) == (redirections == "<&-")


@pytest.mark.parametrize("line", ["perft 2", "--help"])
def test_a_full_disk_is_an_error(line):
    done = run(line, "> /dev/full", PYTHONUNBUFFERED="")
    assert done.returncode == 1
    assert done.stderr == "error: No space left on device\n"


def test_a_full_disk_is_an_error_in_a_uci_session():
    done = run("", "> /dev/full", said="uci\nisready\n")
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"


def test_characters_outside_the_encoding_are_escaped(tmp_path):
    games = tmp_path / "games.pgn"
    games.write_text('[White "\u65e5\u672c"]\n[Black "M\u00fcller"]\n\n1. e4 e5 *\n', encoding="utf-8")
    done = run(f"annotate {games} --out {tmp_path / 'out.pgn'} --depth 1", "", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u65e5\\u672c" in done.stdout and "M\\xfcller" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_uci_session_survives_any_encoding(encoding):
    done = run("", "", PYTHONIOENCODING=encoding, said="setoption name Hash value \u65e5\nisready\n")
    message, ready = done.stdout.splitlines()[-2:]
    assert message.endswith("got '\\u65e5'") and ready == "readyok"
