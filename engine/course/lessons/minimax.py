"""MAX wants the highest value, MIN the lowest, and each knows that of the other. So a state is worth what follows from
the best moves of both: at MAX's nodes the largest value of the children, at MIN's the smallest, and values are backed
up from the leaves to the root.
"""

from __future__ import annotations

from engine.cli.tables import print_table
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.question import Question, plain
from engine.course.reference.exercises.trees import back_up, best_move, reply_of_the_value
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import minimax, minimax_search
from engine.course.reference.trace import OpenNodes, Trace
from engine.course.trees import outline, picture, traced

GAME = TreeGame([[3, 12, 8], [2, 4, 6], [14, 5, 2]])


def which_move():
    """MAX has three moves, MIN three answers to each. Before you see how minimax decides: which move is best?"""
    quiz(lambda chance: Question("MAX wants the number that is reached to be high, MIN wants it low.\n\n"
                                 "    a: MIN can answer with 3, 12 or 8\n    b: MIN can answer with 2, 4 or 6\n"
                                 "    c: MIN can answer with 14, 5 or 2", "a",
                                 "The 14 tempts, but MIN would answer c with 2; a is worth 3.", tuple("abc")), rounds=1)


def values_are_backed_up():
    """The same as a tree. The search goes down to the left first; the numbers in front give the order of its visits.
    MIN's nodes take the smallest value below them, and the root takes the largest of those.
    """
    trace = Trace()
    best = minimax_search(GAME, GAME.initial(), count=trace)
    tree = traced(GAME, trace, way=lambda state, action: "abc"[action] if state.depth == 0 else "")
    print(outline(tree))
    print(f"\nMAX plays {'abc'[best]}, which is worth {plain(trace.root.value)}.")
    return picture(tree, "Minimax: every node is visited")


def what_it_costs():
    """With b moves in every state and m plies to the end, minimax visits b^m leaves: O(b^m) time. It holds only the
    line that it looks at, and of each node on it the list of moves: O(bm) space. Chess has about 35 moves in a position
    and games of 80 plies: it cannot be searched to the end.
    """
    rows = []
    for b, m in ((2, 4), (3, 4), (3, 6), (6, 4)):
        tree = 0.0
        for _ in range(m):
            tree = [tree] * b
        game, count = TreeGame(tree), OpenNodes()
        minimax(game, game.initial(), count=count)
        rows.append((str(b), str(m), f"{count.leaves:,}", f"{b**m:,}", str(count.most - 1), str(b * (count.most - 1))))
    rows.append(("35", "80", "-", f"about 10^{len(str(35**80)) - 1}", "80", f"{35 * 80:,}"))
    print_table(("b", "m", "leaves visited", "b^m", "plies of the line", "moves held on it"), rows)


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("minimax"))


def your_turn():
    """Back values up yourself."""
    quiz(back_up, best_move, reply_of_the_value)
