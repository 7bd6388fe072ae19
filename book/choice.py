"""Choosing one of several moves by their weights."""

from __future__ import annotations

import random
from collections.abc import Sequence

BEST_ONLY, PROPORTIONAL, FLAT = 0, 50, 100  # values of the variety


def play_probabilities(weights: Sequence[int], variety: int) -> list[float]:
    """The probability with which each of the moves with these weights is played.

    BEST_ONLY plays the move of largest weight, PROPORTIONAL in proportion to the weights, FLAT all equally often; in
    between, the weights are raised to a power. Moves of weight 0 are never played.
    """
    best = max(weights, default=0)
    if best <= 0:
        return [0.0] * len(weights)
    if variety <= BEST_ONLY:
        raised = [float(weight == best) for weight in weights]
    else:
        power = (FLAT - variety) / variety
        raised = [(weight / best) ** power if weight > 0 else 0.0 for weight in weights]
    total = sum(raised)
    return [value / total for value in raised]


def choose_index(weights: Sequence[int], variety: int, chance: random.Random) -> int | None:
    """The index of the move to play; None if there is none."""
    likely = play_probabilities(weights, variety)
    return chance.choices(range(len(weights)), likely)[0] if any(likely) else None
