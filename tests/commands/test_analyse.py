"""`analyse` as its users see it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os

import chess
import pytest

from engine.kernel import SOURCE_ROOT
from tests.commands.running import run


def test_the_best_moves_of_a_position(capsys):
    status, out, err = run(capsys, "analyse", "--moves", "e4", "e7e5", "Nf3", "--depth", "4", "--multipv", "2")
    assert (status, err) == (0, "")
    assert "black to move: rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2" in out
    assert "opening: C40 King's Knight Opening" in out
    rows = out[out.index("move  score"):].splitlines()
    assert len(rows) == 4 and "2..." in rows[1]
    assert rows[3].startswith("scores are White's")


def test_a_mate_and_the_verdict_of_the_tables_are_printed(capsys):
    _, out, _ = run(capsys, "analyse", "8/8/8/8/8/5k2/7q/5K2 b - - 0 1", "--depth", "3")
    assert "endgame tables: Black wins: mate in 1" in out
    assert "#-1" in out
    _, out, _ = run(capsys, "analyse", "7k/5Q2/6K1/8/8/8/8/8", "b", "-", "-")
    assert "stalemate: Black has no move, the game is drawn" in out
    _, out, _ = run(capsys, "analyse", "8/8/8/3k4/8/3K4/4R3/8 w - - 150 200")
    assert out.endswith("the game is drawn by the 75-move rule\n")
    _, out, _ = run(capsys, "analyse", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert "white to move, in check" in out and "checkmate: Black has won" in out


def test_a_long_mate_is_shown_to_its_end_and_other_lines_are_cut(capsys):
    _, out, _ = run(capsys, "analyse", "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1", "--depth", "3", "--multipv", "1")
    [row] = [line for line in out.splitlines() if " 1. " in line]
    assert row.split()[1] == "#10" and " 10. " in row and row.endswith("#"), row
    _, out, _ = run(capsys, "analyse", "--depth", "12", "--multipv", "1")
    assert " 9. " not in out[out.index("line"):]


def test_a_file_gives_one_json_object_per_position(capsys, tmp_path):
    path = tmp_path / "three.epd"
    path.write_text('6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#;\nnonsense\n4k3/8/8/8/8/8/8/4K2R w K - id "x";\n')
    status, out, err = run(capsys, "analyse", str(path), "--nodes", "2000", "--json")
    assert status == 1 and "line 2" in err
    first, second = (json.loads(line) for line in out.splitlines())
    assert first["lines"][0]["mate"] == 1 and first["lines"][0]["line"] == ["Ra8#"]
    assert len({line["move"] for line in first["lines"]}) == len(first["lines"])
    assert second["table"] is None, "no table knows of castling"
    for line in second["lines"]:
        board = chess.Board(second["fen"])
        for text in line["uci"]:
            board.push_uci(text)
        assert sum(line["wdl"]) == 1000


def test_a_file_may_hold_fens_with_their_counters(capsys, tmp_path):
    path = tmp_path / "positions"
    path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q - 99 80\n4k3/8/8/8/8/8/4P3/R3K3 b - - 3 80;\n")
    status, out, err = run(capsys, "analyse", str(path), "--depth", "2", "--json")
    assert (status, err) == (0, "")
    first, second = (json.loads(line) for line in out.splitlines())
    assert first["fen"].endswith(" 99 80") and second["fen"].endswith(" 3 80")
    assert first["lines"][0]["centipawns"] == 0, "the next move ends the game"


@pytest.mark.parametrize(("name", "pack"), [("a.epd.gz", gzip.compress), ("a.epd.xz", lzma.compress),
                                            ("a.epd.bz2", bz2.compress)])
def test_a_file_may_be_packed(capsys, tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(b"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#;\n\n4k3/8/8/8/8/8/4P3/R3K3 b - - 3 80\n"))
    status, out, err = run(capsys, "analyse", str(path), "--depth", "2", "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line)["fen"].split()[1] for line in out.splitlines()] == ["w", "b"]
    path.write_bytes(path.read_bytes()[:-20])
    status, out, err = run(capsys, "analyse", str(path))
    assert (status, out) == (2, "") and "is damaged" in err and err.count("\n") == 1


def test_a_file_of_games_is_refused_in_one_line(capsys, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 *\n')
    status, out, err = run(capsys, "analyse", str(path))
    assert (status, out) == (2, "")
    assert err == f"error: {path} holds games, not positions: `adversary annotate` analyses them\n"


def test_moves_may_stand_in_one_text(capsys):
    _, out, _ = run(capsys, "analyse", "--moves", "1.e4 e5 2. Nf3", "--depth", "2")
    assert "black to move: rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2" in out


def test_bare_kings_are_a_draw(capsys):
    _, out, _ = run(capsys, "analyse", "7k/8/8/8/8/8/8/K7 w - - 0 1", "--depth", "2")
    assert out.splitlines()[-1] == "neither side can mate: the game is drawn"


def test_a_position_may_come_with_a_long_game(capsys):
    moves = "g1f3 g8f6 f3g1 f6g8 " * 20
    status, out, err = run(capsys, "analyse", "startpos", "moves", *moves.split(), "--depth", "1")
    assert (status, err) == (0, "") and "80 41" in out


@pytest.mark.parametrize(("words", "message"), [
    ((str(SOURCE_ROOT),), "it is a folder"),
    ((os.devnull,), "it is not a plain file"),
    (("nonsense",), "FEN"),
    (("--moves", "e5"), "'e5' is not a legal move"),
    (("--depth", "0"), "--depth: must be from 1"),
    (("none.epd",), "cannot read none.epd"),
    (("--multipv", "0"), "--multipv: must be from 1"),
])
def test_bad_input_gets_one_line(capsys, words, message):
    status, out, err = run(capsys, "analyse", *words)
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


def test_the_american_spelling_is_understood(capsys):
    assert run(capsys, "analyze", "--depth", "1")[0] == 0
    status, out, _ = run(capsys, "analyze", "--help")
    assert status == 0 and out.startswith("usage: adversary analyse ")
