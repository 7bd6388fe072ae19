"""`tune` and `selfplay`, which feeds it, as their users see them."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.__main__ import main
from engine.core.fen import START_FEN, parse_fen
from engine.lab.arena.game_file import pack_block, read_games
from engine.lab.arena.game_rows import pack_position
from engine.lab.arena.spsa import SpsaRun
from eval.network.file import read_network, write_network
from eval.networks import BUILT_IN_FILE
from eval.policy.file import random_policy, read_policy, write_policy
from eval.weight_file import read_weight_file
from tests.commands.running import run


def test_training_games_are_appended_and_continue_after_damage(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("engine.lab.selfplay.games_per_shard", lambda nodes, config: 4)
    path = tmp_path / "games.bin"
    options = ["--nodes", "100", "--concurrency", "2", "--out", str(path)]
    status, out, _ = run(capsys, "selfplay", "--positions", "300", *options)
    assert status == 0 and "Mnps" in out
    first = path.read_bytes()
    assert run(capsys, "selfplay", "--positions", "300", *options)[0] == 0  # it has enough
    assert path.read_bytes() == first
    path.write_bytes(first + first[:50])  # the process died while it wrote
    status, _, err = run(capsys, "selfplay", "--stats", str(path))
    assert status == 1 and f"damaged at byte {len(first)}" in err
    status, _, err = run(capsys, "selfplay", "--positions", "1000", *options)
    assert status == 0 and f"damaged at byte {len(first)}" in err
    grown = path.read_bytes()
    assert grown.startswith(first)
    assert sum(block.positions for block in read_games(path)) >= 1000
    other = tmp_path / "other.bin"
    run(capsys, "selfplay", "--positions", "1000", *options[:2], "--concurrency", "1", "--out", str(other))
    assert other.read_bytes() == grown  # however many threads played, and however often it was interrupted
    status, out, _ = run(capsys, "selfplay", "--stats", str(path))
    assert status == 0 and "bytes per position" in out and "white wins" in out


def test_training_games_from_openings_can_be_interrupted(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("engine.lab.selfplay.games_per_shard", lambda nodes, config: 2)
    openings, whole, parts = (tmp_path / name for name in ("openings.epd", "whole.bin", "parts.bin"))
    openings.write_text("8/5k2/8/8/8/2K5/4P3/8 w - -\nnonsense\n8/5k2/3p4/8/8/2K5/4P3/8 w - -\n"
                        "4k3/4p3/8/8/8/8/4P3/4K3 b - -\n")
    options = ["--nodes", "50", "--openings", str(openings), "--concurrency", "1"]
    status, _, err = run(capsys, "selfplay", "--positions", "400", *options, "--out", str(whole))
    assert status == 0 and "skipped" in err and "line 2" in err
    for positions in ("100", "400"):
        run(capsys, "selfplay", "--positions", positions, *options, "--out", str(parts))
    assert parts.read_bytes() == whole.read_bytes()


def test_a_tuning_run_is_resumed(tmp_path: Path, capsys, monkeypatch):
    pytest.importorskip("rich")
    out, checkpoints, save = tmp_path / "run", list[str](), SpsaRun.save

    def save_and_keep(spsa_run: SpsaRun, path: Path) -> None:
        save(spsa_run, path)
        checkpoints.append(path.read_text())

    monkeypatch.setattr(SpsaRun, "save", save_and_keep)
    options = ["--params", "rfp_margin,lmr_base", "--batch", "2", "--nodes", "100", "--concurrency", "2"]
    status, said, _ = run(capsys, "tune", "search", "--pairs", "4", *options, "--out", str(out))
    assert status == 0
    assert [line.split("=")[0] for line in said.splitlines()] == ["rfp_margin", "lmr_base"]
    assert (tmp_path / "run.txt").read_text() == said
    checkpoint = tmp_path / "run.json"
    whole = json.loads(checkpoint.read_text())
    assert whole["played"] == 4 and len(whole["history"]) == 2
    checkpoint.write_text(checkpoints[0])  # broken off after the first batch
    assert json.loads(checkpoints[0])["played"] == 2
    assert run(capsys, "tune", "search", *options, "--out", str(out))[0] == 2  # it would be overwritten
    assert run(capsys, "tune", "search", "--out", str(out), "--resume")[0] == 0
    assert json.loads(checkpoint.read_text()) == whole


def test_a_tuning_run_reports_its_gain_after_every_window(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("engine.lab.arena.spsa.WINDOW", 2)
    out = run(capsys, "tune", "search", "--params", "rfp_margin", "--pairs", "6", "--batch", "2", "--nodes", "100",
              "--rate", "1", "--out", str(tmp_path / "run"))[1]
    reports = [line for line in out.splitlines() if "games:" in line]
    assert [line.split(":")[0] for line in reports] == ["4 games", "8 games", "12 games"]
    judged = [re.fullmatch(r"\d+ games: moved (?:nothing yet|rfp_margin -?[\d.e+]+ \([+-][\d.]+\)); (?:no estimate yet|"
                           r"estimated gain of the values after (\d+) games [+-][\d.]+ \+- [\d.]+ Elo)", line)
              for line in reports]
    assert [match and match[1] for match in judged] == [None, "4", "8"] and all(judged)  # no later games judge the last


def test_the_run_can_be_drawn(tmp_path: Path, capsys):
    pytest.importorskip("matplotlib")
    status, _, _ = run(capsys, "tune", "search", "--params", "rfp_margin", "--pairs", "2", "--batch", "1", "--nodes",
                       "50", "--out", str(tmp_path / "run"), "--plot", str(tmp_path / "run.png"))
    assert status == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("words", "message"), [
    (("selfplay",), "needs --out with --positions or --minutes"),
    (("selfplay", "--positions", "0", "--out", "x"), "--positions: must be at least 1"),
    (("selfplay", "--positions", "5", "--out", "/no/such/folder/x"), "no folder /no/such/folder"),
    (("selfplay", "--positions", "5", "--out", "x", "--openings", "/no/such.epd"), "cannot read /no/such.epd"),
    (("selfplay", "--positions", "5", "--out", "x", "--mode", "mcts", "--openings", __file__), "alphabeta only"),
    (("selfplay", "--stats", "/no/such/file"), "cannot read /no/such/file"),
    (("selfplay", "--positions", "5", "--out", "no_such_file", "--config", "no_such=1"), "unknown search parameter"),
    (("tune",), "required: WHAT"),
    (("tune", "dance"), "invalid choice"),
    (("tune", "weights", "--out", "x"), "required: FILE"),
    (("tune", "weights", "/no/such/file", "--out", "x"), "cannot read /no/such/file"),
    (("tune", "weights", os.devnull, "--out", "x"), "it is not a plain file"),
    (("tune", "weights", sys.executable, "--out", "x"), "damaged at byte 0"),
    (("tune", "weights", sys.executable, "--out", "x", "--wdl-weight", "2"), "--wdl-weight: must be from 0 to 1"),
    (("tune", "weights", sys.executable, "--out", "x", "--start", "/no/such.json"), "cannot read /no/such.json"),
    (("tune", "wdl", sys.executable, "--out", "x"), "damaged at byte 0"),
    (("tune", "wdl", "/no/such/file", "--out", "x"), "cannot read /no/such/file"),
    (("tune", "wdl", sys.executable, "--out", "x", "--network", "/no/such"), "cannot read /no/such"),
    (("tune", "policy", sys.executable), "needs --out"),
    (("tune", "policy", sys.executable, "--evaluate", sys.executable), "it is not a policy file"),
    (("tune", "policy", sys.executable, "--out", "x", "--hidden", "100"), "must be a multiple of 64"),
    (("tune", "policy", sys.executable, "--out", "x", "--shard", "0"), "--shard: must be from 1e-06 to 10000"),
    (("tune", "policy", sys.executable, "--out", "x", "--device", "abacus"), "--device"),
    (("tune", "search"), "required: --out"),
    (("tune", "search", "--out", "x", "--pairs", "0"), "--pairs: must be at least 1"),
    (("tune", "search", "--out", "x", "--rate", "2"), "--rate: must be above 0 and at most 1"),
    (("tune", "search", "--out", "x", "--params", "no_such"), "unknown search parameter"),
    (("tune", "search", "--out", "x", "--params", "use_iir"), "is a switch"),
    (("tune", "search", "--out", "/no/such/folder/x"), "no folder"),
    (("tune", "search", "--out", "."), "has no file name"),
    (("tune", "search", "--out", "/no_such_checkpoint", "--resume"), "cannot read /no_such_checkpoint.json"),
])
def test_bad_input_is_one_line_and_status_2(words, message, capsys):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.slow
def test_without_its_reductions_the_engine_is_rejected(capsys):
    status, out, _ = run(capsys, "match", "use_late_move_reductions=0", "default", "--sprt", "0", "5",
                          "--games", "20000")
    assert status == 0
    assert "+5 rejected" in out


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of games for all tests that read one: playing them takes seconds."""
    path = tmp_path_factory.mktemp("selfplay") / "games.bin"
    assert main(["selfplay", "--positions", "30000", "--nodes", "20", "--seed", "3", "--out", str(path)]) == 0
    return path


