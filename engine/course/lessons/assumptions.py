"""Minimax assumes an adversary, expectimax an opponent who moves at random. Either may be wrong about who sits there.
What does it cost?
"""

from __future__ import annotations

import random

from engine.cli.tables import print_table
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import bucket_by_belief
from engine.course.reference.expectimax import expectimax, expectiminimax
from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.reference.games.tree import TreeGame
from engine.course.reference.minimax import decide, minimax
from engine.course.reference.trace import Trace
from engine.course.svg import stacked
from engine.course.trees import picture, traced

BUCKETS = [[-50, 50], [1, 3], [-5, 15]]
TREES = 2000


def one_tree_two_beliefs():
    """The buckets of the expectimax lesson, A: -50, 50. B: 1, 3. C: -5, 15. Whoever believes in an adversary picks B,
    a player who believes in a coin picks C. If the adversary turns up after all, C brings -5 in place of 1.
    """
    pictures = []
    for name, second, search in (("an adversary", MIN, minimax), ("a coin", CHANCE, expectiminimax)):
        game, trace = TreeGame(BUCKETS, (MAX, second)), Trace()
        value = search(game, game.initial(), count=trace)
        move = decide(game, game.initial(), lambda state, game=game, search=search: search(game, state))
        print(f"believing in {name}: bucket {'ABC'[move]}, expected to bring {value:g}")
        tree = traced(game, trace, way=lambda state, action: "" if state.depth else "ABC"[action])
        pictures.append(picture(tree, f"Believing in {name}"))
    return stacked(pictures)


def four_meetings():
    """Two thousand random games, in which MAX has five moves and the opponent three answers to each. MAX chooses by one
    assumption and then meets one of the two opponents. What he earns on average:
    """
    chance = random.Random(3)
    games = [TreeGame([[chance.randint(-9, 9) for _ in range(3)] for _ in range(5)]) for _ in range(TREES)]
    opponents = {"an adversary": minimax, "a random mover": _expected}
    rows = []
    for name, plan in (("minimax", minimax), ("expectimax", _expected)):
        earned = []
        for truth in opponents.values():
            total = 0.0
            for game in games:
                move = decide(game, game.initial(), lambda state, plan=plan, game=game: plan(game, state))
                total += truth(game, game.result(game.initial(), move))
            earned.append(f"{total / TREES:+.2f}")
        rows.append((name, *earned))
    print_table(("MAX plays by", *(f"against {name}" for name in opponents)), rows)


def what_follows():
    """Read the table by columns. Against an adversary minimax is right, and expectimax pays for its optimism. Against a
    random mover expectimax is right, and minimax, though safe, earns less than it could. In the lecture's maze game it
    was the same: against a random mover caution earned 493 points instead of 503; against a real adversary optimism won
    one game of five. `adversary class pacman` plays it.

    Chess shows it too: in `adversary compare tournament` minimax and expectimax meet the strongest search and a
    random mover.
    """
    print("Optimism is dangerous, pessimism costs little.")


def your_turn():
    """Choose by what you believe."""
    quiz(bucket_by_belief)


def _expected(game, state):
    return expectimax(game, state, lambda _: (1 / 3, 1 / 3, 1 / 3))
