"""`suite` as a user types it."""

from __future__ import annotations

from tests.commands.running import run


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
    assert "line 3: 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1: Ra8#, not any but Ra8#" in out
    assert err.count("left out") == err.count("\n") == 2
