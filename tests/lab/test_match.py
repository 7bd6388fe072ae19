"""`match` as its users see it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

from engine.alphabeta.params import PARAMETERS
from engine.kernel import SOURCE_ROOT
from tests.lab.arena.players import player
from tests.timing import PATIENCE, wait_until


def run_match(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "engine", "match", *arguments], cwd=SOURCE_ROOT, capture_output=True,
                          text=True, check=False, timeout=240)


@pytest.fixture
def openings(tmp_path: Path) -> Path:
    path = tmp_path / "endings.epd"
    path.write_text("8/8/8/8/8/5k2/8/5K1R w - -\nnonsense\n8/8/8/4k3/8/8/8/4K2Q w - -\n")
    return path


def test_a_match_with_forfeits_prints_them(tmp_path, openings):
    good, bad = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'crash')}"
    result = run_match(good, bad, "--games", "4", "--tc", "5+0.1", "--openings", str(openings), "--pgn",
                       str(tmp_path / "games.pgn"), "--no-adjudication")
    assert result.returncode == 1
    assert "result: +4 =0 -0 (100.0 %)" in result.stdout
    assert "pairs that scored 0, 1/2, 1, 3/2 and 2 points: 0, 0, 0, 0, 2" in result.stdout
    assert "lost because it ends its process: 0 and 4" in result.stdout
    assert "skipped" in result.stderr and "line 2" in result.stderr
    with (tmp_path / "games.pgn").open() as file:
        games = [game for _ in range(4) if (game := chess.pgn.read_game(file)) is not None]
    assert len(games) == 4
    assert all("ends its process" in game.headers["Termination"] for game in games)


def test_a_match_is_resumed_with_the_same_openings(tmp_path, openings):
    one, two = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'legal')}"
    pgn = tmp_path / "games.pgn"
    options = ["--tc", "20+1", "--openings", str(openings), "--pgn", str(pgn), "--no-adjudication"]
    assert run_match(one, two, "--games", "2", *options).returncode == 0
    assert run_match(one, two, "--games", "4", *options).returncode == 2  # it would be overwritten
    resumed = run_match(one, two, "--games", "4", *options, "--resume", "--concurrency", "2")
    assert "games: 4" in resumed.stdout, resumed.stderr
    assert pgn.read_text().count("[Event ") == 4
    at_once = run_match(one, two, "--games", "4", "--tc", "20+1", "--openings", str(openings), "--no-adjudication")
    assert at_once.stdout == resumed.stdout  # both players always take the first move: the same games


def test_engines_receive_movestogo(tmp_path, openings):
    heard = tmp_path / "heard.txt"
    script = Path(player(tmp_path, "legal").split()[-1])
    script.write_text(script.read_text().replace("elif words[0] == 'go': ", "elif words[0] == 'go': "
                                                 f"print(line, file=open({str(heard)!r}, 'a')); "))
    one = f"cmd:{sys.executable} {script}"
    run_match(one, one, "--games", "1", "--tc", "3/20+0.1", "--openings", str(openings), "--no-adjudication")
    orders = heard.read_text().split("\n")
    to_go = [line.split("movestogo ")[1].split()[0] for line in orders if line.startswith("go")]
    assert to_go[:8] == ["3", "3", "2", "2", "1", "1", "3", "3"]


def test_a_match_stops_when_the_sprt_is_decided(tmp_path):
    good, bad = f"cmd:{player(tmp_path, 'legal')}", f"cmd:{player(tmp_path, 'illegal')}"
    result = run_match(good, bad, "--games", "1000", "--tc", "5+0.1", "--sprt", "0", "200")
    assert "+200 accepted" in result.stdout
    assert int(result.stdout.split("games: ")[1].split()[0]) < 100


def test_an_engine_without_chess960_is_an_error(tmp_path):
    one = f"cmd:{player(tmp_path, 'legal')}"
    result = run_match(one, one, "--games", "2", "--tc", "5+0.1", "--chess960")
    assert result.returncode == 2
    assert "it has no option UCI_Chess960" in result.stderr
    assert result.stderr.count("\n") == 1


def test_ablation_measures_every_technique(tmp_path):
    openings = tmp_path / "one.epd"
    openings.write_text("8/8/8/3k4/8/8/4Q3/3K4 w - -\n")
    result = run_match("--ablate", "--games", "2", "--nodes", "100", "--openings", str(openings))
    assert result.returncode == 0, result.stderr
    for row in PARAMETERS:
        is_listed = re.search(rf"^{row.name.removeprefix('use_')} .* 2 ", result.stdout, re.MULTILINE) is not None
        assert is_listed == row.is_on, row.name
    assert run_match("--ablate", "cmd:x", "--games", "2").returncode == 2


def test_a_match_at_several_lengths(openings):
    result = run_match("rfp_margin=70", "default", "--scaling", "50,200", "--games", "4", "--openings", str(openings))
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["nodes", "games", "result", "score", "Elo"]
    assert [row[:2] for row in rows[1:]] == [["50", "4"], ["200", "4"]]
    assert all(sum(abs(int(part.lstrip("+=-"))) for part in row[2:5]) == 4 for row in rows[1:])
    for words, complaint in ((("--scaling", "50,x"), "--scaling: "), (("--scaling", "--pgn", "x.pgn"), "--pgn"),
                             (("--scaling", "--nodes", "5"), "not allowed with")):
        failed = run_match("default", "default", *words)
        assert failed.returncode == 2
        assert complaint in failed.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_an_interrupted_match_prints_its_score(tmp_path):
    pgn = tmp_path / "games.pgn"
    with subprocess.Popen([sys.executable, "-m", "engine", "match", "rfp_margin=70", "default", "--games", "100000",
                           "--nodes", "50", "--pgn", str(pgn)], cwd=SOURCE_ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:  # noqa: PLW1509
        wait_until(lambda: process.poll() is not None or (pgn.exists() and pgn.stat().st_size > 2000))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert re.search(r"^games: \d+$", out, re.MULTILINE)
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_match_with_files_of_any_name_is_kept_and_resumed(tmp_path):
    openings, games = tmp_path / os.fsdecode(b"\xfe.epd"), tmp_path / "games.pgn"
    openings.write_text(chess.STARTING_FEN)
    words = ("default", "default", "--nodes", "20", "--openings", str(openings), "--pgn", str(games))
    assert run_match(*words, "--games", "2").returncode == 0
    assert run_match(*words, "--games", "4", "--resume").returncode == 0
    assert games.read_text(encoding="utf-8").count("[Event ") == 4
