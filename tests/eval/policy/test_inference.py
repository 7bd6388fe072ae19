"""The policy's kernels against the reference."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.core.game import Game
from eval.policy.file import random_policy
from eval.policy.memory import LoadedPolicy
from tests.eval.boards import game_fens
from tests.eval.policy import reference
from tests.eval.policy.kernels import priors_of, scores_of
from tests.positions import CHESS960_CORNERS, CORNERS, reference_board

_ONE = 64**3


@cache
def loaded(width: int) -> LoadedPolicy:
    return LoadedPolicy(random_policy(width, width))


def moves_and_flags(fen: str, chess960: bool):
    game = Game(fen, chess960=chess960)
    moves = np.array([int(move) for move in game.legal_moves()], np.uint16)
    flags = np.random.default_rng(len(moves)).integers(0, 2, len(moves)).astype(np.uint8)
    return game.position, moves, flags


def check_scores(width: int, fen: str, chess960: bool = False) -> None:
    policy = loaded(width)
    pos, moves, flags = moves_and_flags(fen, chess960)
    out = np.zeros(len(moves), np.float32)
    best = scores_of(policy.address, pos, moves, flags, out)
    expected = reference.scores_of(policy.policy, reference_board(fen, chess960), moves.tolist(), flags.tolist())
    assert np.array_equal(out, (np.array(expected, np.float64) / _ONE).astype(np.float32)), fen
    if expected:
        assert best == max(expected) / _ONE


@pytest.mark.parametrize("width", [64, 192, 512])
def test_scores_are_the_references(width):
    for fen in (*CORNERS, *game_fens(4, 120)[::11]):
        check_scores(width, fen)


def test_chess960():
    for fen in CHESS960_CORNERS:
        check_scores(128, fen, chess960=True)


def test_priors_are_a_softmax():
    policy = loaded(128)
    for fen in CORNERS:
        pos, moves, flags = moves_and_flags(fen, chess960=False)
        scores, priors = np.zeros(len(moves), np.float32), np.zeros(len(moves), np.float32)
        scores_of(policy.address, pos, moves, flags, scores)
        priors_of(policy.address, pos, moves, flags, priors)
        expected = np.exp(scores.astype(np.float64) - scores.max())
        assert priors == pytest.approx(expected / expected.sum(), rel=1e-4, abs=1e-9)
        assert priors.sum() == pytest.approx(1, abs=1e-5)
