"""Networks are compared on positions that none of them has learned from."""

from __future__ import annotations

import random
import re

import chess
import pytest

torch = pytest.importorskip("torch")

from engine.__main__ import main  # noqa: E402
from engine.lab.arena.configs import Config  # noqa: E402
from engine.lab.arena.deep_scores import sample_of  # noqa: E402
from engine.lab.arena.training import TrainingShard  # noqa: E402
from eval.network.file import Shape, write_network  # noqa: E402
from eval.network.model import NetworkModel  # noqa: E402
from tests.eval.network.test_samples import board_of  # noqa: E402


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("games") / "games.bin"
    made.write_bytes(b"".join(TrainingShard(number, 20, 60, 4, Config())().content for number in range(3)))
    return made


def test_networks_are_judged_by_held_out_games(path, tmp_path, capsys):
    other = tmp_path / "other.network"
    write_network(NetworkModel(Shape(128, layers=(8, 8)), "cpu", 3).quantize(136.0, {}), other)
    words = ["tune", "judge", str(path), "--network", str(other), "--device", "cpu"]
    assert main([*words, "--held-out", "3", "--positions", "5", "--nodes", "500"]) == 0
    said = capsys.readouterr().out
    targets, searches = said.split("mean squared error against the ")[1:]
    assert targets.startswith("lambda targets of") and searches.startswith("searches of 500 nodes, 5 positions")
    errors = [float(line.split()[1]) for line in targets.splitlines()[1:]]
    assert len(errors) == 2 and errors[0] < 0.5 * errors[1]  # a network that has learned nothing
    assert main([*words, "--held-out", "100000"]) == 2
    assert "too few" in capsys.readouterr().err
    assert main([*words, "--network", str(other)]) == 2
    assert "the networks must have different names" in capsys.readouterr().err


def test_a_yardstick_is_of_quiet_positions(path, tmp_path, capsys):
    epd, other = tmp_path / "yardstick.epd", tmp_path / "other.network"
    write_network(NetworkModel(Shape(128, layers=(8, 8)), "cpu", 3).quantize(136.0, {}), other)
    noisy = ["4k3/8/8/3q4/8/8/8/3RK3 w - -", "4k3/P7/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/4r3/4K3 w - -"]
    generator = random.Random(4)
    boards = [chess.Board() for _ in range(30)]
    for board in boards:
        for _ in range(5):
            board.push(generator.choice(list(board.legal_moves)))
    epd.write_text("\n".join([*noisy, "nonsense", *(board.epd() for board in boards)]))
    words = ["tune", "judge", str(path), "--network", str(other), "--device", "cpu", "--held-out", "3", "--positions",
             "0", "--nodes", "500", "--yardstick", str(epd)]
    assert main(words) == 0
    said, complaints = capsys.readouterr()
    found = re.search(r"searches of 500 nodes, (\d+) quiet positions of yardstick.epd", said)
    assert found is not None and 10 <= int(found[1]) <= 30
    assert "line 4" in complaints and len(complaints.splitlines()) == 1
    errors = [float(line.split()[1]) for line in said.splitlines()[-2:]]
    assert errors[0] < 0.5 * errors[1]
    epd.write_text("\n".join(noisy))
    assert main(words) == 2
    assert "too few quiet positions" in capsys.readouterr().err


def test_a_position_becomes_a_sample():
    board = chess.Board("r3k2r/pp3p1p/2n5/4P3/8/2N5/PPP2PPP/R3K2R b KQkq - 0 1")
    sample = sample_of(board)[0]
    assert board_of(sample).board_fen() == board.mirror().board_fen()
    assert (sample["pieces"], sample["own_king"], sample["other_king"]) == (19, chess.E1, chess.E8)
