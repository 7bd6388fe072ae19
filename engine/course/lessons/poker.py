"""Kuhn poker: a jack, a queen and a king; two players get a card each and put 1 into the pot. The first may bet 1 more
or pass; after a pass the second may bet or pass. Whoever faces a bet calls it with 1 more, or folds and loses what he
has put in. If nobody folds, the higher card wins. Small as it is, it has what makes poker poker: you do not know the
other's card, and it pays to bluff: to bet with a card that wins only if the other folds.

Counterfactual regret minimisation is regret matching in every situation that a player can tell apart: his card and
what was done so far. Such a situation is called an information set. Its regrets are weighted by how likely the others,
and the deal, were to bring him there. Pluribus, which beat professionals at poker for six, joined it with tree search
and self-play.
"""

from __future__ import annotations

import time

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.cfr import averages, exploitability, minimise, value
from engine.course.reference.exercises.hidden import call_or_fold
from engine.course.reference.games.kuhn import JACK, QUEEN, Kuhn, Table
from engine.course.trees import outline, picture, planned

GAME = Kuhn()
LOOKS = (1, 3, 10, 30, 100, 300, 1000, 2000)


def it_converges():
    """The value of the game to the first player is -1/18 = -0.0556. Exploitability is what opponents who know the
    strategy would win from it, on average over both seats; at an equilibrium it is 0.
    """
    rows, points, started = [], [], time.process_time()
    for number, learners in enumerate(minimise(GAME, max(LOOKS)), 1):
        if number in LOOKS:
            plan = averages(learners)
            lost = exploitability(GAME, plan)
            rows.append((f"{number:,}", f"{value(GAME, GAME.initial(), plan):.5f}", f"{lost:.5f}",
                         f"{time.process_time() - started:.1f}"))
            points.append((number, lost))
    print_table(("iterations", "value", "exploitability", "seconds"), rows)
    return chart("Kuhn poker: how much the average strategy can be exploited", ("iterations", "exploitability"),
                 {"CFR": points}, is_log=(True, True))


def the_equilibrium():
    """How often to bet or call, by card and by what was done before. The first player has a choice: he may bluff with
    the jack with any probability p up to 1/3; then he must bet the king with probability 3p, and call with the queen
    with p + 1/3. The second player has no choice: bluff with the jack once in three, call with the queen once in three.
    """
    *_, learners = minimise(GAME, 1000)
    plan = averages(learners)
    situations = {"first to act": "", "first, after pass and bet": "pb", "second, after a pass": "p",
                  "second, after a bet": "b"}
    print_table(("bets or calls", "jack", "queen", "king"),
                [(name, *(f"{plan(card + history, 2)[1]:.3f}" for card in "JQK"))
                 for name, history in situations.items()])
    bluffs = plan("J", 2)[1]
    print(f"\nbluffs with the jack: p = {bluffs:.3f}; 3p = {3 * bluffs:.3f}; p + 1/3 = {bluffs + 1 / 3:.3f}")


def one_deal_drawn():
    """One deal as a tree: the first player holds the queen, the second the jack. Beside the nodes stands what their
    owner knows: his card, and what was done. The second player does not know that he is beaten, and bets one time in
    three after a pass: a bluff. The queen calls about half of the bets, since she cannot know which are bluffs.
    """
    *_, learners = minimise(GAME, 1000)
    plan = averages(learners)
    tree = planned(GAME, Table((QUEEN, JACK)), plan, _deed)
    print(outline(tree))
    return picture(tree, "Kuhn poker: queen against jack, both at the equilibrium",
                   ["In the nodes: what the first player gets on average. On the lines: how often an action is played.",
                    "Thick lines: played at least half of the time."])


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("cfr"))


def your_turn():
    """You hold the queen: average over the cards that the other may hold."""
    quiz(call_or_fold)


def _deed(state, action):
    """What an action is called: after a bet, to pass is to fold and to bet is to call."""
    return {"p": "fold", "b": "call"}[action] if state.history.endswith("b") else {"p": "pass", "b": "bet"}[action]
