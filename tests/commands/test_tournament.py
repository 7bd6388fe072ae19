"""`compare --tournament`: budgets that are counted alike, one scale of ratings, and games that can be had again."""

from __future__ import annotations

import json
from dataclasses import replace

import chess
import pytest

from engine.arena.ratings import rate
from engine.arena.records import Forfeit, GameRecord, MoveRecord, Opening
from engine.arena.search_games import play_game
from engine.arena.statistics import score_of
from engine.commands.compare import standings, tournament
from engine.commands.compare.contestants import (
    MODE_NAMES,
    Contestant,
    Entrant,
    MoveBudget,
    Pairing,
    TournamentPair,
    _choose,
    parse_contestant,
)
from engine.commands.compare.tournament import GameSummary, PairingResult, Tournament
from engine.core.game import Game
from engine.mcts.params import LADDER
from engine.search.interface import PositionCounting
from engine.search.types import Limits, Result
from engine.system.errors import InputError
from tests.commands.running import run

NODES = MoveBudget(100, is_time=False)
QUICK = ("--player", "mcts,root_share=0", "--player", "minimax", "--player", "random", "--nodes", "60",
         "--concurrency", "1")


def entrant(name: str, budget: MoveBudget = NODES) -> Entrant:
    return Entrant(Contestant(name, None), budget)


def result(first: str, second: str, *points: float, is_played_out: bool = False, moves: int = 20) -> PairingResult:
    """A pairing in which the first entrant scored these points, game by game."""
    games = [GameSummary(point, None, (moves, moves), (100 * moves, 200 * moves), (0.1, 0.2)) for point in points]
    return PairingResult(Pairing(entrant(first), entrant(second), is_played_out), games)


def test_every_mode_and_every_rung_can_enter():
    for name in {*MODE_NAMES, *LADDER}:
        assert parse_contestant(name).name == name
    assert parse_contestant("mcts", "features").config.network == "features"
    assert parse_contestant("minimax", "features").network == "features"
    assert parse_contestant("use_null_move=0").config.params == (("use_null_move", 0),)
    for wrong in ("nothing", "mcts,nothing=1"):
        with pytest.raises(InputError):
            parse_contestant(wrong)
    for name in ("mcts", "minimax"):
        with pytest.raises(InputError):
            parse_contestant(name, "no-such.network")


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "expectimax", "mcts", "uct", "alphago", "alphazero"])
def test_all_searches_spend_the_nodes_of_the_budget(name):
    search, position = parse_contestant(name).new_search(), Game().position
    found = _choose(search, position, MoveBudget(3000, is_time=False))
    longest = 1000 if name in ("uct", "alphago") else 0  # a playout is not cut off
    assert 3000 - 16 <= found.nodes <= 3200 + longest
    if isinstance(search, PositionCounting):
        assert found.nodes >= search.nodes  # iterations


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "expectimax", "mcts", "uct"])
def test_all_searches_spend_the_cpu_time_of_the_budget(name):
    """However busy the machine is: what counts is the time in which this process computes."""
    search, position = parse_contestant(name).new_search(), Game().position
    search.load()
    search.run(position, Limits(nodes=1))
    found = _choose(search, position, MoveBudget(40, is_time=True))
    assert 0.04 <= found.seconds < 0.4
    assert found.move in Game().legal_moves()


def test_a_pair_of_games_is_the_same_again():
    pairing = Pairing(Entrant(parse_contestant("uct"), MoveBudget(2000, is_time=False)), entrant("random"))
    first, again, other = (TournamentPair(number, Opening(moves=("e2e4",)), pairing, 7)() for number in (0, 0, 1))
    moves = [[[move.move for move in game.moves] for game in games] for games in (first, again, other)]
    assert moves[0] == moves[1] != moves[2]
    assert [game.players for game in first] == [("uct", "random"), ("random", "uct")]


def test_who_plays_whom():
    modes = tuple(parse_contestant(name) for name in ("alphabeta", "minimax", "expectimax", "random"))
    small, large = MoveBudget(10, is_time=True), MoveBudget(30, is_time=True)
    one, two = Tournament(modes, (small,)).pairings(), Tournament(modes, (small, large)).pairings()
    assert len(one) == 6 + 4 and sum(pairing.is_played_out for pairing in one) == 4
    # Six pairings at each budget, and three modes that meet themselves; the random mover spends nothing at either.
    assert len(two) == len(set(two)) == 6 + 6 + 3
    assert {pairing.second.budget for pairing in two if pairing.second.contestant.name == "random"} == {small}
    links = [pairing for pairing in two if pairing.first.contestant == pairing.second.contestant]
    assert {(pairing.first.budget, pairing.second.budget) for pairing in links} == {(large, small)}


