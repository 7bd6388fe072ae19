"""Leaves: positions that searches of game positions evaluate, the same ones whichever thread searches."""

from __future__ import annotations

import numpy as np
import pytest

from engine.alphabeta.state import new_state
from engine.lab.arena.configs import Config
from engine.lab.arena.deep_scores import sample_board, sample_of
from engine.lab.arena.leaves import leaves
from engine.lab.arena.replay import SampleFilter, SampleSource
from engine.lab.arena.training import TrainingShard


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.bin"
    path.write_bytes(b"".join(TrainingShard(number, 20, 60, 4, Config())().content for number in range(2)))
    return SampleSource([path], SampleFilter(held_out=5), shard_positions=10**9, threads=2).first_games


def test_leaves_are_positions_that_can_be_evaluated(games):
    found = leaves(games, 20_000, 200, seed=1, threads=2)
    assert 10_000 < len(found) < 24_000
    assert (found == leaves(games, 20_000, 200, seed=1, threads=1)).all()
    assert not np.array_equal(found[:100], leaves(games, 20_000, 200, seed=2, threads=2)[:100])
    for sample in found[::400]:
        board = sample_board(sample)
        assert board.is_valid() and not board.is_check()  # in check, quiescence does not evaluate
        (same,) = sample_of(board)
        assert (same["board"] == sample["board"]).all()
        assert (same["pieces"], same["own_king"], same["other_king"]) == (
            sample["pieces"], sample["own_king"], sample["other_king"])


def test_most_leaves_are_in_no_game(games):
    found = leaves(games, 5_000, 500, seed=3, threads=2)
    assert len(np.unique(found["board"], axis=0)) > 0.8 * len(found)
    near = leaves(games, 5_000, 500, seed=3, threads=2, largest_score=100)
    assert 0 < len(near) < len(found) and np.abs(near["score"]).max() <= 100


def test_searches_that_play_collect_nothing():
    assert new_state().leaves.room == 0
