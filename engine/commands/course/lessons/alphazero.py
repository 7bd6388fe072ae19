"""AlphaGo and AlphaZero replaced both guesses of Monte Carlo tree search by a neural network. Its value stands where
the playout stood, its policy says which moves deserve visits. And the network learns from the games that the search
plays against itself: the search is better than the network, so the network learns to guess what the search would find,
and the search becomes better still.

Here it is for tic-tac-toe, in NumPy: engine/reference/alphazero.py and network.py. It learns while you watch, for
some ten seconds.
"""

from __future__ import annotations

import random

from engine.commands.course.curves import chart
from engine.commands.shared.tables import print_table
from engine.reference.alphazero import encode, learn, most_visited, new_network, search
from engine.reference.games.board import TicTacToe
from engine.reference.solved import solve

GAME = TicTacToe()
TABLE = solve(GAME, GAME.initial())
GAMES, LOOKS, ITERATIONS = 100, (0, 25, 50, 100), 100


def it_learns_from_its_games():
    """Before any game the network knows nothing: all moves are alike to it. Then it plays a hundred games. Watch three
    things: what it expects, without any search, of positions in which a row can be completed at once (+1 is right); how
    much of its attention goes to the moves that do so; and how often the search that it guides does not lose against a
    perfect player.
    """
    network, losses, rows = new_network(GAME), [], []
    lessons = learn(GAME, network, GAMES, ITERATIONS)
    for number in range(GAMES + 1):
        if number in LOOKS:
            rows.append((str(number), *_thoughts(network), f"{_not_lost(network)} of 40"))
        if number < GAMES:
            losses.append((number + 1, next(lessons)))
    print_table(("games", "value of won positions", "attention to winning moves", "not lost"), rows)
    return chart("AlphaZero learns tic-tac-toe", ("games played against itself", "loss of the network"),
                 {"loss": losses})


def what_the_four_steps_became():
    """Select goes by average and policy, expand adds all children at once with their policy, simulate is the value, and
    back-propagate is as ever. Compare engine/reference/alphazero.py with uct.py beside it, function by function. The
    real ones differ in size: deeper networks, millions of games. AlphaStar, for StarCraft, first learned to imitate
    people's moves, and then went on by self-play.
    """
    print("engine/reference: uct.py, alphazero.py, network.py")


def _thoughts(network):
    """The average value, and the average share of the policy on winning moves, where a move wins at once."""
    values, shares = [], []
    for board in TABLE:
        actions = [] if GAME.is_terminal(board) else GAME.actions(board)
        wins = [action for action in actions if GAME.winner(GAME.result(board, action)) is not None]
        if wins:
            value, policy = network.predict(encode(GAME, board))
            values.append(value[0])
            shares.append(policy[0, wins].sum() / policy[0, actions].sum())
    return f"{sum(values) / len(values):+.2f}", f"{sum(shares) / len(shares):.0%}"


def _not_lost(network):
    """Of 40 games against a player who looks the best moves up, those that were drawn."""
    chance, kept = random.Random(0), 0
    for number in range(40):
        board = GAME.initial()
        while not GAME.is_terminal(board):
            is_ours = GAME.to_move(board) == number % 2
            board = GAME.result(board, most_visited(search(GAME, network, board, ITERATIONS)) if is_ours
                                else _perfect(board, chance))
        kept += GAME.utility(board, number % 2) >= 0
    return kept


def _perfect(board, chance):
    values = {action: TABLE[GAME.result(board, action)].value for action in GAME.actions(board)}
    return chance.choice([action for action in values if values[action] == TABLE[board].value])
