"""Stockfish's network as a teacher: its file is read, its integers are exact, and its labels are those it computes."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import chess
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engine.__main__ import main  # noqa: E402
from engine.lab.arena.configs import Config  # noqa: E402
from engine.lab.arena.deep_scores import sample_of  # noqa: E402
from engine.lab.arena.training import TrainingShard  # noqa: E402
from engine.system.errors import InputError  # noqa: E402
from eval.network import nnue_teacher  # noqa: E402
from eval.network.file import read_network  # noqa: E402
from eval.network.leb128 import decode_leb128  # noqa: E402
from eval.network.model import to_device  # noqa: E402
from eval.network.nnue import UNITS_PER_PAWN, is_nnue, parse_nnue, read_nnue  # noqa: E402
from eval.network.nnue_teacher import NnueModel, NnueTeacher, fit_slope  # noqa: E402
from eval.network.samples import expected_result  # noqa: E402
from tests.eval.network import nnue_reference  # noqa: E402

WIDTH = 32


@pytest.fixture(scope="module")
def content():
    return nnue_reference.random_file(WIDTH)


@pytest.fixture(scope="module")
def network(content):
    return parse_nnue(content, [WIDTH])


def random_boards(games: int) -> list[chess.Board]:
    """Positions of random games, with either side to move."""
    rng, boards = random.Random(5), []
    for _ in range(games):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 150:
            board.push(rng.choice(list(board.legal_moves)))
            if rng.random() < 0.1:
                boards.append(board.copy(stack=False))
    return boards


def test_batches_equal_the_definition(network):
    boards = random_boards(20)
    assert {board.turn for board in boards} == {True, False}
    assert {(len(board.piece_map()) - 1) // 4 for board in boards} >= {2, 4, 6, 7}
    rows = to_device(np.concatenate([sample_of(board) for board in boards]), "cpu")
    expected = [nnue_reference.units(network, board) for board in boards]
    assert len(set(expected)) > len(boards) // 2
    assert NnueModel(network, "cpu").units(rows).tolist() == expected


def test_anything_else_is_refused_in_one_line(content, tmp_path):
    path = tmp_path / "teacher.nnue"
    for damaged, message in (
            (content[:-1], "truncated"), (content + b"x", "1 bytes follow"), (b"\0" + content[1:], "version"),
            (content[:5] + b"\0" + content[6:], "another architecture"), (content[:2], "truncated"),
            (content[:8] + b"\xff\xff\xff\xff" + content[12:], "damaged")):
        with pytest.raises(InputError, match=message):
            parse_nnue(damaged, [WIDTH])
    path.write_bytes(content)
    assert is_nnue(path)
    with pytest.raises(InputError, match=r"teacher\.nnue: .*another architecture"):
        read_nnue(path)  # which expects the widths of Stockfish's own


def test_compressed_blocks_are_read_like_plain_ones(network):
    compressed = parse_nnue(nnue_reference.random_file(WIDTH, is_compressed=True), [WIDTH])
    for name in ("biases", "weights", "psqt"):
        assert np.array_equal(getattr(compressed, name), getattr(network, name))
    assert np.array_equal(compressed.stacks[7].first_weights, network.stacks[7].first_weights)


def test_leb128_equals_its_definition():
    rng = np.random.default_rng(3)
    numbers = np.concatenate([rng.integers(-(1 << bits), 1 << bits, 50) for bits in range(31)] + [[-(1 << 31)]])
    encoded = np.frombuffer(nnue_reference.leb128(numbers), np.uint8)
    assert np.array_equal(decode_leb128(encoded, "<i4", len(numbers)), numbers)
    assert len(decode_leb128(encoded[:0], "<i4", 0)) == 0
    for damaged, count, dtype, message in (
            (encoded[:-1], len(numbers), "<i4", f"instead of {len(numbers)}"), (encoded, 9, "<i4", "instead of 9"),
            (encoded, len(numbers), "<i2", "does not fit 16 bits"),
            (np.array([0x80] * 5 + [1], np.uint8), 1, "<i4", "of 6 bytes")):
        with pytest.raises(InputError, match=message):
            decode_leb128(damaged, dtype, count)


def test_labels_are_its_scores_on_the_students_scale(network):
    samples = np.concatenate([sample_of(board) for board in random_boards(10)])
    teacher = NnueTeacher(network, "cpu")
    units = NnueModel(network, "cpu").units(to_device(samples, "cpu")).numpy()
    expected = expected_result(0.6 * units * 100 / UNITS_PER_PAWN, 140.0)
    teacher.calibrate(samples, expected)
    assert teacher.centipawns_per_logit == pytest.approx(140 / 0.6, rel=1e-3)
    near = np.abs(units) < 5 * UNITS_PER_PAWN
    labelled = teacher.label(samples, 140.0)
    assert np.abs(labelled["score"][near] - 60 * units[near] / UNITS_PER_PAWN).max() <= 1


def test_the_slope_is_found():
    logits = np.random.default_rng(1).normal(0, 2, 5000)
    for slope in (0.2, 0.9, 3.0):
        assert fit_slope(logits, expected_result(slope * logits, 1.0)) == pytest.approx(slope, rel=1e-6)


def test_it_labels_games_and_what_is_mixed_in(content, tmp_path, capsys, monkeypatch):
    games = tmp_path / "games.bin"
    games.write_bytes(b"".join(TrainingShard(number, 20, 60, 4, Config())().content for number in range(2)))
    teacher, network = tmp_path / "teacher.nnue", tmp_path / "one.network"
    teacher.write_bytes(content)
    words = ["tune", "network", str(games), "--hidden", "128", "--epochs", "2", "--batch", "256", "--held-out", "5",
             "--teacher", str(teacher), "--teacher-weight", "1", "--mix", "leaves:3000:60", "--mix", "neighbours:2000",
             "--out", str(network)]
    assert main([*words, "--wdl-weight", "0"]) == 2
    assert "another architecture" in capsys.readouterr().err  # the widths of Stockfish's network are fixed
    monkeypatch.setattr(nnue_teacher, "read_nnue", lambda path: parse_nnue(path.read_bytes(), [WIDTH]))
    assert main(words) == 2
    assert "--mix requires --wdl-weight 0" in capsys.readouterr().err
    assert main([*words, "--wdl-weight", "0"]) == 0
    said = capsys.readouterr().out
    for origin in ("leaves", "neighbours"):
        assert f" {origin} drawn and labelled in " in said and f" held-out {origin}: 0.0" in said
    assert "--mix leaves:3000:60 --mix neighbours:2000" in read_network(network).provenance["command"]
    assert main([*words[:-1], str(tmp_path / "next.network"), "--wdl-weight", "0", "--start", str(network)]) == 0
    assert "start on " in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("stockfish", path="/usr/games:/usr/local/bin:/usr/bin") is None,
                    reason="needs Stockfish 15.1")
def test_stockfish_itself_agrees(tmp_path):
    program = shutil.which("stockfish", path="/usr/games:/usr/local/bin:/usr/bin")
    boards = [board for board in random_boards(12) if not board.is_check()]
    questions = [f"position fen {board.fen()}\neval" for board in boards]
    commands = [f"export_net {tmp_path / 'sf.nnue'}", *questions, "quit"]
    printed = subprocess.run([program], input="\n".join(commands), capture_output=True, text=True, timeout=120,
                             check=True).stdout
    if "Stockfish 15.1" not in printed:
        pytest.skip("another version of Stockfish")
    shown = [float(value) for value in re.findall(r"^NNUE evaluation +([-+][\d.]+)", printed, re.MULTILINE)]
    rows = to_device(np.concatenate([sample_of(board) for board in boards]), "cpu")
    units = NnueModel(read_nnue(tmp_path / "sf.nnue"), "cpu").units(rows).numpy()
    pawns = [value / UNITS_PER_PAWN * (1 if board.turn else -1) for value, board in zip(units, boards, strict=True)]
    assert len(shown) == len(boards) > 100
    assert shown == pytest.approx(pawns, abs=0.0101)  # rounded to whole units, then to two digits
