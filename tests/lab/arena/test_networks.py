"""Matches and training games between networks, in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.__main__ import main
from engine.lab.arena.configs import Config, parse_config
from engine.lab.arena.game_file import read_games
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.kernel_games import kernel_player
from engine.lab.arena.openings import RandomOpenings
from engine.lab.arena.participants import Participant
from engine.lab.arena.records import Adjudication
from engine.system.errors import InputError
from eval.blank import material_only_network
from eval.network.file import Shape, write_network
from tests.eval.network.reference import random_network


@pytest.fixture
def networks(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "material.network", tmp_path / "noise.network"
    write_network(material_only_network(), paths[0])
    write_network(random_network(1, Shape(128, (8, 8)), 60), paths[1])
    return str(paths[0]), str(paths[1])


def test_a_network_that_counts_beats_one_that_guesses(networks):
    material, noise = (parse_config(path) for path in networks)
    assert (material.name, noise.name) == ("material", "noise")
    points = 0.0
    for number, opening in enumerate(RandomOpenings(False, lambda opening: True).draw(4, 3)):
        pair = GamePair(number, opening, Participant.of(material, 200), Participant.of(noise, 200), Adjudication())
        points += sum(record.points for record in pair())
    assert points >= 7


def test_a_side_changes_its_evaluation(networks):
    material = parse_config("default").with_network(networks[0])
    side = kernel_player(material, 0, 1)
    assert side.state.accumulators.network != 0
    side = kernel_player(Config("features", network="features"), 0, 1)
    assert side.state.accumulators.network == 0
    changed = parse_config("rfp_margin=70,network=features").with_network(networks[0])
    assert changed.params == (("rfp_margin", 70),) and changed.network == networks[0]
    with pytest.raises(InputError, match="not a network file"):
        parse_config("default").with_network(__file__)


def test_the_commands_take_networks(networks, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.lab.selfplay.games_per_shard", lambda nodes, config: 8)
    games = tmp_path / "games.bin"
    assert main(["selfplay", "--positions", "200", "--nodes", "50", "--concurrency", "1", "--out", str(games),
                 "--network", networks[0]]) == 0
    assert sum(block.positions for block in read_games(games)) >= 200
    assert main(["match", "default", "--network-a", networks[0], "--network-b", "features", "--games", "2", "--nodes",
                 "50", "--concurrency", "1"]) == 0
    assert "material" in capsys.readouterr().out
    games.write_bytes(b"")
    assert main(["match", "default", "--network-b", str(games)]) == 2
    assert main(["selfplay", "--positions", "1", "--out", str(tmp_path / "more"), "--network", str(games)]) == 2
    assert "not a network file" in capsys.readouterr().err
