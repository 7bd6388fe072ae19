"""From a score to the chances of the game: a logistic model, fitted to games that the engine played with itself.

The side to move wins with probability 1 / (1 + exp((even - score) / spread)), loses by the same formula for the
negative score, and draws otherwise. `even` is the score that wins half of the games: with few pieces left it is higher.

Fitted on 2026-11-15 by maximum likelihood to 382,659 positions with their searched scores, of 7,000 games at 8,000
nodes a move from random openings of eight plies (mean negative log-likelihood 0.678).
"""

from __future__ import annotations

import math
from typing import NamedTuple

FULL_MATERIAL = 78  # pawn 1, knight and bishop 3, rook 5, queen 9, both sides
_EVEN_BASE, _EVEN_SLOPE = 204.1, -144.4
_SPREAD_BASE, _SPREAD_SLOPE = 0.360, 0.657
_SPREAD_UNIT = 50.0
_STEEPEST = 50.0  # beyond this many spreads nothing changes any more
_WHOLE = 1000


class Chances(NamedTuple):
    """How often of a thousand games the side to move would win, draw and lose."""

    win: int
    draw: int
    loss: int


def even_score(material: int) -> float:
    """The score in centipawns that wins every second game with this much material on the board."""
    return _EVEN_BASE + _EVEN_SLOPE * min(material, FULL_MATERIAL) / FULL_MATERIAL


def _spread(material: int) -> float:
    return _SPREAD_UNIT * math.exp(_SPREAD_BASE + _SPREAD_SLOPE * min(material, FULL_MATERIAL) / FULL_MATERIAL)


def normalized(score: int, material: int) -> int:
    """The score in units of which a hundred win every second game: what users are shown as centipawns."""
    return round(100 * score / even_score(material))


def chances(score: int, material: int) -> Chances:
    """What the score means for the game."""
    win, loss = _win_rate(score, material), _win_rate(-score, material)
    return Chances(win, _WHOLE - win - loss, loss)


def _win_rate(score: int, material: int) -> int:
    exponent = (even_score(material) - score) / _spread(material)
    return round(_WHOLE / (1 + math.exp(max(-_STEEPEST, min(exponent, _STEEPEST)))))
