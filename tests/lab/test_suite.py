"""`suite` as a user types it."""

from __future__ import annotations

import json

import pytest

from engine.lab.bench_positions import BENCH_FENS
from engine.lab.suites.built_in import SUITES, SuiteFile
from engine.lab.suites.problems import read_problems
from engine.mcts.searcher import MctsSearch
from eval.networks import BUILT_IN_FILE
from tests.commands.running import run


def test_suite_names_unsolved_problems(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text('6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id "one";\n'
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - ce +M1;\n"
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - am Ra8;\n"
                     "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Rz9;\n"
                     '6k1/5ppp/8/8/8/8/8/R3K3 w Q - id "asks for nothing";\n')
    status, out, err = run(capsys, "suite", str(suite), "--nodes", "2000")
    assert status == 1
    assert "2 of 3 solved" in out
    assert "line 3: 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1: expected any but Ra8#, got Ra8#" in out
    assert err.count("warning: skipped ") == err.count("\n") == 2


@pytest.mark.parametrize(("name", "positions"), [("wac", 300), ("bratko-kopec", 24), ("mates", 464)])
def test_built_in_suites_are_solved_by_name(name, positions, capsys):
    problems, warnings = read_problems(SuiteFile()(name))
    assert (len(problems), warnings) == (positions, [])
    status, out, err = run(capsys, "suite", name, "--first", "2", "--depth", "3")
    assert (status, err) == (0, "") and "of 2 solved" in out


def test_the_suites_are_listed_with_their_sources(capsys):
    for words in (("suite", "--list"), ("perft", "--list")):
        status, out, err = run(capsys, *words)
        expected = [suite for suite in SUITES if suite.is_perft == (words[0] == "perft")]
        assert (status, err) == (0, "")
        assert all(suite.name in out and suite.source.split(",")[-1] in out for suite in expected)
    assert sum(suite.path.stat().st_size for suite in SUITES) <= 400_000


@pytest.mark.parametrize(("words", "message"), [
    (("suite",), "suite needs a name or FILE.epd; --list shows the names"),
    (("suite", "wacky"), "no suite or file 'wacky'; the suites are wac, bratko-kopec, mates"),
    (("suite", "standard"), "no suite or file 'standard'"), (("suite", "no/such.epd"), "cannot read no/such.epd"),
    (("perft", "--suite", "wac"), "the suites are standard, chess960, tricky"),
    (("perft",), "perft needs a depth, or --suite NAME; --list shows the names")])
def test_a_suite_that_is_missing_gets_one_line(words, message, capsys):
    status, out, err = run(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1) and message in err


@pytest.mark.parametrize("name", ["standard", "chess960", "tricky"])
def test_perft_checks_built_in_suites_by_name(name, capsys):
    status, out, err = run(capsys, "perft", "3", "--suite", name, "--max-nodes", "20000")
    assert (status, err) == (0, "") and "all exact" in out


def test_the_evaluation_can_be_chosen(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - bm a6;\n")
    for words in ([], ["--network", "features"], ["--network", str(BUILT_IN_FILE)],
                  ["--mode", "puct", "--network", "features"]):
        status, out, err = run(capsys, "suite", str(suite), "--nodes", "500", *words)
        assert (status, err) == (0, "") and "of 1 solved" in out
    status, _, err = run(capsys, "suite", str(suite), "--nodes", "500", "--network", "no-such.network")
    assert status == 2 and "no-such.network" in err and err.count("\n") == 1
    status, _, err = run(capsys, "suite", str(suite), "--nodes", "500", "--mode", "random", "--network", "features")
    assert status == 2 and "the mode random uses no evaluation" in err


def test_features_and_network_search_differently(capsys, tmp_path):
    suite = tmp_path / "suite.epd"
    suite.write_text("".join(f"{fen.rsplit(' ', 2)[0]} dm 1;\n" for fen in BENCH_FENS[:30]))
    found = [run(capsys, "suite", str(suite), "--nodes", "3000", "--json", *words)[1]
             for words in ([], ["--network", "features"])]
    moves = [[json.loads(line).get("move") for line in out.splitlines()] for out in found]
    assert moves[0] != moves[1]


def test_the_parameters_of_the_search_can_be_chosen(capsys, tmp_path):
    suite = tmp_path / "mate.epd"
    suite.write_text('6k1/5ppp/8/8/8/8/8/R3K3 w Q - dm 1; id "back rank";\n')
    for config in ("default", "use_probcut=0,rfp_margin=60", "features"):
        status, out, _ = run(capsys, "suite", str(suite), "--nodes", "500", "--config", config)
        assert status == 0 and "1 of 1 solved" in out
    for words in (("--config", "rfp=3"), ("--config", "mcts"), ("--config", "features", "--network", "features")):
        assert run(capsys, "suite", str(suite), "--nodes", "500", *words)[0] == 2


def test_nodes_are_positions_in_every_mode(capsys, tmp_path, monkeypatch):
    """A tree gets as many positions as alpha-beta, not as many iterations, and says so."""
    suite, searches = tmp_path / "mate.epd", []
    suite.write_text("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - bm a6;\n")
    create = MctsSearch.__init__
    monkeypatch.setattr(MctsSearch, "__init__", lambda self, *words, **named: (searches.append(self),
                                                                               create(self, *words, **named))[1])
    said = [run(capsys, "suite", str(suite), "--nodes", "2000", "--mode", mode)[1] for mode in ("alphabeta", "mcts")]
    assert ["as those of alpha-beta are" in out for out in said] == [False, True]
    (search,) = searches
    assert search.nodes < 2000 <= search.positions + 16 < 2200
