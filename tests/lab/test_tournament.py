"""`compare tournament`: budgets that are counted alike, one scale of ratings, and games that can be had again."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import chess
import pytest

from engine.core.game import Game
from engine.lab.arena.game_pairs import GamePair
from engine.lab.arena.participants import (
    MODE_NAMES,
    MoveBudget,
    Participant,
    Unit,
    choose_move,
    parse_participant,
)
from engine.lab.arena.ratings import rate
from engine.lab.arena.records import Forfeit, GameRecord, MoveRecord, Opening
from engine.lab.arena.search_games import play_game
from engine.lab.arena.statistics import score_of
from engine.lab.compare import standings
from engine.lab.compare.round_robin import PLAYED_OUT, GameSummary, PairingResult, Tournament, ratings
from engine.mcts.params import LADDER
from engine.search.interface import PositionCounting
from engine.search.types import Limits, Result
from engine.system.errors import InputError
from tests.commands.running import run

NODES = MoveBudget(100, Unit.POSITIONS)
QUICK = ("--player", "mcts,root_share=0", "--player", "minimax", "--player", "random", "--nodes", "60",
         "--concurrency", "1")


def participant(name: str, budget: MoveBudget = NODES) -> Participant:
    return Participant(name, None, budget)


def parsed(text: str, network: str | None = None) -> Participant:
    return parse_participant(text, network, NODES)


def result(first: str, second: str, *points: float, is_played_out: bool = False, moves: int = 20) -> PairingResult:
    """A pairing in which the first participant scored these points, game by game."""
    games = [GameSummary(point, None, (moves, moves), (100 * moves, 200 * moves), (0.1, 0.2)) for point in points]
    return PairingResult(participant(first), participant(second), is_played_out, games)


def test_every_mode_and_every_rung_can_enter():
    for name in {*MODE_NAMES, *LADDER}:
        assert parsed(name).name == name
    assert parsed("mcts", "features").config.network == "features"
    assert parsed("minimax", "features").network == "features"
    assert parsed("use_null_move=0").config.params == (("use_null_move", 0),)
    for wrong in ("nothing", "mcts,nothing=1"):
        with pytest.raises(InputError):
            parsed(wrong)
    for name in ("mcts", "minimax"):
        with pytest.raises(InputError):
            parsed(name, "no-such.network")


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "expectimax", "mcts", "uct", "alphago", "alphazero"])
def test_all_searches_spend_the_nodes_of_the_budget(name):
    search, position = parsed(name).new_search(), Game().position
    found = choose_move(search, position, MoveBudget(3000, Unit.POSITIONS))
    longest = 1000 if name in ("uct", "alphago") else 0  # a playout is not cut off
    assert 3000 - 16 <= found.nodes <= 3200 + longest
    if isinstance(search, PositionCounting):
        assert found.nodes >= search.nodes  # iterations


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "expectimax", "mcts", "uct"])
def test_all_searches_spend_the_cpu_time_of_the_budget(name):
    """However busy the machine is: what counts is the time in which this process computes."""
    search, position = parsed(name).new_search(), Game().position
    search.load()
    search.run(position, Limits(nodes=1))
    found = choose_move(search, position, MoveBudget(40, Unit.CPU_TIME))
    assert 0.04 <= found.seconds < 0.4
    assert found.move in Game().legal_moves()


def test_a_pair_of_games_is_the_same_again():
    uct = replace(parsed("uct"), budget=MoveBudget(2000, Unit.POSITIONS))
    first, again, other = (GamePair(number, Opening(moves=("e2e4",)), uct, participant("random"), PLAYED_OUT, 7)()
                           for number in (0, 0, 1))
    moves = [[[move.move for move in game.moves] for game in games] for games in (first, again, other)]
    assert moves[0] == moves[1] != moves[2]
    assert [game.players for game in first] == [("uct", "random"), ("random", "uct")]


def test_who_plays_whom():
    small, large = MoveBudget(10, Unit.CPU_TIME), MoveBudget(30, Unit.CPU_TIME)
    modes = tuple(parse_participant(name, None, small) for name in ("alphabeta", "minimax", "expectimax", "random"))
    one, two = Tournament(modes, (small,)).pairings(), Tournament(modes, (small, large)).pairings()
    assert len(one) == 6 + 4 and sum(pairing.is_played_out for pairing in one) == 4
    # Six pairings at each budget, and three modes that meet themselves; the random mover spends nothing at either.
    assert len(two) == len({pairing.key for pairing in two}) == 6 + 6 + 3
    assert {pairing.second.budget for pairing in two if pairing.second.name == "random"} == {small}
    links = [pairing for pairing in two if pairing.first.name == pairing.second.name]
    assert {(pairing.first.budget, pairing.second.budget) for pairing in links} == {(large, small)}


def test_a_table_has_points_score_and_elo():
    results = [result("a", "b", 1, 1, 0.5, 1), result("a", "c", 1, 1, 1, 1), result("b", "c", 0.5, 1, 0.5, 1)]
    rated = ratings(results)
    assert standings.headings(standings.names_of(results)) == ("points of", "a", "b", "c", "score", "Elo")
    rows = standings.cross_table(results, rated)
    assert [row[:5] for row in rows] == [("a", "-", "3.5", "4", "94 %"), ("b", "0.5", "-", "3", "44 %"),
                                         ("c", "0", "1", "-", "12 %")]
    elos = [rated.rating(participant(name)).value for name in "abc"]
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
    elo = ratings([found]).difference(participant("a"), participant("b"))
    assert elo.value == pytest.approx(0, abs=1e-6)


def test_an_illegal_move_forfeits_the_game():
    game, legal = Game(), Game().legal_moves()[0]
    record = play_game(0, Opening(), ("honest", lambda position: Result(legal, 0, 1, 5, 0.1)),
                       ("cheat", lambda position: Result(legal, 0, 1, 5, 0.1)), PLAYED_OUT)
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
    assert [row[1:] for row in rows] == [("100", "-", "5.0"), ("200", "-", "10.0")]


def test_elo_by_budget_says_who_overtakes_whom():
    small, large = MoveBudget(10, Unit.CPU_TIME), MoveBudget(100, Unit.CPU_TIME)

    def met(first: Participant, second: Participant, *points: float) -> PairingResult:
        return PairingResult(first, second, summaries=result("a", "b", *points).summaries)

    results = [met(participant("tree", small), participant("plain", small), 0, 0, 0.5, 0),
               met(participant("tree", large), participant("plain", large), 1, 1, 0.5, 1),
               met(participant("tree", large), participant("tree", small), 1, 1, 1, 1),
               met(participant("plain", large), participant("plain", small), 1, 0.5, 0.5, 0.5)]
    rated = ratings(results)
    assert standings.crossings(results, rated, (small, large)) == ["tree overtakes plain between 10 ms and 100 ms"]
    curves, errors = standings.curves(results, rated)
    assert {name: list(curve[0]) for name, curve in curves.items()} == {"tree": [10, 100], "plain": [10, 100]}
    assert curves["tree"][1][1] > curves["tree"][1][0] and all(low >= 0 for low in errors["tree"][0])
    rows = standings.budget_rows(results, rated, (small, large))
    assert [len(row) for row in rows] == [3, 3]


def test_moves_to_win_have_an_interval_by_ranks():
    """By the table of the sign test: all of 5 games, the 2nd and 9th of 10, the 6th and 15th of 20."""
    for games, low, high in ((5, 1, 5), (6, 1, 6), (10, 2, 9), (20, 6, 15)):
        found = result("minimax", "random")
        found.summaries += [result("minimax", "random", 1, moves=number).summaries[0]
                            for number in range(1, games + 1)]
        assert found.moves_to_win_range == (low, high)
    assert result("minimax", "random", 0).moves_to_win_range is None


def test_each_step_says_from_which_budget_on_it_pays():
    budgets = tuple(MoveBudget(amount, Unit.POSITIONS) for amount in (10, 100, 1000))
    results = [PairingResult(participant("tree", budget), participant("plain", budget),
                             summaries=result("a", "b", *points).summaries)
               for budget, points in zip(budgets, ((0, 0, 0, 0.5), (1, 1, 0.5, 1), (1, 1, 1, 1)), strict=True)]
    results += [PairingResult(participant(name, more), participant(name, less),
                              summaries=result("a", "b", 1, 0.5).summaries)
                for name in ("tree", "plain") for less, more in itertools.pairwise(budgets)]
    (sentence,) = standings.paying_steps(ratings(results), budgets, ("plain", "tree"))
    assert sentence.startswith(f"tree pays over plain from {budgets[1]} on: +")
    (sentence,) = standings.paying_steps(ratings(results), budgets, ("tree", "plain"))
    assert sentence.startswith(f"plain does not pay over tree up to {budgets[2]}: -")


def test_openings_and_adjudication_are_said():
    said = Tournament((participant("random"),), (NODES,), 7).conditions()
    assert "random openings (--seed 7)" in said and "both colours" in said and "+10 pawns" in said


def test_iterations_of_trees_are_counted():
    found = choose_move(parsed("uct").new_search(), Game().position, MoveBudget(3000, Unit.POSITIONS))
    assert 0 < found.iterations < found.nodes
    assert choose_move(parsed("minimax").new_search(), Game().position, NODES).iterations == 0


def test_assumptions_are_tested_without_adjudication():
    results = [result("minimax", "alphabeta", 0, 0, is_played_out=True),
               result("minimax", "random", 1, 1, is_played_out=True, moves=9),
               result("expectimax", "alphabeta", 0.5, 0, is_played_out=True),
               result("expectimax", "random", 1, 1, is_played_out=True, moves=8)]
    assert standings.assumption_rows(results) == [("the full search", "0 %", "-", "25 %", "-"),
                                                  ("a random mover", "100 %", "9 [9, 9]", "100 %", "8 [8, 8]")]
    assert standings.assumption_rows(results[:1])[0] == ("the full search", "0 %", "-", "-", "-")
    assert standings.assumption_rows([result("minimax", "random", 1)]) == []
    assert (PLAYED_OUT.draw_score, PLAYED_OUT.win_score, PLAYED_OUT.by_tables) == (None, None, False)


def table_of(out: str) -> str:
    """The cross table; what moves cost comes below it, and CPU time differs from run to run."""
    return out.split("\n\n", maxsplit=1)[0]


def test_the_same_seed_gives_the_same_table_and_what_was_interrupted_is_continued(capsys, tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    status, out, _ = run(capsys, "compare", "tournament", *QUICK, "--games", "4", "--out", str(whole))
    assert status == 0 and "points of" in out and "CPU ms" in out
    lines = whole.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3  # the description, and two pairs of games for each of three pairings
    part.write_text("".join(lines[:4]) + lines[4][:20])  # killed while it wrote
    status, again, _ = run(capsys, "compare", "tournament", *QUICK, "--games", "4", "--out", str(part))
    assert status == 0 and table_of(again) == table_of(out)
    without_time = [[{**part, "seconds": 0} if isinstance(part, dict) else part for part in json.loads(line)]
                    for line in lines[1:]]
    assert without_time == [[{**game, "seconds": 0} if isinstance(game, dict) else game for game in json.loads(line)]
                            for line in part.read_text().splitlines()[1:]]
    status, _, err = run(capsys, "compare", "tournament", *QUICK, "--seed", "2", "--out", str(part))
    assert status == 2 and f"{part} is a tournament with other seed" in err


@pytest.mark.parametrize(("words", "message"), [
    (("--games", "0"), "--games: must be at least 1"),
    (("--player", "mcts"), "two players or more"),
    (("--player", "mcts", "--player", "mcts"), "named twice"),
    (("--player", "mcts", "--player", "dfs"), "no player 'dfs': neither a mode nor a config as in `match`"),
    (("--player", "mcts", "--player", "dfs"), f"; the modes are {', '.join(MODE_NAMES)}, uct-light, "),
    (("--player", "mcts", "--player", "mtcs,refine_visits=0"), "the modes are alphabeta, mcts,"),
    (("--nodes", "5", "--time", "5"), "not allowed with"),
    (("--nodes", "100,50"), "must be in rising order"),
    (("--nodes", "100,x"), "'x' is not an integer"),
    (("--network", "no-such.network"), "no-such.network"),
])
def test_bad_input_is_one_line(capsys, words, message):
    status, out, err = run(capsys, "compare", "tournament", *words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1


@pytest.mark.slow
def test_a_tournament_of_all_modes_by_cpu_time(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    status, out, _ = run(capsys, "compare", "tournament", "--time", "5,20", "--games", "2", "--plots", str(tmp_path))
    assert status == 0
    assert out.splitlines()[1].startswith("alphabeta")
    assert (tmp_path / "budgets.svg").stat().st_size > 1000
