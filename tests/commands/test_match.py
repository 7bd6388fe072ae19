"""`match` as its users see it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from engine.kernel import SOURCE_ROOT
from tests.arena.players import player


def run_match(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "engine", "match", *arguments], cwd=SOURCE_ROOT, capture_output=True,
                          text=True, check=False, timeout=240)


@pytest.fixture
def openings(tmp_path: Path) -> Path:
    path = tmp_path / "endings.epd"
    path.write_text("8/8/8/8/8/5k2/8/5K1R w - -\nnonsense\n8/8/8/4k3/8/8/8/4K2Q w - -\n")
    return path


def test_a_match_with_faults_ends_with_its_result_and_says_so(tmp_path, openings):
    good, bad = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'crash')}"
    result = run_match(good, bad, "--games", "4", "--tc", "5+0.1", "--openings", str(openings), "--pgn",
                       str(tmp_path / "games.pgn"))
    assert result.returncode == 1
    assert "result: +4 =0 -0 (100.0 %)" in result.stdout
    assert "pairs: 0 0 0 0 2" in result.stdout
    assert "lost because it ends its process: 0 and 4" in result.stdout
    assert "line 2" in result.stderr and "left out" in result.stderr
    with (tmp_path / "games.pgn").open() as file:
        games = [game for _ in range(4) if (game := chess.pgn.read_game(file)) is not None]
    assert len(games) == 4
    assert all("ends its process" in game.headers["Termination"] for game in games)


def test_a_match_is_resumed_with_the_same_openings(tmp_path, openings):
    one, two = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'legal')}"
    pgn = tmp_path / "games.pgn"
    options = ["--tc", "20+1", "--openings", str(openings), "--pgn", str(pgn)]
    assert run_match(one, two, "--games", "2", *options).returncode == 0
    assert run_match(one, two, "--games", "4", *options).returncode == 2  # it would be overwritten
    resumed = run_match(one, two, "--games", "4", *options, "--resume", "--concurrency", "2")
    assert "games: 4" in resumed.stdout, resumed.stderr
    assert pgn.read_text().count("[Event ") == 4
    at_once = run_match(one, two, "--games", "4", "--tc", "20+1", "--openings", str(openings))
    assert at_once.stdout == resumed.stdout  # both players always take the first move: the same games


def test_a_sequential_test_stops_when_it_is_decided(tmp_path):
    good, bad = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'illegal')}"
    result = run_match(good, bad, "--games", "1000", "--tc", "5+0.1", "--sprt", "0", "200")
    assert "+200 accepted" in result.stdout
    assert int(result.stdout.split("games: ")[1].split()[0]) < 100
