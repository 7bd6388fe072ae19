"""The chances of the game: a model, and what it has to be whatever its numbers are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eval.outcome import FULL_MATERIAL, chances, even_score, normalized

SCORES = st.integers(-32_000, 32_000)
MATERIAL = st.integers(0, 103)


@given(SCORES, MATERIAL)
def test_chances_are_shares_of_a_thousand_and_fair_to_both_sides(score, material):
    win, draw, loss = chances(score, material)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert chances(-score, material) == (loss, draw, win)


@given(SCORES, st.integers(1, 500), MATERIAL)
def test_a_better_score_never_wins_less(score, more, material):
    assert chances(score + more, material).win >= chances(score, material).win
    assert normalized(score + more, material) >= normalized(score, material)


@given(MATERIAL)
def test_a_hundred_wins_every_second_game(material):
    even = even_score(material)
    assert 40 < even < 250
    assert abs(chances(round(even), material).win - 500) <= 3
    assert normalized(round(even), material) in (99, 100, 101)


def test_measured_games_agree():
    # Shares of won games in the games of the fit, by material and score.
    for material, score, won in ((20, 200, 680), (40, 100, 504), (40, 200, 741), (64, 50, 441), (64, 100, 541)):
        assert abs(chances(score, material).win - won) < 110
    assert chances(0, FULL_MATERIAL).draw < chances(0, 20).draw
