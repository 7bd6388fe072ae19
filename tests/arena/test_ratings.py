"""Ratings on one scale, against players whose strength is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.arena.ratings import rate
from engine.arena.statistics import elo_of, score_of


def test_two_players_are_as_far_apart_as_their_score_says():
    found = rate({("strong", "weak"): (1500.0, 2000)}, "weak")
    assert found["weak"].value == 0
    assert found["strong"].value == pytest.approx(elo_of(0.75), abs=1)
    assert found["strong"].low < found["strong"].value < found["strong"].high


def test_strengths_are_found_again():
    truth = {"a": 0.0, "b": 120.0, "c": 260.0, "d": 500.0}
    chance = np.random.default_rng(3)
    points = {(one, other): (float(chance.binomial(2000, score_of(truth[one] - truth[other]))), 2000)
              for one, other in itertools.combinations(truth, 2)}
    found = rate(points, "a")
    for name, elo in truth.items():
        assert found[name].value == pytest.approx(elo, abs=15)
        assert found[name].low - 10 <= elo <= found[name].high + 10


def test_players_who_never_met_are_compared_through_others():
    found = rate({("a", "b"): (750.0, 1000), ("b", "c"): (750.0, 1000)}, "c")
    assert found["a"].value == pytest.approx(2 * elo_of(0.75), abs=3)


def test_whoever_won_every_game_is_strong_but_not_infinitely_so():
    found = rate({("a", "b"): (20.0, 20)}, "b")
    assert 300 < found["a"].value < 1000
