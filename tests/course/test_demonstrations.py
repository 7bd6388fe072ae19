"""What the lessons demonstrate, against truth found in another way: by hand, by integrals, or by exhaustive search."""

from __future__ import annotations

import math
import random
import re
import statistics

import chess
import numpy as np
import pytest

from engine.course.graphs import graph_picture, layers, tree_nodes
from engine.course.lessons import alphabeta, hidden, horizon, minimax, notes, players, uct
from engine.course.meetings import LECTURE, meeting_rows
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games import backgammon
from engine.course.reference.games import chess as chess_game
from engine.course.reference.games.backgammon import BackgammonState, SmallBackgammon
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.games.chess import Chess
from engine.course.reference.games.halving import Halving
from engine.course.reference.imitation import imitate, learned, mixed_value
from engine.course.reference.minimax import Count
from engine.course.reference.minimax import minimax as minimax_value
from engine.course.reference.solved import solve
from engine.course.reference.trace import OpenNodes
from engine.course.reference.uct import simulate, uniform
from engine.course.slides import Market

GAME = TicTacToe()


def test_trees_and_graphs_are_counted():
    for text in ("xox oox ...", "xox .o. ...", "xo. .o. ..."):
        board, count = parse_grid(text), Count()
        minimax_value(GAME, board, count=count)
        assert tree_nodes(GAME, board, {}) == count.nodes
    assert tree_nodes(GAME, GAME.initial(), {}) == 549_946
    game = Halving(5)
    states = [state for layer in layers(game) for state in layer]
    assert set(states) == set(solve(game, game.initial())) and len(set(states)) == len(states)
    assert graph_picture(game, "title", str).text().count("<rect") >= len(states)


def test_space_is_the_line_that_is_looked_at():
    for plies in (2, 5):
        tree = 0
        for _ in range(plies):
            tree = [tree] * 3
        game, count = minimax.TreeGame(tree), OpenNodes()
        minimax_value(game, game.initial(), count=count)
        assert count.most == plies + 1 < count.nodes


def test_deep_cutoffs_come_from_the_root(capsys):
    alphabeta.a_better_choice_higher_up()
    out = capsys.readouterr().out
    assert "3 cutoffs by the 5 of the root's first move; 3 of 6 leaves" in out
    assert re.findall(r"cut off: (\d)", out) == ["9", "7", "8"]


def test_the_compromise_lies_between_what_both_would_like(capsys):
    notes.the_two_ply_tree()
    wish, fear, value = map(int, re.findall(r"MAX would like (\d), MIN (\d); (\d)", capsys.readouterr().out)[0])
    assert (wish, fear, value) == (8, 1, 2) and value == minimax_value(notes.TWO_PLIES, notes.TWO_PLIES.initial())


def test_where_errors_lead(capsys):
    """The probability by integration: 99 plus an error above the smallest of 100, 101, 102 and 100 plus errors."""
    horizon.where_errors_lead()
    share = int(re.findall(r"better in (\d+) %", capsys.readouterr().out)[0])
    normal, points = statistics.NormalDist(0, 5), np.linspace(-40, 40, 4001)
    width = points[1] - points[0]
    b_is_above = [math.prod(1 - normal.cdf(99 + error - leaf) for leaf in (100, 101, 102, 100)) for error in points]
    expected = 1 - sum(normal.pdf(error) * above * width for error, above in zip(points, b_is_above, strict=True))
    assert share == pytest.approx(100 * expected, abs=1.5)


def test_one_legal_move_costs_nodes_that_cannot_matter(capsys):
    assert chess.Board(horizon.ONE_MOVE).legal_moves.count() == 1
    horizon.work_that_cannot_matter()
    assert int(re.findall(r"is played: (\d+)", capsys.readouterr().out)[0]) > 20


def test_the_evaluation_is_correlated_once_the_turn_is_known(capsys):
    horizon.fast_and_correlated()
    both, *known = map(float, re.findall(r"correlation ([-+\d.]+)", capsys.readouterr().out))
    assert abs(both) < 0.1 and min(known) > 0.25


