"""`bench` as a user types it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from engine.kernel.codefile import NATIVE
from eval.policy.file import random_policy, write_policy
from tests.commands.running import run
from tests.lab.rival import write_rival

STOCKFISH = Path("/usr/games/stockfish")


REFERENCE_PROGRAMS = {
    "pass": "did not answer 'uci'",
    "print('uciok'); print('readyok'); print('Nodes searched 3', flush=True)": "got 'Nodes searched 3'",
}


@pytest.mark.parametrize(("program", "message"), REFERENCE_PROGRAMS.items())
def test_a_reference_engine_without_uci_is_an_error(capsys, tmp_path, program, message):
    engine = tmp_path / "engine"
    engine.write_text(f"#!{sys.executable}\n{program}\nfor line in open(0): pass\n" if "uciok" in program else
                      f"#!{sys.executable}\n{program}\n")
    engine.chmod(0o755)
    status, _, err = run(capsys, "bench", "perft", "--runs", "1", "--against", str(engine))
    assert status == 2
    assert message in err


def test_a_wrong_perft_count_of_the_reference_engine_is_an_error(capsys, tmp_path):
    engine = tmp_path / "engine"
    engine.write_text(f"#!{sys.executable}\nprint('id name \\xff'); print('uciok'); print('readyok')\n"
                      "print('Nodes searched: 3', flush=True)\nfor line in open(0): pass\n")
    engine.chmod(0o755)
    status, _, err = run(capsys, "bench", "perft", "--runs", "1", "--against", str(engine))
    assert status == 1
    assert "perft 6 of startpos must be 119060324, got 3" in err


def test_bench_prints_the_same_signature_twice(capsys):
    first, second = (run(capsys, "bench", "4")[1].splitlines() for _ in range(2))
    assert first[0].split() == ["no.", "nodes", "move", "score", "position"]
    assert len(first) == 52
    assert first[:-1] == second[:-1]
    assert re.fullmatch(r"\d+ nodes \d+ nps", first[-1])
    assert first[-1].split()[0] == second[-1].split()[0]


def test_bench_statistics_prints_the_shape_of_the_tree(capsys, tmp_path):
    """The rival prints two depths, and a bound, which is no iteration."""
    rival = write_rival(tmp_path)
    status, out, _ = run(capsys, "bench", "4", "--statistics", "--against", str(rival), "--json")
    assert status == 0
    *depths, total = map(json.loads, out.splitlines())
    signature = run(capsys, "bench", "4")[1].splitlines()[-1]
    ours = [row for row in depths if row["engine"] == "Adversary"]
    assert [row["depth"] for row in ours] == [1, 2, 3, 4]
    assert f"{ours[-1]['nodes']} nodes" in signature
    assert [row["nodes"] for row in ours] == sorted(row["nodes"] for row in ours)
    theirs = [row for row in depths if row["engine"] == "Rival"]
    assert [(row["nodes"], row["seldepth"], row["branching"]) for row in theirs] == [(1000, 2, None), (3000, 4, 2.0)]
    assert total["first_move_cutoffs"] <= total["beta_cutoffs"] and total["tt_hits"] <= total["tt_probes"]
    assert 0 < total["first_move_cutoff_rate"] <= 1 and 0 < total["tt_hit_rate"] < 1
    assert total["re_searches"] < total["reduced_searches"]
    assert "cutoffs" in run(capsys, "bench", "2", "--statistics")[1]
    assert run(capsys, "bench", "4", "--against", str(rival))[0] == 2


@pytest.mark.slow
def test_bench_startup_prints_all_costs(capsys):
    status, out, _ = run(capsys, "bench", "startup", "--runs", "1")
    assert status == 0
    warm = re.findall(r", from the cache: ([\d.]+) s CPU, [\d.]+ of `import numba`; Numba was not imported", out)
    cold = re.findall(r", compiled first: ([\d.]+) s CPU", out)
    assert len(warm) == len(cold) == 2
    assert all(2 * float(one) < float(other) for one, other in zip(warm, cold, strict=True))
    assert float(re.search(r"uciok .*: ([\d.]+) s", out)[1]) < 2


@pytest.mark.slow
@pytest.mark.skipif(not STOCKFISH.exists(), reason="stockfish is not installed")
def test_bench_perft_is_faster_than_stockfish(capsys):
    status, out, _ = run(capsys, "bench", "perft", "--runs", "1", "--against", str(STOCKFISH))
    assert status == 0
    ratio = float(re.search(r"^Stockfish.*; ratio ([\d.]+)$", out, re.MULTILINE)[1])
    assert ratio >= 1.5


def test_bench_policy_splits_the_cost(capsys, tmp_path):
    path = tmp_path / "random.policy"
    write_policy(random_policy(64, 1), path)
    status, out, _ = run(capsys, "bench", "policy", "--runs", "1", "--policy", str(path), "--json")
    found = json.loads(out)
    assert status == 0
    assert found["width"] == 64 and found["moves"] > 10
    parts = sum(found[name] for name in ("list_nanoseconds", "exchange_nanoseconds", "prior_nanoseconds"))
    assert found["nanoseconds"] == pytest.approx(parts, abs=0.5)


@pytest.mark.slow
def test_startup_measures_each_start_with_each_machine_code(capsys):
    status, out, _ = run(capsys, "bench", "startup", "--runs", "1", "--json")
    starts = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and all(start["seconds"] > 0 for start in starts)
    codes = {(start["what"], start["code"]) for start in starts}
    assert {(what, code) for what in ("perft 1", "the first move") for code in ("compiled", "cache")} <= codes
    assert starts[0]["code"] is None and starts[-1]["what"].startswith("uciok")
    assert all(start["imports_numba"] is False for start in starts if start["code"] == "cache")


@pytest.mark.slow
def test_shipped_compares_each_baseline_with_native_code(capsys):
    status, out, _ = run(capsys, "bench", "shipped", "--runs", "1", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and rows[0]["code"] == NATIVE and rows[0]["of_native"] == 1.0
    assert len({row["nodes"] for row in rows}) == 1
