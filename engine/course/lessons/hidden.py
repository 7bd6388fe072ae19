"""In Kriegspiel you do not see the opponent's pieces, in poker not his cards, in Battleship not his ship. What you have
is a belief state: the configurations that are possible, and how likely each is. Optimal play reasons about the present
and the future beliefs of every player. A simple approximation averages the value of an action over all configurations
of what is hidden, each played on as if it were seen. Where does that go wrong?

Battleship in small: both hide a ship of two squares in a row of four, then they fire in turn; the first to hit wins.
"""

from __future__ import annotations

import random

import chess

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.quiz import quiz
from engine.course.reference.beliefs import averaged, averaging_plan, belief, uniform
from engine.course.reference.cfr import averages, best_response, exploitability, minimise, value
from engine.course.reference.exercises.hidden import belief_after_miss, call_or_fold
from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import MAX, MIN
from engine.course.reference.games.battleship import Battleship, Sea
from engine.course.reference.games.kuhn import Kuhn
from engine.course.reference.requirements import face_up
from engine.course.svg import stacked
from engine.course.trees import picture, planned

GAME, POKER = Battleship(), Kuhn()
PLACES = ("squares 1-2", "squares 2-3", "squares 3-4")
LOOKS = (1, 3, 10, 30, 100, 200)


def belief_states():
    """You hide your ship on squares 1 and 2, and fire first. As long as you know nothing of the opponent, all three
    places of his ship are equally likely. You fire at square 2 and miss; he fires at 3 and misses. What do you believe
    now?
    """
    for when, view in (("before the first shot", (MAX, (0,), ())), ("after your miss at 2", (MAX, (0,), (1, 2)))):
        thought = belief(GAME, view, MAX)
        listed = ", ".join(f"{PLACES[sea.ships[1]]}: {likely:.2f}" for sea, likely in thought.items())
        print(f"{when:<22} {listed}")


def kriegspiel():
    """Kriegspiel is chess in which nobody sees the other's men; an umpire says whether a move is legal. White plays e4,
    Black plays something. How many positions does White think possible, and what does an answer of the umpire tell?
    """
    start = chess.Board()
    start.push_san("e4")
    thought = []
    for reply in start.legal_moves:
        board = start.copy()
        board.push(reply)
        thought.append(board)
    print(f"after 1. e4 and a hidden reply: {len(thought)} positions")
    for text in ("e4e5", "e4d5", "f1a6"):
        move = chess.Move.from_uci(text)
        legal = [board for board in thought if board.is_legal(move)]
        print(f"White tries {text}: legal in {len(legal):2}, so that {len(legal):2} remain after yes, "
              f"{len(thought) - len(legal):2} after no")


def averaging_over_what_is_hidden():
    """Kuhn poker, with the queen against a bet. The other holds the jack or the king, each as likely as the other as
    far as you know. Value each action for each card, as if the cards lay open, and average:
    """
    thought, seen = belief(POKER, "Qb", MIN), face_up(POKER)
    names = {"p": "fold", "b": "call"}
    print_table(("you", *(f"the other has {'JQK'[table.cards[0]]}" for table in thought), "average"),
                [(names[action], *(f"{-expectiminimax(seen, seen.result(table, action)):+.0f}" for table in thought),
                  f"{0.0 - averaged(POKER, thought, action):+.1f}") for action in "pb"])


def where_averaging_errs():
    """Now hide a ship. If everything were seen, the first shot would hit wherever you hide: to averaging all three
    places are alike. But the ship in the middle is hit by a shot at 2 and by one at 3. Regret minimisation finds out:
    """
    *_, learners = minimise(GAME, LOOKS[-1])
    learned, naive = averages(learners), averaging_plan(GAME, MIN)
    print_table(("how often hidden on", *PLACES),
                [(name, *(f"{share:.2f}" for share in plan((MIN, (), ()), 3)))
                 for name, plan in (("averaging", naive), ("regret minimisation", learned))])
    print(f"\nan opponent who knows it wins against averaging {best_response(GAME, MAX, naive):+.3f} a game,")
    print(f"against regret minimisation {best_response(GAME, MAX, learned):+.3f}; the value of the game is +0.500")


