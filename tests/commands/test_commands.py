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
    (("bench", "dance"), "bench knows speed, threads, perft, startup, network or a depth"),
    (("bench", "0"), "a depth from 1 to"),
    (("bench", "--threads", "0"), "--threads must be at least 1"),
    (("bench", "threads"), "needs --threads N"),
    (("match",), "match needs two players"),
    (("match", "cmd:a"), "cmd:COMMAND names another one"),
    (("match", "a", "cmd:b"), "cmd:COMMAND names another one"),
    (("match", "sharpness=3"), "no search parameter is called 'sharpness'"),
    (("match", "rfp_margin=9999"), "rfp_margin must be from"),
    (("match", "rfp_margin=x"), "needs a whole number"),
    (("match", "default", "/no/such/weights.json"), "cannot read the weight file"),
    (("match", "nonsense"), "is no setting"),
    (("match", "default", "--tc", "1+1"), "settings play at fixed --nodes"),
    (("match", "--ablate", "default"), "--ablate takes no players"),
    (("match", "cmd:/no/such/engine", "cmd:/no/such/engine", "--games", "2"), "cannot start '/no/such/engine'"),
    (("match", "cmd:a", "cmd:b", "--tc", "soon"), "--tc is seconds a game"),
    (("match", "cmd:a", "cmd:b", "--tc", "-1+0"), "expected one argument"),
    (("match", "cmd:a", "cmd:b", "--games", "0"), "--games must be at least 1"),
    (("match", "cmd:a", "cmd:b", "--sprt", "5", "0"), "a smaller and a larger Elo"),
    (("match", "cmd:a", "cmd:b", "--sprt", "0", "10000"), "a smaller and a larger Elo"),
    (("match", "cmd:a", "cmd:b", "--resume"), "--resume needs --pgn"),
    (("match", "cmd:a", "cmd:b", "--pgn", "/no/such/folder/x.pgn"), "no folder /no/such/folder"),
    (("match", "cmd:a", "cmd:b", "--option", "Hash"), "an option is NAME=VALUE"),
    (("match", "cmd:a", "cmd:b", "--openings", "/no/such/file.epd"), "cannot read openings from"),
    (("suite",), "required: FILE.epd"),
    (("suite", "/no/such/file.epd"), "cannot read suite"),
    (("suite", "x.epd", "--nodes", "0"), "--nodes must be at least 1"),
    (("suite", "x.epd", "--nodes", "5", "--depth", "5"), "not allowed with"),
    (("bench", "perft", "--against", "/no/such/engine"), "cannot start /no/such/engine"),
    (("bench", "perft", "--against", ""), "cannot start"),
    (("bench", "startup", "--against", "engine"), "--against goes with"),
    (("perft", "2", "--max-nodes", "5"), "--max-nodes goes with --suite"),
    (("perft", "2", "--divide", "--suite", "x"), "do not go with --suite"),
    (("bench", "network", "--network", "/no/such"), "cannot read the network file /no/such"),
    (("bench", "--network", "x"), "--network goes with 'bench network' only"),
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
    assert run(capsys, "perft", "--suite", str(suite))[2] == f"error: suite {suite}, line 2: FEN has no white king\n"


@pytest.mark.parametrize("limits", [("--max-nodes", "-5"), ("--max-nodes", "14"), ("0",)])
def test_a_suite_of_which_nothing_is_checked_does_not_pass(capsys, tmp_path, limits):
    suite = tmp_path / "suite.epd"
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n")
    status, _, err = run(capsys, "perft", *limits, "--suite", str(suite))
    assert status == 2
    assert "no count within the limits" in err


RIVALS = {
    "pass": "gave no answer to 'uci'",
    "print('uciok'); print('readyok'); print('Nodes searched 3', flush=True)": "answers 'go perft' with 'Nodes sear",
}


@pytest.mark.parametrize(("program", "complaint"), RIVALS.items())
def test_rivals_that_do_not_speak_uci_are_named(capsys, tmp_path, program, complaint):
    rival = tmp_path / "rival"
    rival.write_text(f"#!{sys.executable}\n{program}\nfor line in open(0): pass\n" if "uciok" in program else
                     f"#!{sys.executable}\n{program}\n")
    rival.chmod(0o755)
    status, _, err = run(capsys, "bench", "perft", "--runs", "1", "--against", str(rival))
    assert status == 2
    assert complaint in err


def test_a_wrong_count_of_a_rival_fails_the_bench(capsys, tmp_path):
    rival = tmp_path / "rival"
    rival.write_text(f"#!{sys.executable}\nprint('id name \\xff'); print('uciok'); print('readyok')\n"
                     "print('Nodes searched: 3', flush=True)\nfor line in open(0): pass\n")
    rival.chmod(0o755)
    status, _, err = run(capsys, "bench", "perft", "--runs", "1", "--against", str(rival))
    assert status == 1
    assert "counts 3 leaves in startpos at depth 6, not 119060324" in err


def test_help_names_every_command(capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0
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


@pytest.mark.parametrize("words", [["perft", "2"], ["perft", "2", "--divide"]])
def test_no_traceback_when_the_reader_goes_away(words):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    program = subprocess.Popen([sys.executable, "-m", "engine", *words], cwd=SOURCE_ROOT, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(timeout=60) == 1
    program.stderr.close()


def test_bench_prints_the_same_signature_twice(capsys):
    first, second = (run(capsys, "bench", "4")[1].splitlines() for _ in range(2))
    assert len(first) == 51
    assert first[:-1] == second[:-1]
    assert re.fullmatch(r"\d+ nodes \d+ nps", first[-1])
    assert first[-1].split()[0] == second[-1].split()[0]


def test_suite_solves_and_names_what_it_does_not(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text('6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id "one";\n'
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - ce +M1;\n"
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8;\n"
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Rz9;\n"
                     '6k1/5ppp/8/8/8/8/8/R3K3 w Q - id "asks for nothing";\n')
    status, out, err = run(capsys, "suite", str(suite), "--nodes", "2000")
    assert status == 1
    assert "2 of 3 solved" in out
    assert "line 3: 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1: a1a8, not any but a1a8" in out
    assert err.count("left out") == err.count("\n") == 2


@pytest.mark.slow
def test_bench_startup_prints_all_costs(capsys):
    status, out, _ = run(capsys, "bench", "startup", "--runs", "1")
    assert status == 0
    costs = re.findall(r"([\d.]+) s CPU with an empty cache, ([\d.]+) s warm", out)
    assert len(costs) == 2
    assert all(float(warm) < float(cold) for cold, warm in costs)
    assert float(re.search(r"uciok .*: ([\d.]+) s", out)[1]) < 2


@pytest.mark.slow
@pytest.mark.skipif(not STOCKFISH.exists(), reason="stockfish is not installed")
def test_bench_perft_beside_stockfish(capsys):
    status, out, _ = run(capsys, "bench", "perft", "--runs", "1", "--against", str(STOCKFISH))
    assert status == 0
    ratio = float(re.search(r"ratio ([\d.]+)$", out, re.MULTILINE)[1])
    assert ratio >= 1.5
