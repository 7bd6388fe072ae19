"""The commands as a user types them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import COMMANDS, main
from engine.kernel import SOURCE_ROOT
from tests.core.test_fen import BAD

STOCKFISH = Path("/usr/games/stockfish")


def run(capsys, *words: str) -> tuple[int | str | None, str, str]:
    status: int | str | None
    try:
        status = main(words)
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_perft(capsys):
    status, out, err = run(capsys, "perft", "4")
    assert (status, err) == (0, "")
    assert out.startswith("Nodes searched: 197281\n")
    assert re.search(r"^\d+\.\d+ s CPU, \d+\.\d Mnodes/s$", out, re.MULTILINE)


def test_perft_divide_of_a_position(capsys):
    status, out, _ = run(capsys, "perft", "2", "--divide", "--fen", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert status == 0
    assert "e1g1: 23" in out.splitlines()
    assert "Nodes searched: 568" in out


def test_perft_chess960_writes_castling_as_king_takes_rook(capsys):
    _, out, _ = run(capsys, "perft", "1", "--divide", "--chess960", "--fen", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1")
    assert "e1h1: 1" in out.splitlines()


def test_perft_depth_zero(capsys):
    assert run(capsys, "perft", "0")[1].startswith("Nodes searched: 1\n")
    assert "Nodes searched: 1\n" in run(capsys, "perft", "0", "--divide")[1]


def test_perft_of_a_suite(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("# comment\n\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902\n"
                     "4k3/8/8/8/8/8/8/4K2R w K - 0 1; D1 15; D2 66\n")
    status, out, _ = run(capsys, "perft", "--suite", str(suite), "--max-nodes", "1000")
    assert status == 0
    assert out.startswith("2 positions, 4 counts, all exact; 501 nodes")
    assert run(capsys, "perft", "1", "--suite", str(suite))[1].startswith("2 positions, 2 counts, all exact")


def test_a_wrong_count_in_a_suite_is_shown(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 67\n")
    status, out, _ = run(capsys, "perft", "--suite", str(suite))
    assert status == 1
    assert "line 1: 4k3/8/8/8/8/8/8/4K2R w K - 0 1: depth 2 has 67, counted 66" in out
    assert "1 WRONG" in out


@pytest.mark.parametrize(("words", "complaint"), [
    *((("perft", "1", "--fen", fen), complaint) for fen, complaint in BAD.items() if fen),
    (("perft",), "needs a depth"),
    (("perft", "-1"), "depth must be from 0 to"),
    (("perft", "65"), "depth must be from 0 to"),
    (("perft", "many"), "invalid int value"),
    (("perft", "1", "--fen"), "expected one argument"),
    (("perft", "--suite", "/no/such/file.epd"), "cannot read suite /no/such/file.epd: No such file"),
    (("perft", "--suite", "/"), "cannot read suite /"),
    (("perft", "--suite", os.devnull), "holds no positions"),
    (("perft", "--suite", sys.executable), "is not a text file"),
    (("bench",), "required: what"),
    (("bench", "perft", "--against", "/no/such/engine"), "cannot start /no/such/engine"),
    (("bench", "perft", "--against", "/bin/true"), "ended without answering 'uci'"),
    (("bench", "perft", "--runs", "0"), "--runs must be at least 1"),
    (("dance",), "invalid choice: 'dance'"),
    (("--dance",), "unrecognized arguments"),
])
def test_bad_input_is_one_line_and_status_2(capsys, words, complaint):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_a_broken_line_of_a_suite_is_named(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n4k3/8/8/8/8/8/8/8 w - - 0 1 ;D1 5\n")
    assert run(capsys, "perft", "--suite", str(suite))[2] == ("error: line 2: FEN has no white king\n")
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 bm Kd2\n")
    assert "line 1: no counts" in run(capsys, "perft", "--suite", str(suite))[2]


def test_help_names_every_command(capsys):
    status, out, _ = run(capsys)
    assert status == 0
    assert run(capsys, "--help")[:2] == (0, out)
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capsys, command):
    status, out, _ = run(capsys, command, "--help")
    assert status == 0
    assert COMMANDS[command].split(",")[0] in " ".join(out.split())


def test_warmup_says_what_it_did(capsys):
    status, out, _ = run(capsys, "warmup")
    assert status == 0
    assert re.match(r"\d+ kernels compiled, \d+ loaded from the cache: \d+\.\d s", out)


def test_no_traceback_when_the_reader_goes_away():
    program = f"{sys.executable} -m engine perft 2 --divide | head -1"
    done = subprocess.run(["bash", "-c", program], cwd=SOURCE_ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count(":") == 1


def test_bench_startup_prints_both_costs(capsys):
    status, out, _ = run(capsys, "bench", "startup", "--runs", "1")
    assert status == 0
    cold, warm = map(float, re.findall(r"([\d.]+) s (?:CPU with|warm)", out))
    assert warm < cold


@pytest.mark.slow
@pytest.mark.skipif(not STOCKFISH.exists(), reason="stockfish is not installed")
def test_bench_perft_beside_stockfish(capsys):
    status, out, _ = run(capsys, "bench", "perft", "--runs", "1", "--against", str(STOCKFISH))
    assert status == 0
    ratio = float(re.search(r"ratio ([\d.]+)$", out, re.MULTILINE)[1])
    assert ratio >= 1.5
