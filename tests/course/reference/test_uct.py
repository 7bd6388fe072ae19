"""Monte Carlo tree search and AlphaZero on games whose truth is known."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from engine.course.reference import alphazero
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.board import ConnectFour, RowGame, TicTacToe, parse_grid
from engine.course.reference.learning import learn
from engine.course.reference.minimax import minimax
from engine.course.reference.network import Network
from engine.course.reference.solved import solve
from engine.course.reference.uct import greedy, most_visited, new_node, pure_monte_carlo, search, select, simulate, ucb1

TIC_TAC_TOE = TicTacToe()


@pytest.mark.parametrize("text", ["xx.oo....", "xo..x...o", ".........", "x...o...x", "xo..x...."])
def test_uct_finds_a_perfect_move_in_a_thousand_iterations(text):
    game, board = TIC_TAC_TOE, parse_grid(text)
    table = solve(game, board)
    values = {action: table[game.result(board, action)].value for action in game.actions(board)}
    for seed in range(5):
        root = search(game, board, 1000, random.Random(seed))
        assert values[most_visited(root)] == table[board].value
        assert root.visits == 1000 == sum(child.visits for child in root.children.values())


def score(game: RowGame, ours, theirs, games: int) -> list[int]:
    """Wins, draws and losses of the first, who begins every other game; players are functions of a board."""
    results = [0, 0, 0]
    for number in range(games):
        seat, board = number % 2, game.initial()
        while not game.is_terminal(board):
            board = game.result(board, (ours if game.to_move(board) == seat else theirs)(board))
        results[1 - int(game.utility(board, seat))] += 1
    return results


def perfect_player(game: RowGame, chance: random.Random):
    """One who picks among the best moves at random."""
    table = solve(game, game.initial())

    def play(board):
        values = {action: table[game.result(board, action)].value for action in game.actions(board)}
        return chance.choice([action for action in values if values[action] == table[board].value])

    return play


@pytest.mark.slow
def test_uct_draws_tic_tac_toe_against_perfect_play():
    chance = random.Random(1)

    def uct_player(board):
        return most_visited(search(TIC_TAC_TOE, board, 1000, chance))

    wins, draws, losses = score(TIC_TAC_TOE, uct_player, perfect_player(TIC_TAC_TOE, chance), 100)
    assert (wins, draws + losses) == (0, 100)
    assert draws >= 95


def test_uct_answers_the_only_defence():
    """MIN has to stop a row; UCT counts utilities for whoever moves."""
    board = parse_grid("xx..o....")
    assert TIC_TAC_TOE.to_move(board) == MIN
    assert most_visited(search(TIC_TAC_TOE, board, 1000, random.Random(3))) == 2
    assert pure_monte_carlo(TIC_TAC_TOE, board, 300, random.Random(3)) == 2


def test_ucb1_prefers_what_is_promising_and_what_is_rarely_tried():
    good, rare = (new_node(TIC_TAC_TOE, TIC_TAC_TOE.initial()) for _ in range(2))
    good.visits, good.total, rare.visits, rare.total = 50, 40.0, 1, 0.5
    assert ucb1(rare, 51) > ucb1(good, 51)
    assert ucb1(good, 51, exploration=0) == 0.8 > ucb1(rare, 51, exploration=0)
    root = new_node(TIC_TAC_TOE, TIC_TAC_TOE.initial())
    assert select(TIC_TAC_TOE, root, random.Random(0)) is root  # it has untried moves


def test_a_better_playout_policy_is_nearer_to_the_truth():
    """A move wins at once; so does every playout that sees it."""
    board = parse_grid("xx. oo. ...")
    chance = random.Random(2)
    wild = sum(simulate(TIC_TAC_TOE, board, chance) for _ in range(200)) / 200
    assert simulate(TIC_TAC_TOE, board, chance, greedy) == minimax(TIC_TAC_TOE, board) == 1 > wild


def test_random_play_cannot_tell_a_win_from_a_draw():
    """The board of the lesson: between random movers 2,1, which wins, is worth as much as 2,3, which draws."""
    board, game = parse_grid("xo. .x. ..o"), TIC_TAC_TOE

    def expected(state):
        if game.is_terminal(state):
            return Fraction(int(game.utility(state, MAX)))
        actions = game.actions(state)
        return sum(expected(game.result(state, action)) for action in actions) / len(actions)

    table = solve(game, board)
    by_chance = {action: expected(game.result(board, action)) for action in game.actions(board)}
    truth = {action: table[game.result(board, action)].value for action in game.actions(board)}
    assert by_chance[3] == by_chance[5] == Fraction(1, 2)
    assert truth == {2: 0, 3: 1, 5: 0, 6: 1, 7: 0}


def test_connect_four_drops_stones_and_sees_rows():
    game = ConnectFour()
    board = game.initial()
    for column in (0, 1, 0, 1, 0, 1):
        board = game.result(board, column)
    assert game.text(board).split() == [".....", "xo...", "xo...", "xo..."]
    assert game.utility(game.result(board, 0), MAX) == 1
    assert game.winner(parse_grid("..... ...o. ..ox. .oxx. oxxo.".replace(" ", "")[5:])) == MIN
    assert game.actions(parse_grid("x.o.. x.o.. o.x.. o.x..")) == [1, 3, 4]
    assert len(game._lines) == 4 * 2 + 5 * 1 + 2 * 2  # across, down, diagonals


def test_gradients_of_the_network_are_those_of_its_loss():
    chance = np.random.default_rng(0)
    network = Network(4, 6, 3)
    examples = chance.normal(size=(5, 4)), chance.uniform(-1, 1, 5), chance.dirichlet([1.0] * 3, 5)
    for name, gradient in network.gradients(*examples).items():
        weights = network.weights[name]
        for index in np.ndindex(weights.shape):
            kept, nudge = weights[index], 1e-6
            losses = []
            for moved in (kept + nudge, kept - nudge):
                weights[index] = moved
                losses.append(network.loss(*examples))
            weights[index] = kept
            assert gradient[index] == pytest.approx((losses[0] - losses[1]) / (2 * nudge), abs=1e-6)


def test_alphazero_counts_visits_and_wins_at_once():
    network = alphazero.new_network(TIC_TAC_TOE)
    for text, move in (("xx.oo....", 2), ("xx.oo...x", 5)):
        root = alphazero.search(TIC_TAC_TOE, network, parse_grid(text), 100)
        assert root.visits == 100
        assert alphazero.most_visited(root) == move


def test_the_network_of_alphazero_learns_from_its_games():
    """After some dozen games it sees most rows of three without any search."""
    network = alphazero.new_network(TIC_TAC_TOE)
    wins = {"xx.oo....": 2, "x.ox.o...": 6, "..x.xo..o": 6}

    def answers():
        found = [(network.predict(alphazero.encode(TIC_TAC_TOE, parse_grid(text))), move) for text,
                 move in wins.items()]
        return (sum(value[0] for (value, _), _ in found) / len(wins),
                sum(policy[0, move] for (_, policy), move in found) / len(wins))

    value, attention = answers()
    assert abs(value) < 0.15 and attention < 0.15
    for _ in learn(TIC_TAC_TOE, network, 60, iterations=40):
        pass
    value, attention = answers()
    assert value > 0.2 and attention > 0.3


@pytest.mark.slow
def test_alphazero_learns_tic_tac_toe():
    chance, network = random.Random(0), alphazero.new_network(TIC_TAC_TOE)

    def player(board):
        return alphazero.most_visited(alphazero.search(TIC_TAC_TOE, network, board, 100))

    perfect = perfect_player(TIC_TAC_TOE, chance)
    before = score(TIC_TAC_TOE, player, perfect, 100)
    for _ in learn(TIC_TAC_TOE, network, 300):
        pass
    after = score(TIC_TAC_TOE, player, perfect, 100)
    assert after[2] <= 10 < before[2], (before, after)


@pytest.mark.slow
def test_alphazero_learns_connect_four():
    """It overtakes UCT, which has as many iterations, and playouts in place of the network."""
    game, chance = ConnectFour(), random.Random(0)
    network = alphazero.new_network(game)

    def player(board):
        return alphazero.most_visited(alphazero.search(game, network, board, 60))

    def uct_player(board):
        return most_visited(search(game, board, 60, chance))

    before = score(game, player, uct_player, 100)
    for _ in learn(game, network, 400, iterations=60):
        pass
    after = score(game, player, uct_player, 100)
    assert after[0] - after[2] > max(before[0] - before[2] + 40, 0), (before, after)
