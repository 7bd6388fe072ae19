"""Monte Carlo tree search guesses twice: which move to look at, and how a game would end. AlphaGo, which beat Lee Sedol
in 2016, let networks guess: one, trained on the moves of experts and then by reinforcement, proposed moves; and the
result of a playout was mixed with the opinion of a trained value function. AlphaZero gave the playouts up: the value
alone stands where the playout stood, the policy says which moves deserve visits, and both are learned from the games
that the search plays against itself. The search is better than the network, so the network learns to guess what the
search would find, and the search becomes better still.

Here it is for tic-tac-toe, in NumPy: engine/course/reference/alphazero.py, learning.py and network.py. It learns while
you watch, for some ten seconds.
"""

from __future__ import annotations

import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.growth import guided
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.alphazero import encode, most_visited, new_network, search
from engine.course.reference.exercises.chance import child_by_puct
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.learning import learn
from engine.course.reference.solved import solve
from engine.course.svg import stacked
from engine.course.trees import picture

GAME = TicTacToe()
TABLE = solve(GAME, GAME.initial())
NETWORK = new_network(GAME)
GAMES, LOOKS, ITERATIONS = 80, (0, 40, 80), 90
MATCH = 20  # games against a perfect player
BOARD, WINS = parse_grid("o.x .ox ..."), 8  # the square that completes a row
GUIDED_LEGEND = ("In each node the number of its visits, beside or below it the average utility of MAX.",
                 "On the lines the policy. Moves without a visit are not drawn.",
                 "Blue: MAX does well there. Thick lines: the most-visited moves.")


def it_learns_from_its_games():
    """Before any game the network knows nothing: all moves are alike to it. Then it plays eighty games. Watch three
    things: what it expects, without any search, of positions in which a row can be completed at once (+1 is right); how
    much of its attention goes to the moves that do so; and how often the search that it guides does not lose against a
    perfect player.
    """
    losses, rows = [], []
    lessons = learn(GAME, NETWORK, GAMES, ITERATIONS)
    for number in range(GAMES + 1):
        if number in LOOKS:
            rows.append((str(number), *_thoughts(NETWORK), f"{_not_lost(NETWORK)} of {MATCH}"))
        if number < GAMES:
            losses.append((number + 1, next(lessons)))
    print_table(("games", "value of won positions", "attention to winning moves", "not lost"), rows)
    return chart("AlphaZero learns tic-tac-toe", ("games played against itself", "loss of the network"),
                 {"loss": losses})


def policy_and_tree():
    """Two networks look at one board on which x, to move, can complete a row: one that has not played yet, and the one
    that has just learned. First the policy alone, in per cent for each empty square. Then the tree of twelve iterations
    that it guides: the better the policy, the fewer visits are wasted.
    """
    print(GAME.text(BOARD) + "\n")
    pictures = []
    for name, network in (("before any game", new_network(GAME)), (f"after {GAMES} games", NETWORK)):
        value, policy = network.predict(encode(GAME, BOARD))
        root = search(GAME, network, BOARD, 12)
        print(f"{name}: value {value[0]:+.2f}, policy\n{_grid(policy[0])}")
        print(f"x plays {_square(most_visited(root))}; {root.children[WINS].visits} of 12 visits went to "
              f"{_square(WINS)}, which wins\n")
        pictures.append(picture(guided(root, _square), f"Twelve iterations guided by the network {name}",
                                GUIDED_LEGEND))
    return stacked(pictures)


def what_the_four_steps_became():
    """Select goes by average and policy, expand adds all children at once with their policy, simulate is the value, and
    back-propagate is as ever. Compare engine/course/reference/alphazero.py with uct.py beside it, function by function.
    The real ones differ in size: deeper networks, millions of games. AlphaStar, for StarCraft, first learned to imitate
    people's moves, and then went on by self-play.
    """
    print("engine/course/reference: uct.py, alphazero.py, learning.py, network.py")


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("puct"))


def your_turn():
    """Select as AlphaZero does. The policy counts most where there were few visits."""
    quiz(child_by_puct)


def _square(action):
    return f"{action // 3 + 1},{action % 3 + 1}"


def _grid(policy):
    """The share of the policy on each empty square, as the board lies."""
    whole = sum(policy[action] for action in GAME.actions(BOARD))
    cells = [f"{policy[square] / whole:4.0%}" if owner is None else "   " + "xo"[owner]
             for square, owner in enumerate(BOARD)]
    return "\n".join("  ".join(cells[start : start + 3]) for start in (0, 3, 6))


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
    return f"{sum(values) / len(values):+.2f}", f"{100 * sum(shares) / len(shares):.0f} %"


def _not_lost(network):
    """How many games against a player who looks the best moves up are not lost."""
    chance, kept = random.Random(0), 0
    for number in range(MATCH):
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
