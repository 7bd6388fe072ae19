"""The manifest tells who played the games of a file, and notices when the file is another one."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from engine.lab.arena.game_file import read_games
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.manifest import manifest_of
from eval.networks import BUILT_IN_FILE
from tests.commands.running import run


@pytest.fixture(autouse=True)
def _short_shards(monkeypatch):
    monkeypatch.setattr("engine.lab.selfplay.games_per_shard", lambda nodes, config: 3)


def play(capsys, path, *words):
    return run(capsys, "selfplay", "--nodes", "50", "--concurrency", "1", "--out", str(path), *words)


def test_each_run_is_entered(tmp_path, capsys):
    path = tmp_path / "a.games"
    assert play(capsys, path, "--positions", "200", "--seed", "7")[0] == 0
    assert play(capsys, path, "--positions", "500", "--seed", "7", "--adjudicate", "0")[0] == 0
    assert play(capsys, path, "--positions", "500", "--seed", "7")[0] == 0  # it has enough: no run
    content = json.loads(manifest_of(path).read_text())
    blocks = list(read_games(path))
    assert content["checksum"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert content["positions"] == sum(block.positions for block in blocks)
    first, second = content["runs"]
    assert (first["seed"], first["nodes"], first["adjudicate"], second["adjudicate"]) == (7, 50, 400, 0)
    assert first["games"] + second["games"] == sum(len(block.rows) for block in blocks)
    assert first["positions"] + second["positions"] == content["positions"]
    assert hashlib.sha256(BUILT_IN_FILE.read_bytes()).hexdigest().startswith(first["network"])
    status, said, _ = run(capsys, "selfplay", "--stats", str(path))
    assert status == 0 and f"network {first['network']}" in said and "seed 7" in said


def test_another_file_under_the_same_name_is_noticed(tmp_path, capsys):
    path, other = tmp_path / "a.games", tmp_path / "b.games"
    play(capsys, path, "--positions", "100", "--seed", "1")
    play(capsys, other, "--positions", "100", "--seed", "2")
    path.write_bytes(other.read_bytes())
    status, said, complaint = run(capsys, "selfplay", "--stats", str(path))
    assert status == 1 and "games" in said and f"does not have the checksum in {manifest_of(path)}" in complaint


@pytest.mark.parametrize("text", ["", "{", "[]", '{"runs": 3}', '{"runs": [3]}'])
def test_a_damaged_manifest_stops_before_any_game(tmp_path, capsys, text):
    path = tmp_path / "a.games"
    manifest_of(path).write_text(text)
    status, _, complaint = play(capsys, path, "--positions", "100")
    assert status == 2 and "cannot read the manifest" in complaint and complaint.count("\n") == 1
    assert not path.exists() and manifest_of(path).read_text() == text


def test_a_share_of_the_games_begins_in_chess960(tmp_path, capsys):
    openings, path, parts = tmp_path / "o.epd", tmp_path / "a.games", tmp_path / "b.games"
    openings.write_text("8/5k2/3p4/8/8/2K5/4P3/8 w - -\n4k3/4p3/8/8/8/8/4P3/4K3 b - -\n")
    words = ["--openings", str(openings), "--chess960-share", "0.25", "--seed", "3"]
    assert play(capsys, path, "--positions", "1200", *words)[0] == 0
    blocks = list(read_games(path))
    full = np.array([[int(row["occupied"]).bit_count() > 20 for row in block.rows] for block in blocks])
    assert full.all(1).tolist() == [number % 4 == 3 for number in range(len(blocks))] and len(blocks) > 7
    assert not full.any(1)[~full.all(1)].any()
    rooks = [unpack_position(row).castling_rights for block in blocks[3::4] for row in block.rows]
    assert len(set(rooks)) > 2  # other castling rights than those of the normal start
    for positions in ("500", "1200"):
        play(capsys, parts, "--positions", positions, *words)
    assert parts.read_bytes() == path.read_bytes()


def test_shares_do_not_go_with_other_starts(tmp_path, capsys):
    path = tmp_path / "a.games"
    assert play(capsys, path, "--positions", "10", "--chess960", "--chess960-share", "0.5")[0] == 2
    assert play(capsys, path, "--positions", "10", "--mode", "uct", "--chess960-share", "0.5")[0] == 2
    assert not path.exists()
