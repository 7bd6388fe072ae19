"""The curve by which moves are judged."""

from __future__ import annotations

import pytest

from eval.human_curve import human_expected
from eval.wdl import wdl_of


@pytest.mark.parametrize(("centipawns", "expected"), [(0, 0.5), (100, 0.62), (200, 0.73), (300, 0.82), (500, 0.92)])
def test_the_curve_has_the_values_it_was_chosen_for(centipawns, expected):
    assert human_expected(centipawns) == pytest.approx(expected, abs=0.005)
    assert human_expected(centipawns) + human_expected(-centipawns) == pytest.approx(1)


def test_it_rises_everywhere_and_ends_where_games_are_decided():
    values = [human_expected(centipawns) for centipawns in range(-1000, 1001, 10)]
    assert values == sorted(set(values))
    assert human_expected(1001) == human_expected(30_000) == values[-1] < 1


def test_people_win_less_often_than_the_engine():
    for score in (100, 200, 300, 500):
        wdl = wdl_of(score, 78)
        assert (wdl.win + wdl.draw / 2) / 1000 > human_expected(score)
