"""The model of the opponent: temperatures and parameters."""

from __future__ import annotations

import itertools
import math

import pytest

from engine.expectimax.opponent import RANDOM_MOVER, rating_from_uci_opponent, temperature_of
from engine.expectimax.searcher import ExpectimaxSearch
from engine.system.errors import InputError


def test_temperatures_fall_with_the_rating():
    assert temperature_of(RANDOM_MOVER) == temperature_of(-100) == math.inf
    temperatures = [temperature_of(rating) for rating in range(0, 2801, 50)]
    assert all(hot > cold for hot, cold in itertools.pairwise(temperatures))
    assert temperature_of(3500) == temperature_of(2800) > 0


@pytest.mark.parametrize(("text", "rating"), [
    ("GM 2800 human Gary Kasparow", 2800), ("none 1600 computer Shredder", 1600), ("none none computer Shredder", None),
    ("  FM   2345  human  A. N. Other ", 2345), ("", None), ("GM", None), ("2800", None), ("none 0 human Nobody", None),
    ("none -5 human Nobody", None), ("GM \u0662\u0668\u0660\u0660 human Arabic", None),
    ("GM 28000 human Typo", None), ("GM 2800", 2800)])
def test_the_rating_that_a_gui_sends(text, rating):
    assert rating_from_uci_opponent(text) == rating


def test_unknown_parameters_and_values_out_of_range_are_rejected():
    searcher = ExpectimaxSearch()
    with pytest.raises(InputError, match="unknown opponent parameter 'temper'"):
        searcher.set_opponent_param("temper", 1.0)
    for bad in (0.0, -5.0, math.nan):
        with pytest.raises(InputError, match="temperature must be from 1 to inf"):
            searcher.set_opponent(bad)
