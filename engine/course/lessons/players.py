"""With more than two players a single number no longer says who is better off. A state is worth a tuple, one utility
for each player; at every node the one to move picks the child that is best for it, and the whole tuple is backed
up. The sum need not be zero, and it can pay to spare a rival.
"""

from __future__ import annotations

import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.trees import tuple_backed_up
from engine.course.reference.game import CHANCE
from engine.course.reference.games.truel import AIR, Field, Truel
from engine.course.reference.maxn import choose, utilities
from engine.course.reference.uct import roll
from engine.course.trees import Drawn, outline, picture

SKILLS = (1 / 3, 2 / 3, 1.0)
NAMES = ("Ann", "Bob", "Cleo")
TUPLES = [[[(1, 2, 6), (4, 3, 3)], [(6, 1, 2), (7, 4, 1)]], [[(5, 1, 1), (2, 5, 2)], [(7, 7, 1), (5, 4, 5)]]]


def tuples_on_a_tree():
    """A tree for three: A moves first, then B, then C. At each leaf stands what A, B and C get. C compares the third
    numbers, B looks at what C will pick and compares the second, A the first. The sums differ: it is no zero-sum game.
    """
    drawn, values = _tuple_tree(TUPLES, 0)
    print(outline(drawn))
    print(f"\nbacked up to the root: {values}")
    return picture(drawn, "Three players: each maximises its own number", ["Beside each node: who moves there."])


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


def a_natural_alliance():
    """At whom does each aim, if it were his turn and all three stand? Bob and Cleo at each other, the strongest rival.
    Ann, who shoots into the air, gains by either's fall: the weaker are natural allies against the strongest, without
    a word between them. As soon as Cleo is gone, the alliance is over: then Ann and Bob aim at each other.
    """
    game, table = Truel(SKILLS, rounds=12), {}
    for alive in ((0, 1, 2), (0, 1)):
        for shooter in alive:
            target = choose(game, Field(alive, shooter, 36 - shooter), (0, 1, 2), table)
            print(f"{' and '.join(NAMES[player] for player in alive):<21} {NAMES[shooter]:<4} aims "
                  f"{'into the air' if target == AIR else 'at ' + NAMES[int(target)]}")


def it_looks_like_cooperation():
    """Where sums are not zero, play may look like cooperation or like competition, and be neither: each maximises its
    own number, and does not care about the others'. A thousand random choices of one player among three tuples of two
    numbers: how often was the choice also the best for the other, and how often the worst?
    """
    chance, helpful, harmful = random.Random(1), 0, 0
    for _ in range(1000):
        tuples = [(chance.random(), chance.random()) for _ in range(3)]
        mine, theirs = max(tuples)[1], [other for _, other in tuples]
        helpful += mine == max(theirs)
        harmful += mine == min(theirs)
    print(f"looks like cooperation: {helpful / 10:.0f} %   looks like competition: {harmful / 10:.0f} %   "
          "and each time the player looked at his own number only")


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


def the_duel_is_played():
    """Two thousand duels, in which all three play by their tuples. How often each is the last one standing:"""
    game, table, chance, wins = Truel(SKILLS, rounds=12), {}, random.Random(1), [0, 0, 0]
    for _ in range(2000):
        field = game.initial()
        while not game.is_terminal(field):
            if game.to_move(field) == CHANCE:
                action = roll(game, field, chance)
            else:
                action = choose(game, field, (0, 1, 2), table)
            field = game.result(field, action)
        for player in range(3):
            wins[player] += int(game.utility(field, player))
    print("   ".join(f"{name} {won / 2000:.3f} (expected {exact}/63)"
                     for name, won, exact in zip(NAMES, wins, (25, 24, 14), strict=True)))


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("maxn"))


def your_turn():
    """Back up tuples: each player looks at one number only."""
    quiz(tuple_backed_up)


def _tuple_tree(tree, depth):
    """The tree as it is drawn, and the tuple that is backed up to its root."""
    if isinstance(tree, tuple):
        return Drawn("leaf", _tuple(tree), size=1.7), tree
    below = [_tuple_tree(child, depth + 1) for child in tree]
    best = max(below, key=lambda found: found[1][depth])
    node = Drawn("node", _tuple(best[1]), notes=("ABC"[depth],), size=1.7, children=[child for child, _ in below])
    best[0].is_best = True
    return node, best[1]


def _tuple(values):
    return " ".join(map(str, values))