def test_the_wdl_model_of_a_network_is_fitted_to_games(tmp_path: Path, capsys, games):
    given, found = (tmp_path / name for name in ("given.network", "found.network"))
    write_network(replace(read_network(BUILT_IN_FILE), outcome=None), given)
    status, out, _ = run(capsys, "tune", "wdl", str(games), "--network", str(given), "--out", str(found),
                         "--games", "500", "--nodes", "50")
    assert status == 0 and out.startswith("500 positions; half of the games are won at")
    before, after = read_network(given), read_network(found)
    assert before.outcome is None and after.outcome is not None
    assert (after.feature_weights == before.feature_weights).all() and after.scale == before.scale
    assert run(capsys, "tune", "wdl", str(games), "--network", str(given), "--out", str(found), "--games", "400",
               "--nodes", "10", "--scale", "123")[0] == 0
    after = read_network(found)
    assert after.scale == 123 and after.provenance["scale"].endswith("to 123 by tune wdl")
    fit = after.provenance["outcome"]
    assert fit["command"] == "tune wdl games.bin --games 400 --nodes 10 --scale 123 --seed 1"
    assert fit["result"].startswith("400 positions; half of the games are won at")


def test_too_few_games_are_an_error(tmp_path: Path, capsys, games):
    empty, found = tmp_path / "empty.bin", tmp_path / "found.network"
    status, out, err = run(capsys, "tune", "wdl", str(games), "--out", str(found), "--nodes", "10", "--games", "9")
    assert (status, out) == (2, "") and "too few games" in err and err.count("\n") == 1
    assert run(capsys, "tune", "wdl", str(games), "--out", str(found), "--scale", "10001")[0] == 2
    empty.write_bytes(b"")
    status, _, err = run(capsys, "tune", "wdl", str(empty), "--out", str(found))
    assert status == 2 and "no games in empty.bin" in err
    assert not found.exists()


