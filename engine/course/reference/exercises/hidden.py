"""Exercises on what is hidden: update regrets and beliefs, average over cards."""

from __future__ import annotations

import random
from fractions import Fraction

from engine.course.reference.exercises.question import Question, listed
from engine.course.reference.games.rockpaperscissors import NAMES, PAYOFFS
from engine.course.reference.regret import matched, regrets


def regret_of_a_hand(chance: random.Random) -> Question:
    """Update a regret."""
    mine, theirs = chance.sample(range(3), 2)
    other = chance.choice([hand for hand in range(3) if hand != mine])
    regret = regrets(PAYOFFS, mine, theirs)[other]
    return Question(f"You played {NAMES[mine]}, the other {NAMES[theirs]}. How much do you regret not having played "
                    f"{NAMES[other]}?", regret,
                    f"{NAMES[other].capitalize()} would have brought {PAYOFFS[other][theirs]}, {NAMES[mine]} brought "
                    f"{PAYOFFS[mine][theirs]}: {PAYOFFS[other][theirs]} - {_in_brackets(PAYOFFS[mine][theirs])}.")


def _in_brackets(number: float) -> str:
    """A number after a minus sign."""
    return f"({number:g})" if number < 0 else f"{number:g}"


def strategy_from_regrets(chance: random.Random) -> Question:
    """Turn regrets into probabilities."""
    totals = [chance.randint(1, 5), chance.randint(1, 5), -chance.randint(1, 4)]
    chance.shuffle(totals)
    asked = chance.randrange(3)
    return Question(f"Summed regrets of rock, paper and scissors: {listed(totals)}. With which probability does "
                    f"regret matching play {NAMES[asked]} next?", matched(totals)[asked],
                    f"Negative regrets count as zero; the others add up to {sum(max(total, 0) for total in totals)}.")


def call_or_fold(chance: random.Random) -> Question:
    """Average over what is hidden."""
    bluffs = Fraction(1, chance.choice((2, 3, 4, 5)))
    king = 1 / (1 + bluffs)
    return Question("Kuhn poker: you hold the queen and face a bet. The other bets every king, and a jack with "
                    f"probability {bluffs}. What does calling bring on average? A call wins or loses 2.",
                    float(2 * (1 - king) - 2 * king),
                    f"The bets come from kings and jacks as 1 to {bluffs}, so it is the king with probability {king}: "
                    f"{king} x (-2) + {1 - king} x 2. To fold brings -1.")


def belief_after_miss(chance: random.Random) -> Question:
    """Update a belief state."""
    squares = chance.randint(4, 6)
    places = squares - 1
    shot = chance.randint(1, squares)
    left = [first for first in range(1, places + 1) if not first <= shot <= first + 1]
    asked = chance.choice(left)
    return Question(f"Battleship in a row of {squares} squares: a ship of two squares is equally likely in each of its "
                    f"{places} places. You fire at {shot} and miss. How likely is it now on squares {asked} and "
                    f"{asked + 1}?", 1 / len(left),
                    f"{len(left)} of {places} places remain, and they are still equally likely.")
