"""A model of a fallible opponent: how likely each of his moves is, and how fallible a rating makes him.

He looks at the board as quiescence does, and chooses by chance: a move that is `temperature` centipawns worse is e
times less likely (a softmax). The hotter, the more random: at an infinite temperature all moves are alike.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.kernel import inline, kernel
from engine.kernel.records import Fields, take_fields
from engine.search.rows import default_record, set_value

RANDOM_MOVER = 0  # the rating of a player who plays any move
USUAL_RATING = 1500  # of an opponent of whom nothing is known

# (rating, centipawns). The second and third are fitted to moves that the levels of handicap.py chose (MEASUREMENTS.md).
# Stronger players fit no better at lower temperatures, for they see what quiescence does not; but whoever expects more
# mistakes than come is punished, so it goes on falling a little. Between two rows its inverse lies in proportion.
_TEMPERATURES = ((RANDOM_MOVER, math.inf), (800, 70.0), (1200, 60.0), (2800, 50.0))

_LONGEST_RATING = 4  # digits


def temperature_of(rating: int) -> float:
    """The temperature of a player of this rating, in centipawns: it falls with the rating, from infinity at 0."""
    for (low, hotter), (high, colder) in pairwise(_TEMPERATURES):
        if rating <= high:
            part = (max(rating, low) - low) / (high - low)
            sharpness = (1 - part) / hotter + part / colder
            return 1 / sharpness if sharpness else math.inf
    return _TEMPERATURES[-1][1]


def rating_told(text: str) -> int | None:
    """The rating in UCI_Opponent's text, which is title, rating, kind and name; None if it tells none.

    A rating of 0 is how some GUIs say that they know none.
    """
    words = text.split()
    rating = words[1] if len(words) > 1 else ""
    if not (rating.isascii() and rating.isdigit() and len(rating) <= _LONGEST_RATING):
        return None
    return int(rating) or None


class Assumption(NamedTuple):
    """Something that expectimax takes for granted: its default and its range."""

    name: str
    default: float
    low: float
    high: float


ASSUMPTIONS = (
    # The opponent: centipawns by which a move must be worse to be e times less likely.
    Assumption("temperature", temperature_of(USUAL_RATING), 1.0, math.inf),
    # Centipawns: a mate, and whatever else wins, is worth this much in his eyes, so that he may overlook even that.
    Assumption("sight", 1500.0, 100.0, 30_000.0),
    # Replies that are this much less likely than the likeliest are left out, and what is left is all that can happen.
    Assumption("least_likelihood", 0.01, 0.0, 1.0),
    # Utility is tanh(centipawns / scale): three pawns ahead are nearly a win, and ten are little more.
    Assumption("scale", 350.0, 50.0, 2000.0),
    # What each ply to a mate takes off its utility of 1: enough to prefer the shorter mate, and no more.
    Assumption("mate_discount", 1e-12, 0.0, 1e-4),
)


class AssumptionsRecord(Fields):
    """A number for each row of ASSUMPTIONS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> float: ...


take_fields(AssumptionsRecord, dict.fromkeys((row.name for row in ASSUMPTIONS), "f8"))


def default_assumptions() -> AssumptionsRecord:
    """A new record with every default."""
    return default_record(ASSUMPTIONS, AssumptionsRecord)


def set_assumption(record: AssumptionsRecord, name: str, value: float) -> None:
    """Set one assumption; InputError if there is none of that name or the value is out of its range."""
    set_value(record, ASSUMPTIONS, name, value, "assumption of expectimax")


@inline
def is_random_mover(assumed):
    """Whether all replies are alike, so that nobody needs to look at them."""
    return assumed.temperature == np.inf


@inline
def _seen(assumed, score):
    """A score in the eyes of the opponent."""
    return min(max(np.float64(score), -assumed.sight), assumed.sight)


@kernel
def guess_probabilities(assumed, scores, begin, end, probabilities):
    """Write how likely each reply in `begin` .. `end` is by its score for the opponent; 0 for what is left out.

    With an infinite temperature every likelihood is exp(0), and all probabilities are exactly alike.
    """
    best = -np.inf
    for index in range(begin, end):
        best = max(best, _seen(assumed, scores[index]))
    total = 0.0
    for index in range(begin, end):
        likelihood = math.exp((_seen(assumed, scores[index]) - best) / assumed.temperature)
        if likelihood < assumed.least_likelihood:
            likelihood = 0.0
        probabilities[index] = likelihood
        total += likelihood
    for index in range(begin, end):
        probabilities[index] /= total


@kernel
def likeliest_first(moves, scores, probabilities, begin, end):
    """Sort replies, with all that is known of them, by their probabilities; those that are alike keep their order."""
    for index in range(begin + 1, end):
        move, score, probability = moves[index], scores[index], probabilities[index]
        place = index
        while place > begin and probabilities[place - 1] < probability:
            moves[place], scores[place] = moves[place - 1], scores[place - 1]
            probabilities[place] = probabilities[place - 1]
            place -= 1
        moves[place], scores[place], probabilities[place] = move, score, probability


@kernel
def expected_value(probabilities, values, begin, end):
    """The average of `values`, each weighed by its probability."""
    total = 0.0
    for index in range(begin, end):
        total += probabilities[index] * values[index]
    return total
