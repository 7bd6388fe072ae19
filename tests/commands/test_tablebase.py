"""`tablebase` as its users see it."""

from __future__ import annotations

import json
import shutil

import chess
import pytest

from engine.lab.tablebase import speed
from tablebase.tables import BUILT_IN
from tests.commands.running import run
from tests.positions import DATA

SYZYGY = DATA / "endgame" / "syzygy"


@pytest.fixture
def folder(tmp_path):
    for path in BUILT_IN.glob("*.tables"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_tables_are_built_and_used(capsys, tmp_path):
    out = tmp_path / "made"
    status, text, err = run(capsys, "tablebase", "build", "KQvK", "--out", str(out), "--threads", "2")
    assert (status, err) == (0, "")
    assert "KQvK" in text and "every position checked" in text and "s CPU in total" in text
    assert {path.name for path in out.iterdir()} == {"wdl.tables", "dtm.tables", "dtz.tables", "values"}
    assert text.endswith(f"{out / 'values'} lets other builds continue from these; it may be deleted\n")
    status, text, _ = run(capsys, "tablebase", "probe", "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1", "--tables", str(out))
    assert status == 0 and "white to move wins: mate in 10 moves, 19 plies" in text
    status, text, _ = run(capsys, "tablebase", "stats", "--tables", str(out))
    assert status == 0 and "1 endings" in text and "20 plies" in text


def test_a_later_build_keeps_the_tables_that_are_there(capsys, tmp_path):
    """Also if the uncompressed values, which take most of the space, were deleted in between."""
    out = tmp_path / "made"
    for ending in ("KRvK", "KQvK", "KNvK"):
        assert run(capsys, "tablebase", "build", ending, "--out", str(out))[0] == 0
        shutil.rmtree(out / "values")
    _, text, _ = run(capsys, "tablebase", "stats", "--json", "--tables", str(out))
    objects = [json.loads(line) for line in text.splitlines()]
    longest = {row["ending"]: row["longest"] for row in objects if row["turn"] == "white" and row["wins"]}
    assert {row["ending"] for row in objects} == {"KRvK", "KQvK", "KNvK"}
    assert longest == {"KRvK": 31, "KQvK": 19}  # mate in 16 and in 10
    status, text, _ = run(capsys, "tablebase", "verify", "--tables", str(out))
    assert (status, text) == (0, "3 WDL tables, 3 DTM tables, 3 DTZ tables: all blocks are sound\n")


def test_a_build_refuses_a_folder_with_a_foreign_file_before_it_begins(capsys, tmp_path):
    (tmp_path / "wdl.tables").write_bytes(b"foreign")
    status, out, err = run(capsys, "tablebase", "build", "KQvK", "--out", str(tmp_path))
    assert (status, out) == (2, "")
    assert err == f"error: {tmp_path / 'wdl.tables'} is not a file of endgame tables\n"
    assert (tmp_path / "wdl.tables").read_bytes() == b"foreign"


def test_a_probe_shows_every_legal_move(capsys):
    status, text, _ = run(capsys, "tablebase", "probe", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1")
    assert status == 0
    assert text.splitlines()[1:] == ["white to move draws: stalemate"], "there are no moves to list"
    _, text, _ = run(capsys, "tablebase", "probe", "7k/8/6K1/8/8/8/Q7/8 w - - 0 1")
    lines = text.splitlines()
    assert "mate in 1 move, 1 ply" in lines[1]
    board = chess.Board("7k/8/6K1/8/8/8/Q7/8 w - - 0 1")
    assert {line.split()[0] for line in lines[3:]} == {board.san(move) for move in board.legal_moves}
    assert lines[3].split()[0].endswith("#")
    _, text, _ = run(capsys, "tablebase", "probe", "8/8/8/8/k2pP3/8/8/K7 b - e3 0 1")
    assert "dxe3" in text


def test_a_probe_respects_the_fifty_move_rule(capsys):
    _, text, _ = run(capsys, "tablebase", "probe", "8/8/8/5k2/8/8/1Q6/K7 w - - 81 120")
    assert "white to move wins: mate in 10 moves, 19 plies" in text
    _, text, _ = run(capsys, "tablebase", "probe", "8/8/8/5k2/8/8/1Q6/K7 w - - 82 120")
    assert "white to move draws: the fifty-move rule" in text
    _, text, _ = run(capsys, "tablebase", "probe", "8/K7/8/8/8/1k6/8/3q3B b - - 95 100")
    assert "black to move wins: mate in 7 moves, 13 plies" in text and text.splitlines()[3].startswith("Qxh1")


@pytest.mark.parametrize(("words", "reason"), [
    (("build", "KXvK"), "ending must list"), (("build", "KQQQvKQQ"), "3 to 5 pieces"),
    (("build", "KQvK", "--threads", "0"), "--threads"), (("probe", "nonsense"), "FEN"),
    (("probe", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "it has 32 pieces, and the tables go"),
    (("probe", "8/8/8/8/8/4k3/8/R3K3 w Q - 0 1"), "castling is still possible"),
    (("probe", "8/8/8/8/8/4k3/8/4K3 w - - 0 1"), "bare kings"),
    (("stats", "--tables", "/no/such/folder"), "no folder")])
def test_bad_input_is_one_line(capsys, words, reason):
    status, out, err = run(capsys, "tablebase", *words)
    assert status == 2 and out == ""
    assert err.startswith("error: ") and reason in err and err.count("\n") == 1


def test_verify_finds_damage(capsys, folder, tmp_path):
    status, text, _ = run(capsys, "tablebase", "verify", "--tables", str(folder))
    assert status == 0 and "all blocks are sound" in text
    path = folder / "wdl.tables"
    content = bytearray(path.read_bytes())
    content[-100] ^= 255
    path.write_bytes(content)
    status, text, err = run(capsys, "tablebase", "verify", "--tables", str(folder))
    assert status == 1 and "damaged" in text
    assert "wrong checksum" in err and err.count("\n") == 1
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(capsys, "tablebase", "verify", "--tables", str(empty))[0] == 2


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="needs Syzygy tables")
def test_verify_compares_with_syzygy(capsys):
    status, text, _ = run(capsys, "tablebase", "verify", "--syzygy", str(SYZYGY), "--positions", "500")
    assert status == 0 and "500 random positions of 35 endings: 0 differ" in text
    assert "fifty-move counter" in text.splitlines()[2] and text.splitlines()[2].endswith("0 differ from Syzygy")


def test_the_time_of_a_probe_is_measured(capsys, monkeypatch):
    for name, value in {"_SEARCH_NODES": 10_000, "_SEARCH_ROUNDS": 1, "_HOT_ROUNDS": 10_000, "_COLD_ROUNDS": 1}.items():
        monkeypatch.setattr(speed, name, value)
    status, text, _ = run(capsys, "tablebase", "speed")
    assert status == 0
    hot, cold = (float(line.split()[1]) for line in text.splitlines()[:2])
    assert 0 < hot < cold
    assert "with tables" in text.splitlines()[2]
