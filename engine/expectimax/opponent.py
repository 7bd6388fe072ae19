"""A model of a fallible opponent: how likely each move is, depending on the opponent's rating.

The opponent sees what quiescence sees, and chooses at random: a move that is `temperature` centipawns worse is e times
less likely (a softmax). The hotter, the more random: at infinite temperature all moves are equally likely.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.kernel import inline, kernel
from engine.kernel.records import Fields, take_fields
from engine.search.params import Parameter, default_record, set_value

RANDOM_MOVER = 0  # the rating of a player that moves at random
DEFAULT_RATING = 1500  # of an opponent about whom nothing is known

# (rating, centipawns). The second and third are fitted to the moves that levels of handicap.py chose: see
# history/search.md. Stronger players fit no better at lower temperatures, since they see what quiescence does not; but
# expecting more mistakes than are made is costly, so the temperature keeps falling slowly. Between two rows its inverse
# is interpolated.
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


def rating_from_uci_opponent(text: str) -> int | None:
    """The rating in the text of UCI_Opponent, which is title, rating, type and name; None if there is none.

    Some GUIs send 0 for an unknown rating.
    """
    words = text.split()
    rating = words[1] if len(words) > 1 else ""
    if not (rating.isascii() and rating.isdigit() and len(rating) <= _LONGEST_RATING):
        return None
    return int(rating) or None


OPPONENT_PARAMS = (
    # Centipawns by which a move must be worse for the opponent to be e times less likely to play it.
    Parameter("temperature", temperature_of(DEFAULT_RATING), 1.0, math.inf),
    # Centipawns: the most that a mate or any other win is worth to the opponent, so that even those may be overlooked.
    Parameter("sight", 1500.0, 100.0, 30_000.0),
    # Replies that are this much less likely than the likeliest are left out.
    Parameter("least_likelihood", 0.01, 0.0, 1.0),
    # Utility is tanh(centipawns / scale): three pawns up is nearly a win, and ten is little more.
    Parameter("scale", 350.0, 50.0, 2000.0),
    # What each ply to a mate takes off its utility of 1: just enough to prefer the shorter mate.
    Parameter("mate_discount", 1e-12, 0.0, 1e-4),
)


class OpponentParamsRecord(Fields):
    """A number for each row of ASSUMPTIONS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> float: ...


take_fields(OpponentParamsRecord, dict.fromkeys((row.name for row in OPPONENT_PARAMS), "f8"))


def default_assumptions() -> OpponentParamsRecord:
    """A new record with every default."""
    return default_record(OPPONENT_PARAMS, OpponentParamsRecord)


def set_opponent_param(record: OpponentParamsRecord, name: str, value: float) -> None:
    """Set one assumption; InputError if there is no such assumption or the value is out of range."""
    set_value(record, OPPONENT_PARAMS, name, value, "assumption of expectimax")


@inline
def is_random_mover(assumed):
    """Whether all replies are equally likely, so that they need no scores."""
    return assumed.temperature == np.inf


@inline
def _perceived(assumed, score):
    """A score as the opponent sees it."""
    return min(max(np.float64(score), -assumed.sight), assumed.sight)


@kernel
def guess_probabilities(assumed, scores, begin, end, probabilities):
    """Write the probability of each reply in `begin` .. `end` given its score for the opponent; 0 if it is left out.

    At infinite temperature every likelihood is exp(0), and all probabilities are exactly equal.
    """
    best = -np.inf
    for index in range(begin, end):
        best = max(best, _perceived(assumed, scores[index]))
    total = 0.0
    for index in range(begin, end):
        likelihood = math.exp((_perceived(assumed, scores[index]) - best) / assumed.temperature)
        if likelihood < assumed.least_likelihood:
            likelihood = 0.0
        probabilities[index] = likelihood
        total += likelihood
    for index in range(begin, end):
        probabilities[index] /= total


@kernel
def sort_by_probability(moves, scores, probabilities, begin, end):
    """Sort replies, with their scores, by probability; the sort is stable."""
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
    """The average of `values`, weighted by `probabilities`."""
    total = 0.0
    for index in range(begin, end):
        total += probabilities[index] * values[index]
    return total
