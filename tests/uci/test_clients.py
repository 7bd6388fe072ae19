"""Real programs that play with the engine, where they are installed."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn
import pytest

from engine.kernel import CACHE_VARIABLE, SOURCE_ROOT
from engine.kernel.cache import cache_home

GAMES = "/usr/games"  # where Debian puts them
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", ""), GAMES])
MISSING = [name for name in ("xboard", "polyglot", "xvfb-run") if shutil.which(name, path=SEARCH_PATH) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
@pytest.mark.slow
def test_a_game_in_xboard_through_polyglot(tmp_path: Path):
    starter = tmp_path / "adversary"
    starter.write_text(f"#!/bin/sh\ncd {SOURCE_ROOT} && exec {sys.executable} -m engine\n")
    starter.chmod(0o755)
    saved = tmp_path / "game.pgn"
    command = ["xvfb-run", "-a", "xboard", "-fUCI", "-fcp", str(starter), "-sUCI", "-scp", str(starter), "-mg", "1",
               "-tc", "0:03", "-inc", "0.03", "-sgf", str(saved), "-autoCallFlag", "true"]
    environment = {**os.environ, "PATH": SEARCH_PATH, "HOME": str(tmp_path), CACHE_VARIABLE: str(cache_home())}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 180
            while not saved.exists() and time.monotonic() < deadline:
                time.sleep(0.5)
            time.sleep(1)  # until it is written
        finally:
            os.killpg(process.pid, 15)
    game = chess.pgn.read_game(io.StringIO(saved.read_text()))
    assert game is not None and not game.errors
    assert game.headers["White"].startswith("Adversary")
    assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2")
    text = saved.read_text().lower()
    assert not any(word in text for word in ("time forfeit", "illegal", "exited", "disconnect"))
    assert len(list(game.mainline_moves())) > 10


@pytest.mark.slow
@pytest.mark.parametrize("chess960", [False, True])
def test_a_hundred_games_without_a_fault(chess960: bool, tmp_path: Path):
    """Two instances at 1+0.01: every move, announced line and clock is judged by python-chess."""
    player = f"cmd:{sys.executable} -m engine"
    command = [sys.executable, "-m", "engine", "match", player, player, "--games", "100", "--tc", "1+0.01",
               "--no-adjudication", "--option", "Hash=16", "--pgn", str(tmp_path / "games.pgn"), "--concurrency", "2"]
    result = subprocess.run([*command, "--chess960"] if chess960 else command, cwd=SOURCE_ROOT, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "games: 100" in result.stdout