def test_games_before_the_damage_are_searched(tmp_path: Path, capsys, games):
    torn, found = (tmp_path / name for name in ("torn.bin", "found.network"))
    torn.write_bytes(games.read_bytes() + games.read_bytes()[:-7])
    status, out, err = run(capsys, "tune", "wdl", str(torn), "--out", str(found), "--nodes", "10")
    assert status == 0 and "positions; half of the games are won at" in out and "damaged" in err
    assert read_network(found).outcome is not None


def test_compact_games_teach_like_others(tmp_path: Path, capsys, games):
    compact = tmp_path / "compact.games.xz"
    status, out, _ = run(capsys, "selfplay", "--compact", str(games), "--out", str(compact))
    assert status == 0 and compact.stat().st_size < 0.5 * games.stat().st_size
    assert out.startswith(f"{sum(len(block.rows) for block in read_games(games))} games, ")
    policies = []
    for path in (games, compact):
        policies.append(tmp_path / f"{path.name}.policy")
        assert run(capsys, "tune", "policy", str(path), "--held-out", "2", "--positions", "0", "--epochs", "1",
                   "--device", "cpu", "--hidden", "64", "--out", str(policies[-1]))[0] == 0
    one, other = (read_policy(path).from_to_weights for path in policies)
    assert np.array_equal(one, other)
    compact.write_bytes(compact.read_bytes()[:-40])
    status, _, err = run(capsys, "selfplay", "--compact", str(compact), "--out", str(tmp_path / "again.games"))
    assert status in (1, 2) and err.count("\n") == 1


