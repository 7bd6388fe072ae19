"""The model of a fallible opponent: the probability of each move, depending on the opponent's rating.

The opponent scores moves by quiescence, and chooses with a softmax: a move that is `temperature` centipawns worse is e
times less probable. At infinite temperature all moves are equally probable.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.kernel import inline, kernel
from engine.kernel.records import Fields, set_fields
from engine.search.params import Parameter, default_record, set_value

RANDOM_MOVER = 0  # the rating of a player that moves at random
DEFAULT_RATING = 1500  # if the rating of the opponent is unknown

# (rating, centipawns). The second and third rows are fitted to moves of the skill levels: see history/search.md. Lower
# temperatures do not fit stronger players better, since those see more than quiescence; but expecting too many mistakes
# is costly, so the temperature keeps falling slowly. Between two rows its inverse is interpolated.
_TEMPERATURES = ((RANDOM_MOVER, math.inf), (800, 70.0), (1200, 60.0), (2800, 50.0))

_MAX_RATING_DIGITS = 4


def temperature_of(rating: int) -> float:
    """The temperature of a player of this rating, in centipawns: it falls with the rating, from infinity at 0."""
    for (low, hotter), (high, colder) in pairwise(_TEMPERATURES):
        if rating <= high:
            part = (max(rating, low) - low) / (high - low)
            sharpness = (1 - part) / hotter + part / colder
            return 1 / sharpness if sharpness else math.inf
    return _TEMPERATURES[-1][1]


def rating_from_uci_opponent(text: str) -> int | None:
    """Parse the rating of UCI_Opponent, which is title, rating, type and name; None if there is none.

    Some GUIs send 0 for an unknown rating.
    """
    words = text.split()
    rating = words[1] if len(words) > 1 else ""
    if not (rating.isascii() and rating.isdigit() and len(rating) <= _MAX_RATING_DIGITS):
        return None
    return int(rating) or None


OPPONENT_PARAMS = (
    # Centipawns by which a move is worse that the opponent plays with e times less probability.
    Parameter("temperature", temperature_of(DEFAULT_RATING), 1.0, math.inf),
    # Centipawns: the limit of the opponent's scores, so that even mates may be overlooked.
    Parameter("sight", 1500.0, 100.0, 30_000.0),
    # Replies below this fraction of the highest probability are skipped.
    Parameter("least_likelihood", 0.01, 0.0, 1.0),
    # The utility is tanh(centipawns / scale): three pawns are nearly a win, and ten hardly more.
    Parameter("scale", 350.0, 50.0, 2000.0),
    # Subtracted from the utility of a mate for each ply, to prefer the shorter mate.
    Parameter("mate_discount", 1e-12, 0.0, 1e-4),
)


class OpponentParamsRecord(Fields):
    """One field for each row of OPPONENT_PARAMS."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> float: ...


set_fields(OpponentParamsRecord, dict.fromkeys((row.name for row in OPPONENT_PARAMS), "f8"))


def default_opponent_params() -> OpponentParamsRecord:
    """Return a new record of defaults."""
    return default_record(OPPONENT_PARAMS, OpponentParamsRecord)


def set_opponent_param(record: OpponentParamsRecord, name: str, value: float) -> None:
    """Set one field; InputError if the name is unknown or the value out of range."""
    set_value(record, OPPONENT_PARAMS, name, value, "opponent parameter")


@inline
def is_random_mover(model):
    """Whether all replies are equally probable, so that their scores do not matter."""
    return model.temperature == np.inf


@inline
def _perceived(model, score):
    """A score limited to what the opponent perceives."""
    return min(max(np.float64(score), -model.sight), model.sight)


@kernel
def guess_probabilities(model, scores, begin, end, probabilities):
    """Write the probabilities of the replies from `begin` to `end` by their scores for the opponent; 0 to skip one.

    At infinite temperature every likelihood is exp(0), and all probabilities are exactly equal.
    """
    best = -np.inf
    for index in range(begin, end):
        best = max(best, _perceived(model, scores[index]))
    total = 0.0
    for index in range(begin, end):
        likelihood = math.exp((_perceived(model, scores[index]) - best) / model.temperature)
        if likelihood < model.least_likelihood:
            likelihood = 0.0
        probabilities[index] = likelihood
        total += likelihood
    for index in range(begin, end):
        probabilities[index] /= total


@kernel
def sort_by_probability(moves, scores, probabilities, begin, end):
    """Sort the replies with their scores by falling probability; the sort is stable."""
    for index in range(begin + 1, end):
        move, score, probability = moves[index], scores[index], probabilities[index]
        gap = index
        while gap > begin and probabilities[gap - 1] < probability:
            moves[gap], scores[gap] = moves[gap - 1], scores[gap - 1]
            probabilities[gap] = probabilities[gap - 1]
            gap -= 1
        moves[gap], scores[gap], probabilities[gap] = move, score, probability


@kernel
def expected_value(probabilities, values, begin, end):
    """The average of `values`, weighted by `probabilities`."""
    total = 0.0
    for index in range(begin, end):
        total += probabilities[index] * values[index]
    return total
