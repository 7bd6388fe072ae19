"""Monte Carlo tree search needs no evaluation: a state is worth what games played on from it bring on average. Four
steps are repeated. Select: go down the tree by UCB1, which prefers what is promising and what is uncertain. Expand:
add one node. Simulate: play on at random to the end. Back-propagate: tell every node on the way what came of it. In
the end the most-visited move is played.
"""

from __future__ import annotations

import itertools
import random

from engine.commands.course.growth import LEGEND, grown, growth_text
from engine.commands.course.quiz import quiz
from engine.commands.course.svg import stacked
from engine.commands.course.trees import picture
from engine.commands.shared.tables import print_table
from engine.reference.exercises.chance import child_by_ucb1, move_played
from engine.reference.games.board import TicTacToe, parse_grid
from engine.reference.solved import solve
from engine.reference.uct import (
    back_propagate,
    expand,
    greedy,
    grow,
    most_visited,
    new_node,
    pure_monte_carlo,
    search,
    select,
    simulate,
    ucb1,
    uniform,
)

GAME = TicTacToe()
BOARD = parse_grid("xo. .x. ..o")
LOOKS = (10, 50, 400, 3000)
PLAYOUTS = 80  # of each move: 400 in all
WIDEST = 5, 2  # moves of the root, and replies to each, that are drawn: no more are legible on a wall
GROWTH_LEGEND = (*LEGEND, "Of the replies to each move, the two most visited are drawn.")


def four_steps_once():
    """One iteration at a time. Here x is to move and has five moves; squares are named by row and column. As long as a
    move of the root is untried, it comes first; after that UCB1 chooses: average + C sqrt(ln N / n), where n counts the
    visits of the move, N those of its parent, and C is sqrt 2.
    """
    print(GAME.text(BOARD) + "\n")
    chance, root = random.Random(4), new_node(GAME, BOARD)
    for number in range(1, 7):
        leaf = select(GAME, root, chance)
        leaf = expand(GAME, leaf, chance)
        utility = simulate(GAME, leaf.state, chance)
        back_propagate(GAME, leaf, utility)
        print(f"iteration {number}: adds the node after {_moves(leaf)}; its playout brings x {utility:g}")
    print(f"\nUCB1 of each move after {root.visits} iterations. The next one goes where it is highest:")
    print_table(("move", "visits", "average", "UCB1"),
                [(_square(BOARD, action), str(child.visits), f"{child.total / child.visits:+.2f}",
                  f"{ucb1(child, root.visits):.2f}") for action, child in root.children.items()])
    return picture(grown(GAME, root, _square), "UCT after six iterations", LEGEND)


def the_tree_grows():
    """The same tree later. Visits go where it pays, and the average of a move that is visited often approaches the
    truth, although playouts are random: bad replies are visited less and less. A move that is visited seldom keeps the
    average of its first, random playouts. Look at 2,1 and 2,3 after 400 iterations: 2,1 wins and 2,3 only draws, but
    the tree does not know it yet. After 3,000 it does: UCB1 never gives a move up for good, so that in the end both
    winning moves are found.
    """
    truth = _truth(BOARD)
    pictures = []
    for number, root in enumerate(itertools.islice(grow(GAME, BOARD, random.Random(4)), max(LOOKS)), 1):
        if number in LOOKS:
            print(f"after {number:,} iterations:\n{growth_text(root, _square, truth)}")
            pictures.append(picture(grown(GAME, root, _square, widest=WIDEST), f"UCT after {number:,} iterations",
                                    GROWTH_LEGEND))
    best = most_visited(root)
    print(f"\nx plays {_square(BOARD, best)}, which is worth {truth[best]:+g} to x")
    return stacked(pictures)


def pure_monte_carlo_search():
    """Without a tree it is pure Monte Carlo search: the same number of random playouts for each move, and the best
    average is played. Bad moves get as many as good ones, and the averages stay what they are between two random
    movers: there 2,1, which wins, and 2,3, which only draws, are both worth 1/2, and no number of playouts can tell
    them apart.
    """
    chance = random.Random(1)
    for action in GAME.actions(BOARD):
        after = GAME.result(BOARD, action)
        average = sum(simulate(GAME, after, chance) for _ in range(PLAYOUTS)) / PLAYOUTS
        print(f"  {_square(BOARD, action)}  {PLAYOUTS} playouts   average {average:+.2f}")
    print(f"\nx plays {_square(BOARD, pure_monte_carlo(GAME, BOARD, PLAYOUTS, random.Random(1)))}")


def against_perfect_play():
    """A thousand iterations a move are enough for tic-tac-toe. Ten games against an opponent who looks his moves up in
    the table of all states, and has the first move in every other game:
    """
    table, chance, drawn = solve(GAME, GAME.initial()), random.Random(2), 0
    for number in range(10):
        board = GAME.initial()
        while not GAME.is_terminal(board):
            if GAME.to_move(board) == number % 2:
                move = most_visited(search(GAME, board, 1000, chance))
            else:
                values = {action: table[GAME.result(board, action)].value for action in GAME.actions(board)}
                move = chance.choice([action for action in values if values[action] == table[board].value])
            board = GAME.result(board, move)
        drawn += GAME.winner(board) is None
    print(f"drawn: {drawn} of 10")


def playout_policies():
    """Playouts need not be random. A policy that takes a win when it sees one is slower and tells more: the average of
    its playouts is nearer to the truth, which is +1 here.
    """
    for name, policy in (("random", uniform), ("greedy", greedy)):
        chance = random.Random(1)
        average = sum(simulate(GAME, BOARD, chance, policy) for _ in range(1000)) / 1000
        print(f"1,000 {name} playouts: {average:+.2f}")


def your_turn():
    """Select by UCB1, and choose the move that is played in the end."""
    quiz(child_by_ucb1, move_played)


def _truth(board):
    """What each move is worth to x, by the table of all states."""
    table = solve(GAME, board)
    return {action: table[GAME.result(board, action)].value for action in GAME.actions(board)}


def _square(state, action):
    return f"{action // 3 + 1},{action % 3 + 1}"


def _moves(node):
    """The moves that lead from the root to a node."""
    moves = []
    while node.parent is not None:
        moves += [_square(node.state, action) for action, child in node.parent.children.items() if child is node]
        node = node.parent
    return " and ".join(reversed(moves))
