"""Work that is killed at any moment, or finds the disk full, is continued as if nothing had happened."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.kernel import SOURCE_ROOT

if os.name != "posix":
    pytest.skip("kills processes, limits the size of files", allow_module_level=True)

import resource
import signal

KILLS = 6
# Words of a command; OUT is its file. Then what continues it, and the suffixes of the files that it leaves.
COMMANDS = {
    "match": ("match rfp_margin=70 default --games 60 --nodes 200 --concurrency 1 --pgn OUT", "--resume", ("",)),
    "screen": ("tune screen --pairs 40 --nodes 200 --concurrency 1 --out OUT", "", ("",)),
    "tournament": ("compare tournament --player alphabeta --player mcts --nodes 500 --games 20 --out OUT", "", ("",)),
    "search": ("tune search --pairs 40 --batch 2 --nodes 200 --concurrency 1 --out OUT", "", (".json", ".txt")),
}


GAME = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n"


def words_of(name: str, words: str, out: Path, *, is_begun: bool) -> list[str]:
    if name == "search" and is_begun:  # the checkpoint knows the rest
        return ["tune", "search", "--concurrency", "1", "--out", str(out), "--resume"]
    continued = COMMANDS[name][1].split() if is_begun else []
    return [*words.replace("OUT", str(out)).split(), *continued]


def start(words: list[str], largest: int | None = None) -> subprocess.Popen[str]:
    """The command in a process of its own, whose files may not become larger than `largest` bytes."""
    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))

    return subprocess.Popen([sys.executable, "-m", "engine", *words], cwd=SOURCE_ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=limit,  # noqa: PLW1509  no threads here
                            start_new_session=True)


def finish(words: list[str], largest: int | None = None) -> tuple[int, str]:
    """(exit status, what was written to stderr)."""
    process = start(words, largest)
    _, complaints = process.communicate()
    return process.returncode, complaints


def contents(out: Path, name: str) -> list[str]:
    """What the files of finished work say, without what differs between two runs: times and the own name."""
    texts = [out.with_name(out.name + suffix).read_text() for suffix in COMMANDS[name][2]]
    return [re.sub(r"\d+\.\d+ ?s|\"seconds\": \[.*?\]", "", text).replace(out.name, "") for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment_the_result_is_the_same(name, tmp_path):
    words, chance, (whole, out) = COMMANDS[name][0], random.Random(name), (tmp_path / "whole", tmp_path / "killed")
    began = time.monotonic()
    assert finish(words_of(name, words, whole, is_begun=False)) == (0, "")
    seconds, kills = time.monotonic() - began, 0
    first = out.with_name(out.name + COMMANDS[name][2][0])
    while kills < KILLS:
        process = start(words_of(name, words, out, is_begun=first.exists()))
        time.sleep(chance.uniform(0.2, 1.0) * seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        if process.returncode == 0:
            break
    assert finish(words_of(name, words, out, is_begun=first.exists())) == (0, "")
    print(f"{name}: killed {kills} times")
    assert contents(out, name) == contents(whole, name)


@pytest.mark.parametrize("name", COMMANDS)
def test_work_that_finds_no_room_says_so_in_one_line_and_is_continued(name, tmp_path, capsys):
    words = re.sub(r"--(games|pairs) \d+", r"--\1 4", re.sub(r"--nodes \d+", "--nodes 20", COMMANDS[name][0]))
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert main(words_of(name, words, whole, is_begun=False)) == 0  # also compiles the kernels, whose files are larger
    complete, size = contents(whole, name), whole.with_name(whole.name + COMMANDS[name][2][0]).stat().st_size
    room = 500 if name == "search" else 3 * size // 4  # bytes; a checkpoint of `tune search` grows little
    status, complaints = finish(words_of(name, words, out, is_begun=False), room)
    assert status in {1, 2} and complaints.count("\n") == 1 and "File too large" in complaints, complaints
    assert str(out) in complaints
    first = out.with_name(out.name + COMMANDS[name][2][0])
    assert not first.exists() or first.read_text() == "" or first.read_text().endswith("\n")
    assert {path.name for path in tmp_path.iterdir()} <= {first.name, *(whole.name + suffix
                                                                       for suffix in COMMANDS[name][2])}
    assert finish(words_of(name, words, out, is_begun=first.exists())) == (0, "")
    assert contents(out, name) == complete


def test_a_graph_that_finds_no_room_is_named(tmp_path, capsys):
    games, whole, out, graphs = (tmp_path / name for name in ("games.pgn", "whole.pgn", "out.pgn", "graphs"))
    games.write_text(GAME)
    words = ["annotate", str(games), "--nodes", "20", "--concurrency", "1", "--plots", str(graphs), "--out"]
    assert main([*words, str(whole)]) == 0  # also compiles the kernels, whose files are larger
    for path in graphs.iterdir():
        path.unlink()
    status, complaints = finish([*words, str(out)], 1000)
    assert (status, complaints) == (2, f"error: cannot write {graphs / 'game-1.svg'}: File too large\n")
    assert not list(graphs.iterdir())
    assert finish([*words, str(out)]) == (0, "")
    assert out.read_text() == whole.read_text()
    assert {path.name for path in graphs.iterdir()} == {"game-1.svg", "players.svg"}