def averaging_never_bluffs():
    """The same in poker: a player who expects the cards to be shown after the next move never bluffs. How often
    each bets the jack, and what both seats together lose, on average, to opponents who know the strategy:
    """
    *_, learners = minimise(POKER, 1000)
    learned, naive = averages(learners), _both_seats(POKER)
    print_table(("", "bets the jack first", "bets the jack after a pass", "exploitable"),
                [(name, *(f"{plan(view, 2)[1]:.2f}" for view in ("J", "Jp")), f"{exploitability(POKER, plan):.3f}")
                 for name, plan in (("averaging", naive), ("regret minimisation", learned))])


def both_play():
    """A tournament of Battleship: what the first player wins a game, if each of the two plays in one of three ways. A
    thousand games each, and in brackets what is expected.
    """
    *_, learners = minimise(GAME, LOOKS[-1])
    plans = {"at random": uniform, "averaging": _both_seats(GAME), "regret": averages(learners)}
    chance, rows = random.Random(1), []
    for first, mine in plans.items():
        cells = []
        for theirs in plans.values():
            def plan(view, actions, mine=mine, theirs=theirs):
                return (mine if view[0] == MAX else theirs)(view, actions)

            won = sum(_play(plan, chance) for _ in range(1000)) / 1000
            cells.append(f"{won:+.2f} ({value(GAME, GAME.initial(), plan):+.2f})")
        rows.append((first, *cells))
    print_table(("first player", *(f"against {name}" for name in plans)), rows)


def it_converges():
    """The exact solution: hide at either end with probability 1/2, fire at 2 or 3 with probability 1/2, then at the
    other one; 1 is as good as 2, and 4 as 3. The first player hits at once half of the time; else the other does half
    of the time; else the first does: 3/4 of all games, which is worth 3/4 - 1/4 = 1/2.
    """
    rows, points = [], []
    for number, learners in enumerate(minimise(GAME, LOOKS[-1]), 1):
        if number in LOOKS:
            plan = averages(learners)
            rows.append((str(number), f"{value(GAME, GAME.initial(), plan):.4f}", f"{exploitability(GAME, plan):.4f}"))
            points.append((number, exploitability(GAME, plan)))
    print_table(("iterations", "value", "exploitability"), rows)
    tree = planned(GAME, Sea((0, 2)), plan, lambda state, action: f"{action + 1}:")
    return stacked([chart("Battleship: how much the average strategy can be exploited",
                          ("iterations", "exploitability"), {"CFR": points}, is_log=(True, True)),
                    picture(_upper(tree), "Ships at 1-2 and 3-4: where both fire, and how often",
                            ["In the nodes: what the first player gets on average. Squares: a hit ends the game."])])


def your_turn():
    """What do you believe, and what is it worth?"""
    quiz(belief_after_miss, call_or_fold)


def _both_seats(game):
    """Averaging as a plan for both players; poker's views, a card and what was done, tell whose turn it is."""
    seats = averaging_plan(game, MAX), averaging_plan(game, MIN)
    known = {}

    def plan(view, actions):
        if view not in known:
            player = view[0] if isinstance(view, tuple) else (len(view) - 1) % 2
            known[view] = seats[player](view, actions)
        return known[view]

    return plan


def _play(plan, chance):
    """One game by a plan for both; returns what the first player gets."""
    sea = GAME.initial()
    while not GAME.is_terminal(sea):
        actions = GAME.actions(sea)
        sea = GAME.result(sea, chance.choices(actions, plan(GAME.view(sea), len(actions)))[0])
    return GAME.utility(sea, MAX)


def _upper(tree):
    """The first two shots, without what is never played and without what is known, for which there is no room."""
    for node in tree.all():
        node.notes = ()
        node.children = [child for child in node.children if not child.way.endswith(" 0.00")]
    for first in tree.children:
        for second in first.children:
            second.children = []
    return tree
