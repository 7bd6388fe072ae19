"""Six functions make a game: where it begins, who is to move, which moves there are, where a move leads, when the game
is over, and what it is then worth to each player. An algorithm that asks for nothing else plays every game.

Our game: from a number N, the players take turns to take one away or to halve it, rounding down. Whoever is left with
0 wins.
"""

from __future__ import annotations

from engine.commands.course.quiz import quiz
from engine.commands.course.trees import outline, picture, traced
from engine.commands.shared.tables import print_table
from engine.reference.exercises.trees import halve_or_take
from engine.reference.game import MAX, MIN
from engine.reference.games.halving import Halving
from engine.reference.minimax import minimax
from engine.reference.solved import solve
from engine.reference.trace import Trace

GAME = Halving(5)
SHORT = {"take one": "take", "halve": "halve"}


def the_six_functions():
    """Here they are, asked one by one (engine/reference/game.py)."""
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
