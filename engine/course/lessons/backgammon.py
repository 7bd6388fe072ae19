"""Backgammon mixes both: two adversaries, and dice before every move. MAX, MIN and chance take turns in the tree, and
expectiminimax backs the values up. Here it is in small: a track of six points, two checkers each, running against each
other, and two dice with three faces. A checker that stands alone can be hit and has to start again; two together are
safe, and block the point. Whoever bears both off first wins 1, and 2 if the other has not borne off any.
"""

from __future__ import annotations

import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.chance import average_of_chance
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import MAX
from engine.course.reference.games.backgammon import BackgammonState, SmallBackgammon, rolls
from engine.course.reference.minimax import Count
from engine.course.reference.planner import Planner
from engine.course.reference.trace import Trace
from engine.course.reference.uct import roll
from engine.course.svg import stacked
from engine.course.trees import picture, traced

GAME = SmallBackgammon()
CONTACT = BackgammonState(((5, 6), (3, 6)), MAX, (1, 2))  # x has rolled 1 and 2
MATCH = 400  # games
PLIES = {None: "random", 1: "1 ply", 3: "3 plies", 5: "5 plies"}


def to_hit_or_to_run():
    """Here x runs to the right, o to the left, and x has rolled 1 and 2. Two checkers on one point are written as a
    capital; a checker that was hit waits outside. Three plays are possible. To each belongs the average over what can
    be rolled in the next five plies.
    """
    print(GAME.text(CONTACT) + "\n")
    for play in GAME.actions(CONTACT):
        after = GAME.result(CONTACT, play)
        print(f"{GAME.text(after)}   worth {expectiminimax(GAME, after, 5, GAME.evaluate):+.3f}")


def the_tree():
    """One move of each side, and the dice between them: six rolls, of which 1-2, 1-3 and 2-3 are twice as likely as
    1-1, 2-2 and 3-3.
    """
    trace, start = Trace(), BackgammonState(((2, 2), (1, 2)), MAX, (1, 1))
    value = expectiminimax(GAME, start, 3, GAME.evaluate, trace)
    tree = traced(GAME, trace, way=_named, start=start, depth=3)
    print(f"{GAME.text(start)}: worth {value:+.3f}, from {trace.leaves} leaves")
    return picture(tree, "x has rolled 1-1: his plays, o's rolls, o's plays",
                   ["On the lines: where the mover's checkers then stand, or the roll."])


def why_depth_is_dear():
    """Every ply of dice multiplies the tree by the number of different rolls: here 6, in backgammon 21. With about 20
    plays to a roll, a move in backgammon has some 420 successors, against 35 in chess. So backgammon programs look two
    or three plies ahead, and their strength lies in the evaluation.
    """
    rows, curves = [], {"this game": [], "backgammon": [], "chess": []}
    for moves in (1, 2, 3):
        count = Count()
        expectiminimax(GAME, GAME.initial(), 2 * moves, GAME.evaluate, count)
        figures = count.leaves, 420**moves, 35**moves
        rows.append((str(moves), *(f"{figure:,}" for figure in figures)))
        for points, figure in zip(curves.values(), figures, strict=True):
            points.append((moves, figure))
    print_table(("moves ahead", "leaves here", "backgammon: (21 x 20)^d", "chess: 35^d"), rows)
    print(f"\nrolls of two dice: {len(rolls(3))} with three faces, {len(rolls(6))} with six")
    return stacked([chart("Leaves by moves ahead", ("moves ahead", "leaves"), curves, is_log=(False, True))])


def what_depth_buys():
    """Players who look 1, 3 and 5 plies ahead, dice counted, with an evaluation that only compares who has less way to
    go. One ply sees no dice; three see the opponent's roll and his hits; five see a little more.
    """
    chance = random.Random(1)
    players = {depth: Planner(GAME, depth, GAME.evaluate) for depth in (1, 3, 5)}
    rows = []
    for mine, theirs in ((1, None), (3, None), (3, 1), (5, 1), (5, 3)):
        results = [_play((players[mine], players.get(theirs)), number % 2, chance) for number in range(MATCH)]
        rows.append((PLIES[mine], PLIES[theirs],
                     f"{100 * sum(result > 0 for result in results) / MATCH:.0f} %", f"{sum(results) / MATCH:+.2f}"))
    print_table(("player", "against", "won", "points a game"), rows, left=("against",))


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("expectiminimax"))


def your_turn():
    """Average over the dice."""
    quiz(average_of_chance)


def _named(state, action):
    return "-".join(map(str, action))


def _play(players, starts, chance):
    """What the first of two players gets; None moves at random."""
    track = BackgammonState(GAME.initial().checkers, starts)
    while not GAME.is_terminal(track):
        if track.roll is None:
            action = roll(GAME, track, chance)
        else:
            player = players[track.player]
            action = chance.choice(GAME.actions(track)) if player is None else player.choose(track)
        track = GAME.result(track, action)
    return GAME.utility(track, MAX)
