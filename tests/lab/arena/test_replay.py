"""Returns against their definition, written out game by game."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lab.arena.game_file import Games
from engine.lab.arena.game_rows import GAME_ROW
from engine.lab.arena.replay import with_lambda_targets

SCALE = 200.0

score_lists = st.lists(st.integers(-2500, 2500), min_size=1, max_size=9)
game_lists = st.lists(st.tuples(st.sampled_from((-1, 0, 1)), st.integers(0, 1), score_lists), min_size=1, max_size=6)


def games_of(games: list[tuple[int, int, list[int]]]) -> Games:
    rows = np.zeros(len(games), GAME_ROW)
    for row, (result, side, scores) in zip(rows, games, strict=True):
        row["result"], row["side"], row["plies"] = result, side, len(scores)
    starts = np.concatenate([[0], np.cumsum(rows["plies"], dtype=np.int64)])
    all_scores = np.concatenate([np.array(scores, np.int16) for _, _, scores in games])
    return Games(rows, starts, np.zeros(len(all_scores), np.uint16), all_scores)


def chance(score: float) -> float:
    return 1 / (1 + math.exp(-score / SCALE))


def expected(result: int, side: int, scores: list[int], decay: float) -> list[float]:
    """From White's view, by the sum in the definition."""
    white = [chance(score if (side + ply) % 2 == 0 else -score) for ply, score in enumerate(scores)]
    white.append((1 + result) / 2)
    returns = []
    for ply in range(len(scores)):
        rest = white[ply:]
        total = sum((1 - decay) * decay**number * value for number, value in enumerate(rest[:-1]))
        returns.append(total + decay ** (len(rest) - 1) * rest[-1])
    return returns


@given(game_lists, st.sampled_from((0.3, 0.6, 0.9)))
def test_returns_are_what_the_definition_says(games: list[tuple[int, int, list[int]]], decay: float) -> None:
    found = with_lambda_targets(games_of(games), decay)
    index = 0
    for result, side, scores in games:
        for ply, value in enumerate(expected(result, side, scores, decay)):
            score = int(found.scores[index]) * (1 if (side + ply) % 2 == 0 else -1)
            assert chance(score) == pytest.approx(value, abs=0.002)
            index += 1


def test_without_decay_nothing_changes() -> None:
    games = games_of([(1, 0, [10, -20, 30])])
    assert with_lambda_targets(games, 0.0) is games


def test_a_mate_stays_a_mate() -> None:
    found = with_lambda_targets(games_of([(1, 0, [100, -31_000, 31_500])]), 0.5)
    assert found.scores[1:].tolist() == [-31_000, 31_500]
    assert found.scores[0] > 200


def test_a_result_reaches_back_to_the_first_move_of_the_winner() -> None:
    # Black begins
    won, lost = (with_lambda_targets(games_of([(result, 1, [0] * 5)]), 0.8).scores for result in (-1, 1))
    assert won[0] > 0 > won[1]
    assert (won == -lost).all()
