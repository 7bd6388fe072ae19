"""Dice and coins have no will. A chance node is worth the average of its children, each weighted by its probability.
An opponent who does not care can be modelled in the same way: MAX maximises, the others average. With MAX, MIN and
chance in one tree it is called expectiminimax.
"""

from __future__ import annotations

from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import average_of_chance, bucket_by_belief
from engine.course.reference.exercises.question import plain
from engine.course.reference.expectimax import expectimax, expectiminimax
from engine.course.reference.game import CHANCE, MAX
from engine.course.reference.games.buckets import BucketGame
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import decide, minimax
from engine.course.reference.trace import Trace
from engine.course.trees import outline, picture, traced

BUCKETS = ((-50, 50), (1, 3), (-5, 15))
NAMES = "ABC"


def a_chance_node():
    """Three things can happen: 8 with probability 1/2, 24 with 1/3, -12 with 1/6."""
    odds, shown = (1 / 2, 1 / 3, 1 / 6), ("1/2", "1/3", "1/6")
    game, trace = TreeGame([8, 24, -12], (CHANCE,), odds), Trace()
    expectiminimax(game, game.initial(), count=trace)
    tree = traced(game, trace, way=lambda state, action: shown[action])
    print(f"1/2 x 8 + 1/3 x 24 + 1/6 x (-12) = {plain(expectiminimax(game, game.initial()))}")
    return picture(tree, "A chance node is worth the average")


def nothing_can_be_left_out():
    """Alpha-beta has no simple counterpart. Here the first move brings 3, 3 or 3, the second -10, -10 or 1000, each
    with probability 1/3. After two leaves of the second move MAX seems better off with the first. The third leaf
    decides alone: a single branch may dominate the average.
    """
    game, trace = TreeGame([[3, 3, 3], [-10, -10, 1000]], (MAX, CHANCE)), Trace()
    for move in (0, 1):
        print(f"move {move + 1}: {expectiminimax(game, game.result(game.initial(), move)):.1f}")
    expectiminimax(game, game.initial(), count=trace)
    return picture(traced(game, trace, way=lambda state, action: "1/3" if state.depth else f"move {action + 1}"),
                   "The last leaf decides alone", ["No leaf below a chance node can be left out."])


def buckets():
    """The bucket game: MAX picks a bucket, then the second player takes a number from it, which MAX wants high.

    A: -50, 50. B: 1, 3. C: -5, 15. What to pick depends on who takes the number.
    """
    game = BucketGame(BUCKETS)
    pessimist = decide(game, game.initial(), lambda state: minimax(game, state))
    optimist = decide(game, game.initial(), lambda state: expectimax(game, state, lambda _: (0.5, 0.5)))
    print(f"if it is an adversary: {NAMES[pessimist]}, worth {minimax(game, game.initial()):g}")
    print(f"if it is a coin toss:  {NAMES[optimist]}, worth "
          f"{expectimax(game, game.initial(), lambda _: (0.5, 0.5)):g}")


def buckets_with_a_coin():
    """Now a coin is tossed after MAX's choice: heads moves one bucket to the left, from A round to C. Then an
    adversary takes the number. MAX, chance and MIN in one tree:
    """
    game, trace = BucketGame(BUCKETS, has_coin=True), Trace()
    expectiminimax(game, game.initial(), count=trace)
    tree = traced(game, trace, way=_named)
    print(outline(tree))
    return picture(tree, "Buckets with a coin: expectiminimax",
                   ["Heads moves one bucket to the left, and from A round to C."])


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("expectimax"))


def your_turn():
    """Average chance nodes, and choose between them."""
    quiz(average_of_chance, bucket_by_belief)


def _named(state, action):
    if state.bucket is None:
        return NAMES[action]
    return "" if state.is_settled else ("tails ½", "heads ½")[action]
