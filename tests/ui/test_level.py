"""Levels in words, which must agree with the table of levels, and suggestions of another level."""

from __future__ import annotations

import pytest

from engine.player.skill import skill_level
from engine.system.errors import InputError
from engine.ui.level import HIGHEST, LOWEST, Streak, describe_level, parse_level, suggestion_text


def test_every_level_is_described_by_its_row():
    for elo in range(LOWEST, HIGHEST + 1, 50):
        words, row = describe_level(elo), skill_level(elo)
        assert ("often misses" in words) == (100 <= row.blindness < 200)
        assert ("capture" in words.replace("likes to capture", "")) == (row.blindness >= 200)
        assert ("likes to capture" in words) == (row.eagerness >= 0.25)
        assert ("searches" in words) == (row.vision is None)
        assert words[0].islower() and not words.endswith(".") and "_" not in words and len(words) < 260
    assert "knows about two moves" in describe_level(800) and "12 moves" in describe_level(2800)
    assert describe_level(None) == "searches as long as its clock allows"


def test_no_two_levels_are_described_alike():
    words = [describe_level(elo).rsplit(", and knows about", 1)[0] for elo in range(LOWEST, HIGHEST + 1, 200)]
    assert len(set(words)) == len(words)  # even without their openings


@pytest.mark.parametrize(("points", "expected"), [
    ((1, 1, 1), 1400), ((0, 0, 0), 1000), ((1, 1), None), ((1, 1, 0), None), ((0.5, 0.5, 0.5), None),
    ((0, 1, 1, 1), 1400), ((1, 1, 1, 0.5), None),
])
def test_three_of_a_kind_in_a_row_suggest_another_level(points, expected):
    streak = Streak()
    for number, scored in enumerate(points):
        streak.record(number, 1200, float(scored))
    assert streak.suggestion() == expected


def test_a_game_counts_once_and_another_level_begins_anew():
    streak = Streak()
    for _ in range(3):
        streak.record("game", 1200, 1.0)
    assert streak.suggestion() is None
    for number, level in enumerate((1200, 1200, 1400)):
        streak.record(number, level, 1.0)
    assert streak.suggestion() is None


@pytest.mark.parametrize(("level", "points"), [(HIGHEST, 1.0), (LOWEST, 0.0), (None, 1.0)])
def test_there_is_nothing_beyond_the_last_level(level, points):
    streak = Streak()
    for number in range(3):
        streak.record(number, level, points)
    assert streak.suggestion() is None


def test_a_suggestion_says_what_the_level_does():
    assert suggestion_text(1200, 1400) == f"three wins in a row: try level 1400, which {describe_level(1400)}"
    assert suggestion_text(1200, 1000).startswith("three losses in a row: try level 1000")


def test_levels_as_users_write_them():
    assert parse_level("1200") == 1200 and parse_level("max") is None
    for wrong in ("MAX", "399", "2801", "strong", "", "12.5"):
        with pytest.raises(InputError, match="a level is a number from 400 to 2800"):
            parse_level(wrong)