def test_the_umpire_of_kriegspiel_by_hand(capsys):
    """e5 is refused after 1... e5 only, exd5 is legal after 1... d5 only, Ba6 is refused after 1... b5 only."""
    hidden.kriegspiel()
    out = capsys.readouterr().out
    assert [(int(yes), int(no)) for yes, no in re.findall(r"that (..) remain after yes, (..) after no", out)] == [
        (19, 1), (1, 19), (19, 1)]


def test_own_numbers_alone_look_like_cooperation_in_a_third_of_all_choices(capsys):
    players.it_looks_like_cooperation()
    shares = [int(share) for share in re.findall(r"(\d+) %", capsys.readouterr().out)]
    assert shares == pytest.approx([100 / 3, 100 / 3], abs=4)


def test_the_weak_are_allies_until_the_strong_is_gone(capsys):
    players.a_natural_alliance()
    aims = [line.partition("aims ")[2] for line in capsys.readouterr().out.splitlines()]
    assert aims == ["into the air", "at Cleo", "at Bob", "at Bob", "at Ann"]


def test_curiosity_spreads_visits(capsys):
    uct.curiosity()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    visits = [[int(cell) for cell in row[-6:-1]] for row in rows]
    assert all(sum(row) == 1000 for row in visits)
    spread = [statistics.pstdev(row) for row in visits]
    assert spread == sorted(spread, reverse=True) and spread[-1] < 10 and spread[0] > 300


def test_a_learned_playout_policy_is_nearer_to_the_truth():
    table = solve(GAME, GAME.initial())
    boards = random.Random(9).sample([board for board in table if board.count(None) >= 5
                                      and not GAME.is_terminal(board)], 60)
    policy = learned(imitate(GAME, table, 1500))

    def error(chosen):
        chance = random.Random(2)
        return sum(abs(sum(simulate(GAME, board, chance, chosen) for _ in range(20)) / 20 - table[board].value)
                   for board in boards)

    assert error(policy) < 0.75 * error(uniform)


def test_a_learned_playout_policy_loses_fewer_games_where_iterations_are_few():
    """Against perfect play, which nobody beats."""
    policy = learned(imitate(GAME, solve(GAME, GAME.initial()), 1500), sharpness=4)
    by_chance, by_policy = (uct._against_perfect_play(10, chosen, 120, seed=7) for chosen in (uniform, policy))
    assert set(by_chance) | set(by_policy) <= {0, -1}
    assert by_policy.count(-1) < 0.8 * by_chance.count(-1)


def test_a_leaf_of_alphago_is_half_a_playout_and_half_the_network():
    table, board = solve(GAME, GAME.initial()), parse_grid("xo. .x. ..o")
    network = imitate(GAME, table, 300)
    value, played, mixed = (mixed_value(GAME, network, board, random.Random(3), share) for share in (0, 1, 0.5))
    assert played in {-1, 0, 1} and -1 < value < 1 and mixed == pytest.approx((value + played) / 2)
    assert mixed_value(GAME, network, parse_grid("xxx oo. ..."), random.Random(0)) == 1


def test_games_pay_what_the_notes_say():
    mate, stalemate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
    game = Chess(payoffs=chess_game.POINTS)
    assert [game.utility(mate, MAX), game.utility(mate, MIN)] == [1, 0]
    assert [game.utility(stalemate, player) for player in (MAX, MIN)] == [1 / 2, 1 / 2]
    game = SmallBackgammon(stakes=backgammon.POINTS)
    sides = [(low, high) for high in range(1, game.length + 1) for low in range(high + 1)]
    paid = {game.utility(BackgammonState(((0, 0), side)), player) for side in sides for player in (MAX, MIN)}
    assert paid == {0, 64, 128, 3 * 64} and (min(paid), max(paid)) == (0, 192)


def test_prices_come_to_rest_where_as_much_is_offered_as_is_wanted():
    market = Market(random.Random(4))
    for _ in range(200):
        market.next_day()
    assert abs(market.wanted() - market.offered()) <= 2


def test_pacman_differs_by_what_is_said():
    for row, points in zip(meeting_rows(5), LECTURE.values(), strict=True):
        assert int(row[1]) - points == int(row[5]) and abs(int(row[5])) <= 1 and int(row[4]) == points
