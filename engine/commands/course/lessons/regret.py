"""Rock, paper, scissors: both choose at the same time. Minimax does not apply, since it lets the second player see the
first one's choice. An opponent who prefers one action can be exploited; but a player who exploits him always plays the
same, and can be exploited himself. What can be learned in such a game? Regret matching: after every game ask what each
action would have brought, and play in future what you regret not having played.
"""

from __future__ import annotations

import random

from engine.commands.course.curves import chart
from engine.commands.course.quiz import quiz
from engine.commands.course.svg import stacked
from engine.commands.shared.tables import print_table
from engine.reference.exercises.hidden import regret_of_a_hand, strategy_from_regrets
from engine.reference.games.rockpaperscissors import NAMES, PAPER, PAYOFFS, ROCK, RockPaperScissors
from engine.reference.minimax import minimax
from engine.reference.regret import RegretMatcher, exploitability, highest, matched, play, regrets, value

ROCK_LOVER = (0.5, 0.25, 0.25)


def minimax_does_not_apply():
    """What minimax thinks of the game: MIN answers every choice with what beats it."""
    game = RockPaperScissors()
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
    learner, _ = play(PAYOFFS, 1000, random.Random(1), ROCK_LOVER)
    print("strategy:", _shown(learner.strategy))
    print(f"it wins {value(PAYOFFS, learner.strategy, ROCK_LOVER):+.2f} a game, and could be exploited for "
          f"{exploitability(PAYOFFS, learner.strategy):+.2f}")


def against_itself():
    """Two learners play each other. The strategy of the moment never comes to rest: each chases the other round. But
    the average of all strategies so far converges to the equilibrium, a third each, which cannot be exploited.
    """
    chance, learners = random.Random(5), (RegretMatcher(3), RegretMatcher(3))
    current = {name: [] for name in NAMES}
    average = {name: [] for name in NAMES}
    for game in range(1, 10_001):
        strategies = [learner.strategy for learner in learners]
        mine, theirs = (chance.choices(range(3), strategy)[0] for strategy in strategies)
        learners[0].learn(regrets(PAYOFFS, mine, theirs), strategies[0])
        learners[1].learn(regrets(PAYOFFS, theirs, mine), strategies[1])
        if game % 25 == 0:
            for hand, name in enumerate(NAMES):
                current[name].append((game, learners[0].strategy[hand]))
                average[name].append((game, learners[0].average[hand]))
        if game in {100, 1000, 10_000}:
            print(f"after {game:>6} games: now {_shown(learners[0].strategy)}   on average "
                  f"{_shown(learners[0].average)}")
    axes = ("games", "probability")
    return stacked([chart("Regret matching against itself: the strategy of the moment", axes, current),
                    chart("Regret matching against itself: the average strategy", axes, average,
                          levels={"1/3": 1 / 3})])


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
