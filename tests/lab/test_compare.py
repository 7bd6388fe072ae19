"""`compare` as a user types it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from engine.alphabeta.params import default_params, set_param
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.core.fen import START_FEN
from engine.core.game import Game
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.ratings import Ratings
from engine.lab.arena.records import Adjudication, Opening
from engine.lab.compare import bound, evaluations
from engine.lab.compare.report import PositionResult, VariantResults, effective_branching, save_plots
from engine.lab.compare.variants import LADDER, SearchOutcome
from engine.lab.suites.problems import Problem
from engine.lab.tree_searches import TREES
from engine.search.types import Counts, Limits
from tests.commands.running import run

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w Q -"
PROBLEMS = f"{MATE_IN_ONE} bm Ra8#;\n{MATE_IN_ONE} am Ra8#;\n"
LOSSLESS = 7  # steps that keep minimax's value; the TT does as long as there are no transpositions
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture(scope="module")
def compared():
    """The output of `compare` for the starting position at depth 3: objects by variant, and text."""
    found: list[str] = []

    def ask(capsys):
        for words in ((), ("--json",)) if not found else ():
            status, out, err = run(capsys, "compare", "position", "--fen", START_FEN, "--depth", "3", *words)
            assert (status, err) == (0, "")
            found.append(out)
        return {row["variant"]: row for row in objects(found[1])}, found[0]

    return ask


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=pytest.fail) for line in out.splitlines()]


def test_every_technique_has_a_line(capsys, compared):
    _, out = compared(capsys)
    for step in LADDER:
        assert sum(line.startswith(step.name + " ") for line in out.splitlines()) == 2, step.name
    assert "2 b^(d/2)" in out


def test_minimax_visits_everything_and_the_others_find_its_value(capsys, compared):
    content, _ = compared(capsys)
    rows = list(content.values())
    assert [stage["leaf_nodes"] for stage in rows[0]["stages"]] == [20, 400, 8902]
    assert rows[0]["nodes"] == 20 + 400 + 8902
    assert {row["score"] for row in rows[:LOSSLESS]} == {rows[0]["score"]}
    assert all(row["nodes"] < rows[0]["nodes"] for row in rows[1 : len(LADDER)])
    assert all(0 < row["first_move_cutoffs"] <= row["beta_cutoffs"] for row in rows[1 : len(LADDER)])
    assert all([stage["depth"] for stage in row["stages"]] == [1, 2, 3] for row in rows[: len(LADDER)])


def test_trees_grow_where_it_pays(capsys, compared):
    rows, _ = compared(capsys)
    assert set(TREES) < set(rows)
    for name in TREES:
        last = rows[name]["growth"][-1]
        assert rows[name]["depth"] == 0
        assert last["visits"] == sum(last["moves"].values()) == rows[name]["leaf_nodes"]
    spread = {name: max(moves) / (sum(moves) / len(moves)) for name in TREES
              if (moves := list(rows[name]["growth"][-1]["moves"].values()))}
    assert spread["pure Monte Carlo"] < 1.1
    assert spread["PUCT, quiescence"] > spread["UCT, random playouts"]


def test_all_variants_get_the_same_number_of_nodes(capsys):
    status, out, _ = run(capsys, "compare", "position", "--nodes", "20000", "--json")
    assert status == 0
    rows = objects(out)
    assert all(20_000 <= row["nodes"] <= 21_000 for row in rows[: len(LADDER)])
    longest_playout = 1000  # plies, which are nodes too
    assert all(20_000 <= row["nodes"] <= 21_000 + longest_playout for row in rows[len(LADDER) :])
    assert rows[0]["depth"] < rows[len(LADDER) - 1]["depth"]


def test_a_variant_that_takes_too_long_is_marked_as_stopped_early(capsys):
    words = ("compare", "position", "--depth", "4", "--give-up", "1")
    _, out, _ = run(capsys, *words)
    minimax = out.splitlines()[2]
    assert " of 4 " in minimax
    assert sum(word.startswith("(") and word.endswith(")") for word in minimax.split()) == 3  # nodes, leaves, seconds
    assert "(in brackets): stopped early" in out
    assert objects(run(capsys, *words, "--json")[1])[0]["stopped_early"]


def test_completed_searches_are_not_marked(capsys, compared):
    content, out = compared(capsys)
    assert "(in brackets)" not in out
    assert not any(row["stopped_early"] for row in content.values())


def test_a_suite_is_solved_by_all_who_see_one_ply(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    suite = tmp_path / "suite.epd"
    suite.write_text(PROBLEMS)
    status, out, err = run(capsys, "compare", "position", "--suite", str(suite), "--depth", "2", "--plots",
                           str(tmp_path / "new" / "folder"))
    assert (status, err) == (0, "")
    assert out.count("1 of 2") == len(LADDER) + len(TREES)
    for name in ("nodes.png", "nodes.svg", "solved.png", "solved.svg"):
        assert (tmp_path / "new" / "folder" / name).stat().st_size > 1000


def test_without_results_nothing_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    trial = PositionResult(Game(), SearchOutcome(9, Counts(), 0.1, 0, Game().legal_moves()[0], 0),
                           Problem(1, Game().fen(), best={"no move"}))
    drawn = [file.name for file in save_plots([VariantResults("solves nothing", (trial,))], tmp_path)]
    assert "nodes.svg" in drawn and "solved.svg" not in drawn and not (tmp_path / "solved.svg").exists()
    text = (tmp_path / "nodes.svg").read_text()
    assert "Nodes by depth" in text and "depth in plies" in text


def test_invalid_lines_of_a_suite_are_skipped_with_a_warning(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text(PROBLEMS + "nonsense\n")
    status, _, err = run(capsys, "compare", "position", "--suite", str(suite), "--first", "1", "--nodes", "100")
    assert status == 1
    assert "line 3" in err
    assert err.count("\n") == 1


def test_the_visits_of_a_tree_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    game = Game()
    first, second = game.legal_moves()[:2]
    outcome = SearchOutcome(9, Counts(), 0.1, 0, first, 0, growth=((3, {first: 2, second: 1}),
                                                                   (9, {first: 7, second: 2})))
    row = VariantResults("tree", (PositionResult(game, outcome),))
    assert [file.name for file in save_plots([row], tmp_path)] == ["nodes.png", "nodes.svg", "visits-tree.png",
                                                                   "visits-tree.svg"]


def test_the_bound_of_alpha_beta(capsys):
    words = ("compare", "bound", "--positions", "2", "--depth", "5")
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["4", "5"]
    found = objects(run(capsys, *words, "--json")[1])
    assert len(found) == 4
    assert all(0 < measured["ratio"] < 10 for measured in found)
    has_low_ratio = any(measured["ratio"] < 1 for measured in found)
    assert ("a ratio below 1 is no error" in out) == has_low_ratio


def test_leaves_of_perfect_order_by_hand():
    """With b = 4, d = 6: 4,096 leaves, whose square root is 64; twice that is about what alpha-beta needs."""
    assert (bound.minimax_leaves(4, 6), bound.minimum_leaves(4, 6)) == (4096, 2 * 64)


def test_incomplete_depths_are_detected():
    whole = [bound.LeafCount(fen, 30, depth, 1000) for fen in ("one", "other") for depth in (4, 5)]
    assert bound.is_complete(whole)
    assert not bound.is_complete(whole[:-1])


def test_the_effective_branching_factor():
    assert effective_branching(3 + 9 + 27, 3) == pytest.approx(3)
    assert effective_branching(42, 1) == pytest.approx(42)
    assert effective_branching(4, 4) == pytest.approx(1)
    assert effective_branching(10, 0) is None
    assert effective_branching(10**9, 127) == pytest.approx(1.16, abs=0.02)  # a mate was found, and deepened on


@pytest.mark.parametrize(("words", "message"), [
    (("--fen", "nonsense"), "FEN"),
    (("--fen", STALEMATE), "the game is over"),
    (("--suite", "missing.epd"), "cannot read missing.epd"),
    (("--depth", "0"), "--depth: must be from 1 to 127"),
    (("--depth", "128"), "--depth: must be from 1 to 127"),
    (("--depth", "two"), "'two' is not an integer"),
    (("--nodes", "0"), "--nodes: must be at least 1"),
    (("--give-up", "nan"), "--give-up: 'nan' is not an integer"),
    (("--depth", "3", "--nodes", "5"), "not allowed with"),
    (("--fen", START_FEN, "--suite", __file__), "not allowed with"),
    (("--plots", f"{__file__}/plots"), "--plots: cannot create the folder"),
])
def test_bad_input_is_one_line(capsys, words, message):
    status, out, err = run(capsys, "compare", "position", *words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_evaluations_meet_their_neighbours():
    pairs = evaluations.pairings(["material", "features"], 3)
    player = evaluations.participant
    assert (player("material", 1), player("material", 2)) in pairs
    assert (player("features", 1), player("material", 3)) in pairs
    assert (player("features", 3), player("material", 1)) not in pairs
    assert len(pairs) == 2 * 2 + 3 + 2 + 1


def test_material_alone_counts_nothing_else():
    material = evaluations.configs()["material"].evaluator()
    searcher = AlphaBetaSearch(1, evaluation=material)
    params = default_params()
    set_param(params, "use_quiescence", 0)
    searcher.set_params(params)
    for fen in ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", "4k3/8/8/3n4/3N4/8/8/4K3 w - - 0 1"):
        assert abs(searcher.run(Game(fen).position, Limits(depth=1)).score) < 60, fen


def test_a_table_of_elo_by_depth():
    player = evaluations.participant
    rated = Ratings((player("material", 1), player("material", 2), player("features", 1)),
                    np.array([[5.0, 105.0, 305.0], [5.0, 105.0, 305.0], [5.0, 105.0, 305.0]]))
    assert evaluations.headings(rated) == ("depth", "material", "features", "features gain")
    assert evaluations.rows(rated) == [("1", "+0 ± 0", "+300 ± 0", "+300 ± 0"), ("2", "+100 ± 0", "-", "-")]
    assert evaluations.curves(rated) == {"material": ([1, 2], [0, 100]), "features": ([1], [300])}
    assert evaluations.errors(rated) == {"material": ([0, 0], [0, 0]), "features": ([0], [0])}


def test_a_pair_of_games_at_fixed_depths():
    features, material = (evaluations.participant(name, depth, is_full_width=True)
                          for name, depth in (("features", 2), ("material", 1)))
    records = GamePair(0, Opening(), features, material, Adjudication())()
    assert [record.players for record in records] == [("features", "material"), ("material", "features")]
    assert sum(record.points for record in records) >= 1
    assert {move.depth for record in records for move in record.moves} == {1, 2}


@pytest.mark.slow
def test_evaluations_are_rated(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    words = ("compare", "evaluations", "--depth", "3", "--games", "4")
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:4]] == ["1", "2", "3"]
    status, out, err = run(capsys, *words, "--json", "--plots", str(tmp_path))
    assert status == 0
    assert all(row["games"] == 4 for row in objects(out))
    assert "evaluations.svg" in err and (tmp_path / "evaluations.svg").exists()
