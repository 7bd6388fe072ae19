"""With more than two players a single number no longer says who is better off. A state is worth a tuple, one utility
for each player; at every node the one to move picks the child that is best for himself, and the whole tuple is backed
up. The sum need not be zero, and it can pay to spare a rival.
"""

from __future__ import annotations

from engine.commands.course.curves import chart
from engine.commands.course.questions import tuple_backed_up
from engine.commands.course.quiz import quiz
from engine.commands.shared.tables import print_table
from engine.reference.games.truel import AIR, Truel
from engine.reference.maxn import choose, utilities

SKILLS = (1 / 3, 2 / 3, 1.0)
NAMES = ("Ann", "Bob", "Cleo")


def a_duel_of_three():
    """Ann, Bob and Cleo shoot in turn, each at whom they like. Ann hits once in three, Bob twice in three, Cleo
    always. The last one standing wins 1. Ann has the first shot: at whom should she aim? Or should she shoot into the
    air?
    """
    game, table = Truel(SKILLS, rounds=12), {}
    for target in game.actions(game.initial()):
        worth = utilities(game, game.result(game.initial(), target), (0, 1, 2), table)
        name = "into the air" if target == AIR else f"at {NAMES[int(target)]}"
        print(f"{name:<13} Ann {worth[0]:.3f}   Bob {worth[1]:.3f}   Cleo {worth[2]:.3f}")
    assert choose(game, game.initial(), (0, 1, 2), table) == AIR
    print("\nInto the air. If she hit Cleo, Bob would aim at her next; while both stand, they aim at each other.")


def how_far_to_look():
    """The duel could go on for ever; a limit on the number of rounds makes it finite, and soon the limit no longer
    matters. The exact values are known: 25/63, 24/63 and 14/63. The weakest of the three does best.
    """
    curves = {name: [] for name in NAMES}
    rows = []
    for rounds in range(1, 9):
        game = Truel(SKILLS, rounds)
        worth = utilities(game, game.initial(), (0, 1, 2), {})
        rows.append((str(rounds), *(f"{value:.4f}" for value in worth)))
        for name, value in zip(NAMES, worth, strict=True):
            curves[name].append((rounds, value))
    print_table(("rounds", *NAMES), rows)
    return chart("What the duel of three is worth to each", ("rounds at most", "probability to win"), curves,
                 levels={"25/63": 25 / 63})


def your_turn():
    """Back up tuples: each player looks at one number only."""
    quiz(tuple_backed_up)
