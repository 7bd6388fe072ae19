"""`compare search`: the shape of the tree, against what the search itself says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import parse_fen
from engine.lab.bench_positions import BENCH_FENS
from engine.search.types import Limits
from tests.commands.running import run
from tests.lab.rival import write_rival


def shapes(capsys, *words: str) -> list[dict[str, Any]]:
    status, out, _ = run(capsys, "compare", "search", *words, "--json")
    assert status == 0
    return [json.loads(line) for line in out.splitlines()]


def test_nodes_are_counted_by_their_remaining_depth():
    """Each entered node but the root follows a move; a node that is searched again follows none."""
    searcher = AlphaBetaSearch(4)
    result = searcher.run(parse_fen(BENCH_FENS[1]), Limits(nodes=20_000))
    counted = searcher.nodes_by_depth
    assert result.nodes <= sum(counted) + 1 < 1.2 * result.nodes
    assert counted[0] > counted[1] > counted[2] > counted[4] > 0
    assert sum(counted[result.depth + 12:]) == 0  # extensions aside, no node is deeper than the root


def test_a_search_of_one_ply_enters_no_deeper_node():
    searcher = AlphaBetaSearch(4)
    searcher.run(parse_fen(BENCH_FENS[0]), Limits(depth=1))
    assert searcher.nodes_by_depth[1] >= 1 and sum(searcher.nodes_by_depth[2:]) == 0


def test_shares_add_up_and_more_nodes_are_deeper(capsys):
    few, many = shapes(capsys, "--nodes", "1000,20000", "--positions", "5")
    assert (few["nodes"], many["nodes"], few["positions"]) == (1000, 20_000, 5)
    assert few["depth"] < many["depth"] and few["same_move"] is None
    for shape in (few, many):
        assert sum(shape["by_depth"]) == pytest.approx(1, abs=0.01)
        assert shape["by_depth"][0] == shape["quiescence"]
        assert 0.5 < shape["first_move_cutoff_rate"] < 1 and 0 < shape["re_search_rate"] < 0.2


def test_another_engine_is_shown_as_uci_tells_it(capsys, tmp_path):
    rival, openings = write_rival(tmp_path), tmp_path / "openings.epd"
    openings.write_text("7k/5Q2/6K1/8/8/8/4P3/8 w - -\n"  # mates at once
                        "7k/8/pp2b3/8/K6r/8/4P3/1n6 w - -\n")  # only e2e4, as the other plays anyway, is legal
    own, other = shapes(capsys, "--nodes", "2000", "--against", str(rival), "--openings", str(openings))
    assert (other["engine"], other["depth"], other["seldepth"], other["positions"]) == ("Rival", 2, 4, 2)
    assert own["same_move"] == other["same_move"] == 0.5
    assert other["quiescence"] is None and other["by_depth"] == []
    table = run(capsys, "compare", "search", "--nodes", "500", "--against", str(rival), "--positions", "2")[1]
    assert "Rival" in table and "remaining depth" in table


def test_plots_are_drawn(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra `lab`")
    assert run(capsys, "compare", "search", "--nodes", "500", "--positions", "2", "--plots", str(tmp_path))[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"nodes-by-depth.png", "nodes-by-depth.svg"}


@pytest.mark.parametrize(("words", "instead"), [
    ("compare search", "this command needs one of alpha-beta"), ("bench 2", "this command needs one of alpha-beta"),
    ("suite wac", "name it with --mode")])
def test_the_config_of_a_tree_search_is_refused(capsys, words, instead):
    status, out, err = run(capsys, *words.split(), "--config", "mcts")
    assert (status, out, err) == (2, "", f"error: config mcts is of a tree search; {instead}\n")
