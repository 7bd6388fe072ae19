"""Rock, paper, scissors: both choose at the same time. Minimax does not apply, since it lets the second player see the
first one's choice. An opponent who prefers one action can be exploited; but a player who exploits him always plays the
same, and can be exploited himself. What can be learned in such a game? Regret matching: after every game ask what each
action would have brought, and play in future what you regret not having played.
"""

from __future__ import annotations

import random

from engine.cli.tables import print_table
from engine.course.curves import chart
from engine.course.pseudocode import side_by_side
from engine.course.quiz import quiz
from engine.course.reference.exercises.hidden import regret_of_a_hand, strategy_from_regrets
from engine.course.reference.games.rockpaperscissors import NAMES, PAPER, PAYOFFS, ROCK, RockPaperScissors
from engine.course.reference.minimax import minimax
from engine.course.reference.regret import RegretMatcher, exploitability, highest, matched, regrets, value
from engine.course.reference.requirements import face_up
from engine.course.svg import stacked

ROCK_LOVER = (0.5, 0.25, 0.25)


def minimax_does_not_apply():
    """What minimax thinks of the game, played with open cards as it needs to be: MIN answers every choice with what
    beats it.
    """
    game = face_up(RockPaperScissors())
    print("value by minimax:", minimax(game, game.initial()), "   (the truth is 0)")


def one_game():
    """You played rock, the other paper, and you lost 1. Rock again would have brought as little, paper would have
    drawn, scissors would have won. The regret of an action is what it would have brought less what you got.
    """
    found = regrets(PAYOFFS, ROCK, PAPER)
    print("regrets of", ", ".join(NAMES), "=", found)
    print("next strategy:", _shown(matched(found)))


def summed_regrets():
    """Regrets are summed over all games. Negative sums count as zero; the rest is scaled to probabilities."""
    print("(-1, 1, 2) becomes", _shown(matched((-1, 1, 2))))


def the_first_algorithm():
    """A first algorithm: always play the action with the highest summed regret. Against an opponent who prefers rock it
    learns paper. But it is never in doubt, and an opponent who knows the algorithm computes the same sums, knows what
    comes, and beats it every time. Regret matching plays each action in proportion to its regret, so that its next
    action cannot be predicted. What each wins a game, over 1,000 games:
    """
    rows = []
    for name, choose in (("highest regret", highest), ("regret matching", matched)):
        against = [_earned(choose, lambda strategy, chance: chance.choices(range(3), ROCK_LOVER)[0]),
                   _earned(choose, lambda strategy, chance: (strategy.index(max(strategy)) + 1) % 3)]
        rows.append((name, *(f"{won:+.2f}" for won in against)))
    print_table(("plays", "against one who prefers rock", "against one who foresees it"), rows)


def against_one_who_prefers_rock():
    """The opponent plays rock half of the time. After 1,000 games paper has won out, and brings 1/4 a game. But an
    opponent who noticed would play scissors, and win every game.
    """
    chance, learner = random.Random(1), RegretMatcher(3)
    points = {name: [] for name in NAMES}
    for game in range(1, 1001):
        strategy = learner.strategy
        mine, theirs = chance.choices(range(3), strategy)[0], chance.choices(range(3), ROCK_LOVER)[0]
        learner.learn(regrets(PAYOFFS, mine, theirs), strategy)
        for hand, name in enumerate(NAMES):
            points[name].append((game, learner.average[hand]))
    print("strategy:", _shown(learner.strategy))
    print(f"it wins {value(PAYOFFS, learner.strategy, ROCK_LOVER):+.2f} a game, and could be exploited for "
          f"{exploitability(PAYOFFS, learner.strategy):+.2f}")
    return chart("P2 learns against a P1 who prefers rock: P2's average strategy", ("games", "probability"), points,
                 levels={"P1's rock": ROCK_LOVER[0]})


def against_itself():
    """Two learners play each other. The strategy of the moment never comes to rest: each chases the other round. But
    the average of all strategies so far converges to the equilibrium, a third each, which cannot be exploited.
    """
    chance, learners = random.Random(5), (RegretMatcher(3), RegretMatcher(3))
    current, average, second = ({name: [] for name in NAMES} for _ in range(3))
    for game in range(1, 10_001):
        strategies = [learner.strategy for learner in learners]
        mine, theirs = (chance.choices(range(3), strategy)[0] for strategy in strategies)
        learners[0].learn(regrets(PAYOFFS, mine, theirs), strategies[0])
        learners[1].learn(regrets(PAYOFFS, theirs, mine), strategies[1])
        if game % 25 == 0:
            for hand, name in enumerate(NAMES):
                current[name].append((game, learners[0].strategy[hand]))
                average[name].append((game, learners[0].average[hand]))
                second[name].append((game, learners[1].average[hand]))
        if game in {100, 1000, 10_000}:
            print(f"after {game:>6} games: now {_shown(learners[0].strategy)}   on average "
                  f"{_shown(learners[0].average)}")
    axes = ("games", "probability")
    return stacked([chart("Regret matching against itself: P1's strategy of the moment", axes, current),
                    *(chart(f"Regret matching against itself: {name}'s average strategy", axes, points,
                            levels={"1/3": 1 / 3}) for name, points in (("P1", average), ("P2", second)))])


def the_pseudo_code():
    """The pseudo-code of the notes, and the line of engine/course/reference that does each of its lines."""
    print(side_by_side("regret"))


def your_turn():
    """Update regrets, and play by them."""
    quiz(regret_of_a_hand, strategy_from_regrets)


def _earned(choose, answer):
    """What a learner wins on average: `choose` makes a strategy of regrets, `answer` is the opponent's hand to it."""
    chance, learner, won = random.Random(1), RegretMatcher(3), 0
    for _ in range(1000):
        strategy = choose(learner.totals)
        mine, theirs = chance.choices(range(3), strategy)[0], answer(strategy, chance)
        learner.learn(regrets(PAYOFFS, mine, theirs), strategy)
        won += PAYOFFS[mine][theirs]
    return won / 1000


def _shown(strategy):
    return "(" + ", ".join(f"{chance:.3f}" for chance in strategy) + ")"
