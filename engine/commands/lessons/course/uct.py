"""Monte Carlo tree search needs no evaluation: a state is worth what games played on from it bring on average. Four
steps are repeated. Select: go down the tree by UCB1, which prefers what is promising and what is uncertain. Expand:
add one node. Simulate: play on at random to the end. Back-propagate: tell every node on the way what came of it. In
the end the most-visited move is played.
"""

from __future__ import annotations

import itertools
import random

from engine.commands.lessons.growth import LEGEND, grown, growth_text
from engine.commands.lessons.svg import stacked
from engine.commands.lessons.trees import picture
from engine.commands.shared.tables import print_table
from engine.reference.games.board import TicTacToe, board_of
from engine.reference.tables import solve
from engine.reference.uct import (
    back_propagate,
    expand,
    greedy,
    grow,
    most_visited,
    new_node,
    search,
    select,
    simulate,
    ucb1,
    uniform,
)

GAME = TicTacToe()
BOARD = board_of("xo. .x. ..o")
LOOKS = (10, 50, 400)


def four_steps_once():
    """One iteration at a time. Here x is to move and has five moves; squares are named by row and column."""
    print(GAME.text(BOARD), "\n")
    chance, root = random.Random(4), new_node(GAME, BOARD)
    for number in range(1, 7):
        leaf = select(GAME, root, chance)
        leaf = expand(GAME, leaf, chance)
        utility = simulate(GAME, leaf.state, chance)
        back_propagate(GAME, leaf, utility)
        depth = len(list(_line(leaf))) - 1
        print(f"iteration {number}: a new node at depth {depth}; its playout brings x {utility:g}")
    print("\nUCB1 of each move now, which decides where the next iteration goes:")
    print_table(("move", "visits", "average", "UCB1"),
                [(_square(BOARD, action), str(child.visits), f"{child.total / child.visits:+.2f}",
                  f"{ucb1(child, root.visits):.2f}") for action, child in root.children.items()])


def the_tree_grows():
    """The same tree later. Visits go where it pays, and the averages approach the truth, random playouts or not."""
    pictures = []
    for number, root in enumerate(itertools.islice(grow(GAME, BOARD, random.Random(4)), max(LOOKS)), 1):
        if number in LOOKS:
            print(f"after {number} iterations:\n{growth_text(root, _square)}")
            pictures.append(picture(grown(GAME, root, _square, widest=4), f"UCT after {number} iterations", LEGEND))
    best = most_visited(root)
    print(f"\nx plays {_square(BOARD, best)}; the table of all states says: "
          f"{solve(GAME, BOARD)[GAME.result(BOARD, best)].value:+g} for x")
    return stacked(pictures)


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


def _square(state, action):
    return f"{action // 3 + 1},{action % 3 + 1}"


def _line(node):
    while node is not None:
        yield node
        node = node.parent
