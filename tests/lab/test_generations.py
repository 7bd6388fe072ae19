"""`tune generations`: the commands that it runs, their order, and the use of their results."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from engine.lab.arena.manifest import manifest_of
from engine.lab.tune import generations
from eval.network.file import read_network
from eval.policy.file import read_policy
from tests.commands.running import run


class Children:
    """Replaces the commands: records them, and writes their output files."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.fails = False
        self.elo = 50.0
        self.is_unknown = False

    def __call__(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        self.calls.append(words)
        if "--out" in words:
            Path(words[words.index("--out") + 1]).write_bytes(b"made")
        if words[0] == "selfplay":
            manifest_of(Path(words[-1])).write_text("{}")
        elo = {"value": self.elo, "low": self.elo - 30, "high": self.elo + 30}
        result = {"games": 20, "score": 0.5 + self.elo / 1000, "elo": None if self.is_unknown else elo}
        output = json.dumps(result) if words[0] == "match" else ""
        return subprocess.CompletedProcess(words, int(self.fails), output, "error: no torch\n")


@pytest.fixture
def children(monkeypatch):
    double = Children()
    monkeypatch.setattr(generations, "run_own", double)
    return double


def files_of(player: str) -> list[str]:
    """The names of the network and the policy of a config; the tree must play alone."""
    mode, search, *files = player.split(",")
    assert (mode, search) == ("mcts", "root_share=0")
    return [Path(part.split("=")[1]).name for part in files]


def test_each_generation_trains_on_the_games_of_earlier_ones(children, tmp_path, capsys):
    call = ("tune", "generations", "--folder", str(tmp_path), "--generations", "2", "--games", "20")
    status, out, _ = run(capsys, *call)
    assert status == 0
    assert [words[:2] if words[0] == "tune" else words[:1] for words in children.calls] == 2 * [
        ["selfplay"], ["tune", "policy"], ["tune", "network"], ["match"], ["match"], ["match"]] + [["match"]]
    first, second = children.calls[1], children.calls[7]
    assert "generation-0.games" in first[2]
    assert ["generation-0.games" in second[2], "generation-1.games" in second[3]] == [True, True]
    assert "+50" in out
    assert "+100 ± 42" in out  # both matches together
    assert "the last network against the first, both with the last policy: +50 ± 30" in out
    share = [files_of(player) for player in children.calls[-1][1:3]]
    assert share == [["generation-2.network", "generation-2.policy"], ["generation-0.network", "generation-2.policy"]]
    assert manifest_of(tmp_path / "generation-1.games").exists()
    read_network(tmp_path / "generation-0.network")
    read_policy(tmp_path / "generation-0.policy")


def test_a_network_that_does_not_win_is_dropped(children, tmp_path, capsys):
    children.elo = -50.0
    assert run(capsys, "tune", "generations", "--folder", str(tmp_path), "--generations", "1")[0] == 0
    kept, old = (tmp_path / f"generation-{number}.network" for number in (1, 0))
    assert kept.read_bytes() == old.read_bytes()


def test_the_shares_of_network_and_policy_are_told_apart(children, tmp_path, capsys):
    """The matches differ in the network alone, in both, and in the policy alone; errors are those of each match."""
    pytest.importorskip("matplotlib")
    status, out, _ = run(capsys, "tune", "generations", "--folder", str(tmp_path), "--generations", "2", "--plot",
                         str(tmp_path / "elo.svg"))
    assert status == 0
    matches = [words[1:3] for words in children.calls if words[0] == "match"]
    for number in (1, 2):
        files = [[files_of(player) for player in match]
                 for match in matches[3 * number - 3 : 3 * number]]
        before = f"generation-{number - 1}."
        now = f"generation-{number}."
        assert files == [[[f"{now}taught.network", f"{now}policy"], [f"{before}network", f"{now}policy"]],
                         [[f"{now}network", f"{now}policy"], [f"{before}network", f"{before}policy"]],
                         [[f"{before}network", f"{now}policy"], [f"{before}network", f"{before}policy"]]]
    assert "+100 ± 42 by the policies" in out and "+100 ± 42 by the networks that were kept" in out
    assert (tmp_path / "elo.svg").read_text().count("by the") >= 2


def test_a_network_that_was_not_kept_has_no_share(children, tmp_path, capsys):
    children.elo = -20.0
    _, out, _ = run(capsys, "tune", "generations", "--folder", str(tmp_path), "--generations", "1")
    assert sum(words[0] == "match" for words in children.calls) == 2  # the policy's is the whole one
    assert "-20 ± 30, not kept" in out and "+0 ± 0 by the networks" in out and "-20 ± 30 by the policies" in out


def test_finished_steps_are_not_repeated(children, tmp_path, capsys):
    call = ("tune", "generations", "--folder", str(tmp_path), "--generations", "1")
    assert run(capsys, *call)[0] == 0
    done = len(children.calls)
    assert run(capsys, *call)[0] == 0
    assert len(children.calls) == done


def test_a_network_that_wins_all_pairs_is_kept(children, tmp_path, capsys):
    children.is_unknown = True
    _, out, _ = run(capsys, "tune", "generations", "--folder", str(tmp_path), "--generations", "1")
    assert (tmp_path / "generation-1.network").read_bytes() == b"made"
    assert "unknown" in out and "nan" not in out and "not kept" not in out


def test_a_folder_keeps_its_settings(children, tmp_path, capsys):
    call = ("tune", "generations", "--folder", str(tmp_path), "--generations")
    assert run(capsys, *call, "1", "--games", "20")[0] == 0
    done = len(children.calls)
    status, _, message = run(capsys, *call, "1", "--games", "400")
    assert (status, message) == (2, f"error: {tmp_path} holds a loop with --games 20, got 400\n")
    assert len(children.calls) == done
    assert run(capsys, *call, "2", "--games", "20")[0] == 0
    (tmp_path / "settings.json").write_text("half")
    status, _, message = run(capsys, *call, "2", "--games", "20")
    assert status == 2 and "settings.json does not hold the settings of a loop" in message


def test_a_command_that_fails_is_named(children, tmp_path, capsys):
    children.fails = True
    status, _, message = run(capsys, "tune", "generations", "--folder", str(tmp_path))
    assert status == 2
    assert message.splitlines()[-1].endswith("selfplay --mode failed: error: no torch")