def test_a_table_has_points_score_and_elo():
    results = [result("a", "b", 1, 1, 0.5, 1), result("a", "c", 1, 1, 1, 1), result("b", "c", 0.5, 1, 0.5, 1)]
    rated = tournament.ratings(results)
    assert standings.headings(standings.names_of(results)) == ("points of", "a", "b", "c", "score", "Elo")
    rows = standings.cross_table(results, rated)
    assert [row[:5] for row in rows] == [("a", "-", "3.5", "4", "94 %"), ("b", "0.5", "-", "3", "44 %"),
                                         ("c", "0", "1", "-", "12 %")]
    elos = [rated.rating(entrant(name)).value for name in "abc"]
    assert sum(elos) == pytest.approx(0, abs=1e-6) and elos == sorted(elos, reverse=True)
    assert rows[0][-1].startswith(f"{elos[0]:+.0f} ± ")


def test_ratings_are_the_most_likely_ones():
    """At the maximum of the likelihood everyone scores what was expected; half a point a pairing is the prior."""
    points = {("a", "b"): (700.0, 1000), ("a", "c"): (930.0, 1000), ("b", "c"): (810.0, 1000)}
    rated = rate(points)
    for name in "abc":
        scored = sum(won + 0.5 if one == name else games - won + 0.5
                     for (one, other), (won, games) in points.items() if name in (one, other))
        expected = sum((games + 1) * score_of(rated.difference(name, other if one == name else one).value)
                       for (one, other), (_, games) in points.items() if name in (one, other))
        assert scored == pytest.approx(expected, abs=0.5)


def test_forfeits_count_for_neither_side():
    found = result("a", "b", 1, 0)
    found.summaries.append(replace(found.summaries[0], points=0.0, forfeit=Forfeit.ILLEGAL_MOVE.name))
    assert (found.points, found.games, found.forfeits, found.moves_to_win) == (1, 2, (1, 0), 20)
    elo = tournament.ratings([found]).difference(entrant("a"), entrant("b"))
    assert elo.value == pytest.approx(0, abs=1e-6)


def test_an_illegal_move_forfeits_the_game():
    game, legal = Game(), Game().legal_moves()[0]
    record = play_game(0, Opening(), ("honest", lambda position: Result(legal, 0, 1, 5, 0.1)),
                       ("cheat", lambda position: Result(legal, 0, 1, 5, 0.1)), Pairing(*[entrant("a")] * 2).rules)
    assert chess.Move.from_uci(game.uci(legal)) in chess.Board().legal_moves
    assert (record.result, record.forfeit, len(record.moves)) == ("1-0", Forfeit.ILLEGAL_MOVE, 1)
    assert "cheat plays an illegal move" in record.reason


def test_what_a_move_costs_is_counted_for_each_side():
    moves = tuple(MoveRecord("e2e4", 0, 1, seconds, nodes) for seconds, nodes in ((0.5, 10), (1.0, 20), (0.25, 30)))
    for number, costs in ((0, ((2, 1), (40, 20), (0.75, 1.0))), (1, ((1, 2), (20, 40), (1.0, 0.75)))):
        summary = GameSummary.of(GameRecord(number, ("a", "b"), Opening(), moves, "1-0", ""))
        assert (summary.moves, summary.nodes, summary.seconds) == costs
    black_first = Opening(moves=("d2d4",))
    assert GameSummary.of(GameRecord(0, ("a", "b"), black_first, moves, "1-0", "")).moves == (1, 2)
    rows = standings.cost_rows([result("a", "b", 1, 0)])
    assert [row[1:] for row in rows] == [("100", "5.0"), ("200", "10.0")]


def test_elo_by_budget_says_who_overtakes_whom():
    small, large = MoveBudget(10, is_time=True), MoveBudget(100, is_time=True)

    def met(first: Entrant, second: Entrant, *points: float) -> PairingResult:
        return PairingResult(Pairing(first, second), result("a", "b", *points).summaries)

    results = [met(entrant("tree", small), entrant("plain", small), 0, 0, 0.5, 0),
               met(entrant("tree", large), entrant("plain", large), 1, 1, 0.5, 1),
               met(entrant("tree", large), entrant("tree", small), 1, 1, 1, 1),
               met(entrant("plain", large), entrant("plain", small), 1, 0.5, 0.5, 0.5)]
    rated = tournament.ratings(results)
    assert standings.crossings(results, rated, (small, large)) == ["tree overtakes plain between 10 ms and 100 ms"]
    curves, errors = standings.curves(results, rated)
    assert {name: list(curve[0]) for name, curve in curves.items()} == {"tree": [10, 100], "plain": [10, 100]}
    assert curves["tree"][1][1] > curves["tree"][1][0] and all(low >= 0 for low in errors["tree"][0])
    rows = standings.budget_rows(results, rated, (small, large))
    assert [len(row) for row in rows] == [3, 3]


