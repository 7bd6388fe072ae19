"""The policy that comes with the engine."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.game import Game
from engine.core.movegen import MAX_MOVES, empty_move_list
from engine.lab.arena.policy_samples import policy_best_move
from eval.policy.memory import BUILT_IN_FILE, LoadedPolicy, built_in_policy

LARGEST = 1_500_000  # bytes


@pytest.fixture(scope="module")
def policy() -> LoadedPolicy:
    found = built_in_policy()
    assert found is not None
    return found


def test_it_is_small_and_says_how_it_was_made(policy):
    assert BUILT_IN_FILE.stat().st_size <= LARGEST
    assert {"command", "data", "date", "seed", "result"} <= set(policy.policy.provenance)


@pytest.mark.parametrize(("fen", "best"), [
    ("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", "f3g5"),  # a queen for nothing
    ("r1bqkbnr/ppp2ppp/2B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1", "b7c6"),  # the only way to take back
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", "h5f7"),  # mate
    ("8/P6k/8/8/8/8/7K/8 w - - 0 1", "a7a8q")])
def test_it_sees_what_is_obvious(policy, fen, best):
    game = Game(fen)
    memory = empty_move_list(), np.zeros(MAX_MOVES, np.uint8), np.zeros(MAX_MOVES, np.float32)
    assert game.uci(int(policy_best_move(policy.address, game.position, *memory))) == best
