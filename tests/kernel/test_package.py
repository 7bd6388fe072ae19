"""The whole package with its machine code, and starts under adverse conditions; slow."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import chess
import pytest

from engine.kernel import CACHE_VARIABLE, PACKAGES, SOURCE_ROOT, library
from engine.search.modes import MODES

pytestmark = pytest.mark.slow

FORBIDDEN = "import sys; sys.modules['numba'] = None; "
UCI = "from engine.uci.session import serve; serve()"
BENCH = "import sys; from engine.__main__ import main; sys.exit(main(['bench', '4']))"
PERFT = "from engine.__main__ import main; sys.exit(main(['perft', '3']))"
UCI_SESSION = "uci\nposition startpos moves e2e4\ngo movetime 3000\n"


def start(tree: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    environment = {**os.environ, CACHE_VARIABLE: str(tree / "cache"), "PYTHONPATH": str(tree), **environment}
    return subprocess.Popen([sys.executable, *words], cwd=tree, text=True, env=environment, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(tree: Path, program: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    with start(tree, "-c", program, **environment) as process:
        out, err = process.communicate(text, 600)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def copy_sources(tree: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(SOURCE_ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    return tree


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The sources with their machine code, as the build of the package makes it."""
    tree = copy_sources(tmp_path_factory.mktemp("package"))
    done = subprocess.run([sys.executable, "-m", "engine.kernel.build", "engine/kernel/shipped"], cwd=tree, check=False,
                          env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tree


def test_a_game_is_played_with_the_import_of_numba_forbidden(package):
    board, out = chess.Board(), []
    with start(package, "-c", FORBIDDEN + UCI, **{CACHE_VARIABLE: str(package / "none")}) as process:
        assert process.stdin is not None and process.stdout is not None
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            moves = " ".join(move.uci() for move in board.move_stack)
            process.stdin.write(f"position startpos moves {moves}\ngo nodes 3000\n" if moves else "go nodes 3000\n")
            process.stdin.flush()
            while not (line := process.stdout.readline()).startswith("bestmove"):
                assert line
                out.append(line)
            board.push_uci(line.split()[1])
        assert process.communicate("quit\n", 10) == ("", "")
    assert process.returncode == 0
    assert board.ply() > 20
    assert not any("string" in line and ("compiling" in line or "error" in line) for line in out)
    assert not (package / "none").exists()


@pytest.mark.parametrize("mode", [mode.name for mode in MODES])
def test_no_search_mode_needs_numba(package, mode):
    done = run(package, FORBIDDEN + UCI, f"setoption name SearchMode value {mode}\nisready\nposition startpos\n"
               "go nodes 2000\n")
    assert re.match(r"bestmove [a-h][1-8][a-h][1-8]", done.stdout.splitlines()[-1])
    assert "error" not in done.stdout and done.stderr == ""


def test_book_tables_and_threads_need_no_numba(package):
    lines = ("setoption name OwnBook value true", "setoption name Threads value 2", "isready", "position startpos",
             "go movetime 300", "setoption name OwnBook value false", "go depth 8", "eval", "d",
             "position fen 8/8/8/3k4/3r4/8/1Q6/K7 w - - 0 1", "go depth 4", "go perft 3")
    done = run(package, FORBIDDEN + UCI, "\n".join(lines) + "\n")
    assert done.stdout.count("bestmove") == 3
    assert "Nodes searched" in done.stdout
    assert "error" not in done.stdout and done.stderr == ""


def test_all_machine_code_has_the_same_signature(package):
    files = sorted((package / "engine" / "kernel" / "shipped").iterdir())
    found = {choice: run(package, BENCH, **{library.CODE_VARIABLE: choice}) for choice in ("native", *map(str, files))}
    assert len({done.stdout.splitlines()[-1].split()[0] for done in found.values()}) == 1


def test_no_flipped_byte_changes_a_search(package, tmp_path):
    """A sample of bytes; the tests of the format try all of them."""
    tree, chance = tmp_path / "tree", random.Random(3)
    shutil.copytree(package, tree, ignore=shutil.ignore_patterns("cache"))
    expected = run(tree, BENCH).stdout.splitlines()[:-1]  # the last line has the speed
    compiled = run(tree, BENCH, **{library.CODE_VARIABLE: "native"})  # and put into the cache, for what is to come
    assert compiled.stdout.splitlines()[:-1] == expected
    files = list((tree / "engine" / "kernel" / "shipped").iterdir())
    for _ in range(10):
        kept = [path.read_bytes() for path in files]
        for path in files:
            content = bytearray(path.read_bytes())
            for _ in range(20):
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            path.write_bytes(content)
        done = run(tree, BENCH)
        assert (done.returncode, done.stdout.splitlines()[:-1]) == (0, expected), done.stderr
        for path, content_before in zip(files, kept, strict=True):
            path.write_bytes(content_before)


@pytest.fixture
def sources(tmp_path) -> Path:
    return copy_sources(tmp_path)


def test_ten_cold_starts_at_once(sources):
    """All of them compile, and write the same files."""
    processes = [start(sources, "-m", "engine", "perft", "3") for _ in range(10)]
    for process in processes:
        with process:
            out, err = process.communicate()
        assert (process.returncode, out.splitlines()[0], err) == (0, "Nodes searched: 8902", "")
    assert "Nodes searched: 8902" in run(sources, FORBIDDEN + PERFT).stdout


def test_ten_cold_starts_at_once_play_legal_moves(sources):
    processes = [start(sources, "-m", "engine") for _ in range(10)]
    for process in processes:
        with process:
            out, err = process.communicate(UCI_SESSION)
        assert (process.returncode, err) == (0, "")
        board = chess.Board()
        board.push_uci("e2e4")
        board.push_uci(out.splitlines()[-1].split()[1])  # ValueError if it is illegal


def test_killed_while_compiling_and_writing(sources):
    """Kill ever later until one start completes; then only kernels are left in the cache."""
    chance = random.Random(11)
    for seconds in (1, 2, 3, 5, 8, 12, 16, 20):
        with start(sources, "-c", BENCH) as process:
            time.sleep(seconds + chance.random())
            process.kill()
    first = run(sources, BENCH)
    assert (first.returncode, first.stderr) == (0, "")
    again = run(sources, FORBIDDEN + BENCH.removeprefix("import sys; "))
    assert again.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount")
def test_the_fallback_move_is_temporary_on_a_full_disk(sources):
    disk = sources / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k,mode=700", "tmpfs", str(disk)], check=False,
                      capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        # The reply must be the search's: no clock runs, so that it waits for the kernels.
        done = run(sources, UCI, "position startpos\ngo depth 5\n", **{CACHE_VARIABLE: str(disk)})
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert "info depth 5 " in done.stdout
    assert sum("cannot write the compiled kernels to" in line for line in done.stdout.splitlines()) == 1
    assert done.stdout.splitlines()[-1].startswith("bestmove")
