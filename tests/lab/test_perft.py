"""`perft` as a user types it."""

from __future__ import annotations

import re

import pytest

from tests.commands.running import run


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
    assert "line 1: 4k3/8/8/8/8/8/8/4K2R w K - 0 1: depth 2 must be 67, got 66" in out
    assert "1 WRONG" in out


def test_a_broken_line_of_a_suite_is_named(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n4k3/8/8/8/8/8/8/8 w - - 0 1 ;D1 5\n")
    assert run(capsys, "perft", "--suite", str(suite))[2] == f"error: suite {suite}, line 2: FEN has no white king\n"


@pytest.mark.parametrize("limits", [("--max-nodes", "14"), ("0",)])
def test_a_suite_without_counts_within_the_limits_is_an_error(capsys, tmp_path, limits):
    suite = tmp_path / "suite.epd"
    suite.write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15\n")
    status, _, err = run(capsys, "perft", *limits, "--suite", str(suite))
    assert status == 2
    assert "no count within the limits" in err