def test_a_policy_is_compared_with_searches(tmp_path: Path, capsys, games):
    policy = tmp_path / "random.policy"
    write_policy(random_policy(64, 1), policy)
    words = ("tune", "policy", str(games), "--evaluate", str(policy), "--held-out", "2", "--positions", "10",
             "--nodes", "99")
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert re.fullmatch(r"a search of 99 nodes plays the policy's first choice in \d+\.\d % \+- \d+\.\d % of 10 "
                        r"positions of held-out games\n", out)
    assert run(capsys, *words)[1] == out


def test_a_policy_is_trained_on(tmp_path: Path, capsys, games):
    first, second = (tmp_path / name for name in ("first.policy", "second.policy"))
    write_policy(random_policy(64, 1), first)
    words = ("tune", "policy", str(games), "--held-out", "2", "--positions", "0", "--epochs", "1", "--device", "cpu",
             "--learning-rate", "1e-9", "--start", str(first), "--out", str(second))
    assert run(capsys, *words)[0] == 0
    found = read_policy(second)
    assert np.array_equal(found.from_to_weights, read_policy(first).from_to_weights)  # steps too small to be seen
    assert found.provenance["start"] == {} and "--start first.policy" in found.provenance["command"]
    assert run(capsys, *words, "--hidden", "192")[0] == 2


LABELLED = """4k3/8/8/8/8/8/4P3/4K3 w - - c9 "1-0";
4k3/4p3/8/8/8/8/8/4K3 b - - c9 "0-1";
nonsense
4k3/8/8/8/8/8/8/4K2R w K - c9 "1/2-1/2";
"""


def test_labelled_positions_are_accepted(tmp_path: Path, capsys):
    path = tmp_path / "quiet.epd.gz"
    path.write_bytes(gzip.compress((LABELLED * 100).encode()))
    out = tmp_path / "weights.json"
    status, said, err = run(capsys, "tune", "weights", str(path), "--out", str(out), "--epochs", "2", "--wdl-weight",
                            "1")
    assert status == 0
    assert said.startswith("300 quiet positions")
    assert f"skipped {path}, line 3: no position with a result in 'nonsense'" in err
    assert "cannot fit a WDL model" in err and read_weight_file(out).outcome == read_weight_file().outcome
    games = tmp_path / "games.bin"
    games.write_bytes(b"")
    status, said, err = run(capsys, "tune", "weights", str(path), str(games), "--out", str(out))
    assert (status, said) == (2, "")
    assert "cannot be mixed" in err


def test_games_without_moves_are_accepted(tmp_path: Path, capsys):
    path = tmp_path / "games.bin"
    row = pack_position(parse_fen(START_FEN))
    nothing = np.zeros(0, np.uint16)
    path.write_bytes(pack_block([row, row], nothing, nothing))
    status, out, err = run(capsys, "selfplay", "--stats", str(path))
    assert (status, err) == (0, "")
    assert "2 games, 0 positions" in out
    status, out, err = run(capsys, "tune", "weights", str(path), "--out", str(tmp_path / "weights.json"))
    assert (status, out) == (2, "")
    assert "no quiet positions" in err
