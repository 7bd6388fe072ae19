"""Six functions make a game: where it begins, who is to move, which moves there are, where a move leads, when the game
is over, and what it is then worth to each player. An algorithm that asks for nothing else plays every game.

Our game: from a number N, the players take turns to take one away or to halve it, rounding down. Whoever is left with
0 wins.
"""

from __future__ import annotations

from engine.cli.tables import print_table
from engine.course.graphs import graph_picture, tree_nodes
from engine.course.quiz import quiz
from engine.course.reference.exercises.trees import halve_or_take
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.board import TicTacToe, parse_grid
from engine.course.reference.games.halving import Halving
from engine.course.reference.minimax import minimax
from engine.course.reference.solved import solve
from engine.course.reference.trace import Trace
from engine.course.svg import stacked
from engine.course.trees import outline, picture, traced

GAME = Halving(5)
SHORT = {"take one": "take", "halve": "halve"}


def the_six_functions():
    """Here they are, asked one by one (engine/course/reference/game.py)."""
    state = GAME.initial()
    print("initial()          ", state)
    print("to_move(state)     ", GAME.to_move(state), "   MAX is 0, MIN is 1")
    print("actions(state)     ", GAME.actions(state))
    after = GAME.result(state, "halve")
    print("result(state, ...) ", after)
    print("is_terminal(state) ", GAME.is_terminal(after))
    while not GAME.is_terminal(after):
        after = GAME.result(after, "take one")
    print("utility(state, p)  ", GAME.utility(after, MAX), "for MAX and", GAME.utility(after, MIN), "for MIN at", after)


def the_whole_tree():
    """The game is small enough to write down everything that can happen. The number beside a node is the pile; the
    value in it is what MAX gets if both play well from there: 1 if he wins, -1 if he loses.
    """
    trace = Trace()
    minimax(GAME, GAME.initial(), count=trace)
    tree = traced(GAME, trace, way=lambda state, action: SHORT[action], note=lambda state: str(state.number))
    print(outline(tree))
    return picture(tree, "The halving game from 5", ["Beside each node: the number that is left."])


def trees_and_graphs():
    """The tree has a node for every way to play, so that a state stands in it as often as it can be reached. The graph
    of states has each once. From 5 the halving game is small in both; tic-tac-toe is not: here are the last three
    squares of a game, and what the numbers become with more of them.
    """
    board = TicTacToe()
    for text in ("xox oox ...", "xox .o. ...", "x.. .o. ...", "... ... ..."):
        state = parse_grid(text)
        print(f"{text.count('.')} empty squares: {len(solve(board, state)):>5,} states, "
              f"{tree_nodes(board, state, {}):>7,} nodes")
    state, trace = parse_grid("xox oox ..."), Trace()
    minimax(board, state, count=trace)
    tree = traced(board, trace, way=lambda state, action: f"{action // 3 + 1},{action % 3 + 1}", start=state)
    return stacked([picture(tree, "The end of a game of tic-tac-toe", ["On the lines: row and column of the square."]),
                    graph_picture(GAME, "The halving game from 5: each state once",
                                  lambda state: f"{state.number} {'MAX' if state.player == MAX else 'MIN'}")])


def a_strategy():
    """A solution is not a sequence of moves, since the opponent has a say in it. It is a strategy: an answer to every
    state in which it can be your turn. This table is one for MAX.
    """
    table = solve(GAME, GAME.initial())
    print_table(("number left", "MAX's best move", "value"),
                [(str(state.number), str(entry.action), f"{entry.value:+g}")
                 for state, entry in sorted(table.items(), key=lambda item: -item[0].number)
                 if state.player == MAX and entry.action])


def your_turn():
    """Who wins from other numbers? Work backwards from 0."""
    quiz(halve_or_take)
