"""Starting up, in new processes: with an empty cache, warm, and after a change of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from engine.kernel import CACHE_VARIABLE, PACKAGES, SOURCE_ROOT
from tests.client import Client
from tests.timing import assert_within, clocked, shortest


def start(tree: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, CACHE_VARIABLE: str(cache), "PYTHONPATH": str(tree)}
    return subprocess.run([sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True,
                          timeout=1000, check=False)  # it may have to compile on a machine that has other work


def cached_files(cache: Path) -> dict[str, int]:
    """The files of the cache with their inodes: a file that is written again is a new one, one that is read is not."""
    return {str(path): path.stat().st_ino for path in cache.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the sources, without machine code, that no test changes."""
    folder = tmp_path_factory.mktemp("sources")
    for package in PACKAGES:
        shutil.copytree(SOURCE_ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def cold(tree) -> subprocess.CompletedProcess[str]:
    """The first start of all, which compiles perft into the cache in `tree`."""
    return start(tree, tree / "cache", "-m", "engine", "perft", "3")


def test_cold_then_warm_then_changed(tree, cold, tmp_path):
    cache = tree / "cache"
    assert (cold.returncode, cold.stdout.splitlines()[0], cold.stderr) == (0, "Nodes searched: 8902", "")
    compiled = cached_files(cache)
    assert compiled

    warm = start(tree, cache, "-c", "import sys; sys.modules.update(numba=None, chess=None, rich=None); "
                 "from engine.__main__ import main; main(['perft', '3'])")
    assert warm.stdout.splitlines()[0] == "Nodes searched: 8902"
    assert cached_files(cache) == compiled, "a warm start compiled something"

    # A kernel two calls below the entry, in another file: stale machine code would still count 20 moves.
    changed_tree = tmp_path / "changed"
    shutil.copytree(tree, changed_tree)
    source = changed_tree / "engine" / "core" / "movegen.py"
    text = source.read_text()
    assert text.count("KNIGHT_ATTACKS[start] & targets") == 1
    source.write_text(text.replace("KNIGHT_ATTACKS[start] & targets", "KNIGHT_ATTACKS[start] & EMPTY"))
    changed = start(changed_tree, changed_tree / "cache", "-m", "engine", "perft", "1")
    assert changed.stdout.splitlines()[0] == "Nodes searched: 16"


def test_a_damaged_cache_is_compiled_anew(tree, cold, tmp_path):
    assert cold.returncode == 0
    cache = tmp_path / "cache"
    shutil.copytree(tree / "cache", cache)
    kernels = list(cache.rglob("*.kernel"))
    assert kernels
    for path in kernels:
        path.write_bytes(b"garbage")
    for _ in range(2):
        done = start(tree, cache, "-m", "engine", "perft", "3")
        assert done.stdout.splitlines()[0] == "Nodes searched: 8902"
        assert done.stderr.count("\n") <= 1
    assert done.stderr == ""


def test_an_unwritable_cache_still_works(tree, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.touch()
    done = start(tree, blocked, "-c", "from engine.core.game import Game; print(Game().fen())")
    assert done.stdout.startswith("rnbqkbnr/")
    assert "cannot write the compiled kernels to" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_handshake_needs_no_numba(tree):
    """What `python -m engine` imports before it knows the command is light."""
    script = "import sys, engine.__main__; print(sorted({'numba', 'numpy', 'chess', 'rich'} & set(sys.modules)))"
    assert start(tree, tree / "cache", "-c", script).stdout == "[]\n"


def first_start(cache: Path) -> Client:
    """A client without compiled kernels that has answered `uci`."""
    client = Client(str(cache))
    client.say("uci")
    client.until("uciok")
    return client


def test_the_first_start_of_all(tmp_path):
    """0.3 s on an idle machine: `bench startup` measures it."""
    clients = list[Client]()
    assert_within(2.0, lambda: clients.append(first_start(tmp_path / str(len(clients)))))
    for client in clients:
        assert client.quit() == 0


def test_a_game_goes_on_long_before_the_kernels_are_compiled(tmp_path):
    def longest_overrun() -> float:
        """By how many seconds the clock of one second was exceeded; below 0 if it was kept."""
        client = first_start(tmp_path)
        board, left, least = chess.Board(), 1.0, 1.0
        for _ in range(3):
            moves = " ".join(move.uci() for move in board.move_stack)
            lines = (f"position startpos moves {moves}", f"go wtime {max(int(1000 * left), 1)} winc 100")
            left -= clocked(lambda lines=lines: board.push_uci(client.best(*lines)))  # type: ignore[misc]
            least, left = min(least, left), left + 0.1
            board.push(next(iter(board.legal_moves)))
        client.say("isready")
        client.until("readyok", 60)
        assert client.quit() == 0
        return -least

    assert shortest(longest_overrun, 0.0) < 0
