"""Alpha-beta returns minimax's value and leaves out what cannot change it. On its way down it remembers two numbers:
alpha, what MAX is sure of already, and beta, what MIN is sure of. As soon as alpha reaches beta, one of them has
something better elsewhere, and the rest of the node does not matter.
"""

from __future__ import annotations

import random

from engine.course.cutoffs import predict
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.alphabeta import alphabeta, alphabeta_search
from engine.course.reference.exercises.question import plain
from engine.course.reference.exercises.trees import back_up, next_cutoff
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import Count, minimax
from engine.course.reference.trace import Trace
from engine.course.trees import outline, picture, traced

GAME = TreeGame([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
DEEPER = TreeGame([[[5, 6], [7, 4], [3, 2]], [[6, 1], [8, 9]], [[5, 2], [9, 8]]])
DEEP = TreeGame([5, [[[4, 9], [3, 7]], 8]])
LEGEND = ("α, β: what MAX and MIN were sure of when the node was entered. Small numbers: the order of visits.",
          "≤ and ≥: a bound, since something below was cut off. Red strokes: cut off, never looked at.")


def the_tree_of_the_minimax_lesson():
    """The tree of the minimax lesson once more: MAX has three moves, and MIN answers with 3, 12 or 8 to the first, with
    2, 4 or 6 to the second, with 14, 5 or 2 to the third. The first move is worth 3. The second needs one look: MIN can
    hold MAX to 2 there, and MAX has 3 already. Its value stays unknown, at most 2 (≤ 2), and that is enough. The third
    move is unlucky: its bad leaf comes last, and all must be seen; so its value, 2, is exact.
    """
    trace = Trace()
    move = alphabeta_search(GAME, GAME.initial(), count=trace)
    tree = traced(GAME, trace, has_windows=True)
    print(outline(tree))
    print(f"\nMAX plays {'abc'[move]}, which is worth {plain(trace.root.value)}.")
    return picture(tree, "Alpha-beta: two of nine leaves are cut off", LEGEND)


def predict_the_next_cut_off():
    """Now you. The tree below has three plies, MAX, MIN and MAX, and its leaves have letters. Alpha-beta looks at them
    from a to n and skips some. After which leaf comes each cutoff? You name the last leaf that is looked at before it;
    then you see what is skipped, and why.
    """
    predict(DEEPER)


def the_answer_drawn():
    """The same tree with all windows. See how alpha and beta are handed down, and which values are only bounds."""
    trace = Trace()
    alphabeta(DEEPER, DEEPER.initial(), count=trace)
    tree = traced(DEEPER, trace, has_windows=True)
    print(outline(tree))
    return picture(tree, "Alpha-beta, three plies deep", LEGEND)


def a_better_choice_higher_up():
    """What cuts off need not stand next door: a better choice anywhere higher up will do. Here MAX is sure of 5 at the
    root. Four plies down MIN finds a 4: play will not come here, since MAX would have left the way at the root. The
    MAX node just above knows no alternative of its own; alpha came down to it from the root. That is a deep cutoff.
    """
    trace = Trace()
    alphabeta_search(DEEP, DEEP.initial(), count=trace)
    tree = traced(DEEP, trace, has_windows=True)
    print(outline(tree))
    deep = [visit for visit in trace.visits if visit.skipped and visit.alpha == trace.root.children[0].value]
    print(f"\n{len(deep)} cutoffs by the {plain(deep[0].alpha)} of the root's first move; "
          f"{trace.leaves} of 6 leaves looked at")
    return picture(tree, "Deep cutoffs: alpha comes from the root", LEGEND)


def the_value_never_changes():
    """Whatever the tree, the root's value is minimax's. A thousand random trees, three branches wide and five plies
    deep:
    """
    chance, whole, pruned = random.Random(1), Count(), Count()

    def random_tree(depth):
        return chance.randint(-99, 99) if depth == 0 else [random_tree(depth - 1) for _ in range(3)]

    for _ in range(1000):
        game = TreeGame(random_tree(5))
        assert minimax(game, game.initial(), count=whole) == alphabeta(game, game.initial(), count=pruned)
    print(f"minimax     {whole.leaves / 1000:5.1f} leaves a tree")
    print(f"alpha-beta  {pruned.leaves / 1000:5.1f} leaves a tree, and the same value every time")


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("alphabeta"))


def your_turn():
    """Other trees: find the first cutoff, and the value that it does not change."""
    quiz(next_cutoff, back_up)