def test_assumptions_are_tested_without_adjudication():
    results = [result("minimax", "alphabeta", 0, 0, is_played_out=True),
               result("minimax", "random", 1, 1, is_played_out=True, moves=9),
               result("expectimax", "alphabeta", 0.5, 0, is_played_out=True),
               result("expectimax", "random", 1, 1, is_played_out=True, moves=8)]
    assert standings.assumption_rows(results) == [("the full search", "0 %", "-", "25 %", "-"),
                                                  ("a random mover", "100 %", "9", "100 %", "8")]
    assert standings.assumption_rows(results[:1])[0] == ("the full search", "0 %", "-", "-", "-")
    assert standings.assumption_rows([result("minimax", "random", 1)]) == []
    rules = results[0].pairing.rules
    assert (rules.draw_score, rules.win_score, rules.by_tables) == (None, None, False)


def table_of(out: str) -> str:
    """The cross table; what moves cost comes below it, and CPU time differs from run to run."""
    return out.split("\n\n", maxsplit=1)[0]


def test_the_same_seed_gives_the_same_table_and_what_was_interrupted_is_continued(capsys, tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    status, out, _ = run(capsys, "compare", "--tournament", *QUICK, "--games", "4", "--out", str(whole))
    assert status == 0 and "points of" in out and "CPU ms" in out
    lines = whole.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3  # the description, and two pairs of games for each of three pairings
    part.write_text("".join(lines[:4]) + lines[4][:20])  # killed while it wrote
    status, again, _ = run(capsys, "compare", "--tournament", *QUICK, "--games", "4", "--out", str(part))
    assert status == 0 and table_of(again) == table_of(out)
    without_time = [[{**part, "seconds": 0} if isinstance(part, dict) else part for part in json.loads(line)]
                    for line in lines[1:]]
    assert without_time == [[{**game, "seconds": 0} if isinstance(game, dict) else game for game in json.loads(line)]
                            for line in part.read_text().splitlines()[1:]]
    status, _, err = run(capsys, "compare", "--tournament", *QUICK, "--seed", "2", "--out", str(part))
    assert status == 2 and f"{part} is a tournament with other seed" in err


@pytest.mark.parametrize(("words", "message"), [
    (("--depth", "3"), "--depth cannot be used with --tournament"),
    (("--games", "0"), "--games: must be at least 1"),
    (("--player", "mcts"), "two players or more"),
    (("--player", "mcts", "--player", "mcts"), "named twice"),
    (("--player", "mcts", "--player", "dfs"), "no player 'dfs': neither a mode nor a config as in `match`"),
    (("--player", "mcts", "--player", "dfs"), f"; the modes are {', '.join(MODE_NAMES)}, uct-light, "),
    (("--player", "mcts", "--player", "mtcs,refine_visits=0"), "the modes are alphabeta, mcts,"),
    (("--player", "mcts", "--ladder"), "--player cannot be used with --ladder"),
    (("--nodes", "5", "--time", "5"), "not allowed with"),
    (("--nodes", "100,50"), "must be in rising order"),
    (("--nodes", "100,x"), "'x' is not an integer"),
    (("--network", "no-such.network"), "no-such.network"),
])
def test_bad_input_is_one_line(capsys, words, message):
    status, out, err = run(capsys, "compare", "--tournament", *words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize("words", [("--ladder",), ("--player", "mcts"), ("--seed", "3"), ("--out", "x"),
                                   ("--nodes", "5,6"), ("--time", "5,6")])
def test_what_only_a_tournament_has(capsys, words):
    status, _, err = run(capsys, "compare", *words)
    assert status == 2 and "--tournament" in err


@pytest.mark.slow
def test_a_tournament_of_all_modes_by_cpu_time(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    status, out, _ = run(capsys, "compare", "--tournament", "--time", "5,20", "--games", "2", "--plots", str(tmp_path))
    assert status == 0
    assert out.splitlines()[1].startswith("alphabeta")
    assert (tmp_path / "budgets.svg").stat().st_size > 1000
