"""Choosing by weight."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.choice import BEST_ONLY, FLAT, PROPORTIONAL, choose_index, play_probabilities

WEIGHTS = st.lists(st.integers(0, 65_535), max_size=12)


@given(WEIGHTS, st.integers(0, 100))
def test_shares_are_a_distribution_over_moves_with_weight(weights, variety):
    found = play_probabilities(weights, variety)
    if any(weights):
        assert sum(found) == pytest.approx(1)
        assert all((share > 0) <= (weight > 0) for share, weight in zip(found, weights, strict=True))
        assert all(a >= b for a, b in ((x, y) for x, w in zip(found, weights, strict=True)
                                       for y, v in zip(found, weights, strict=True) if w >= v))
    else:
        assert not any(found)


def test_the_three_named_varieties():
    assert play_probabilities([30, 10, 0], BEST_ONLY) == [1, 0, 0]
    assert play_probabilities([30, 10, 0], PROPORTIONAL) == [0.75, 0.25, 0]
    assert play_probabilities([30, 10, 0], FLAT) == [0.5, 0.5, 0]


def test_moves_are_chosen_as_often_as_their_shares_say():
    chance = random.Random(1)
    chosen = Counter(choose_index([60, 30, 10], PROPORTIONAL, chance) for _ in range(5000))
    for place, share in enumerate((0.6, 0.3, 0.1)):
        assert abs(chosen[place] / 5000 - share) < 0.03


@pytest.mark.parametrize("weights", [[], [0, 0]])
def test_nothing_to_choose_from(weights):
    assert choose_index(weights, PROPORTIONAL, random.Random(1)) is None
