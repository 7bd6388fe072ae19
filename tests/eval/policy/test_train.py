"""Training: it learns, and what it writes the kernels compute; where torch is installed."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from eval.policy.file import FEATURES, random_policy  # noqa: E402
from eval.policy.model import Unpacker, integer_scores, to_device  # noqa: E402
from eval.policy.samples import CHOICE  # noqa: E402
from eval.policy.train import Plan, Trainer  # noqa: E402
from tests.eval.policy import reference  # noqa: E402
from tests.eval.policy.test_samples import rows_in  # noqa: E402
from tests.positions import CORNERS, judge  # noqa: E402


def sample_of(fen: str, moves: list[tuple[int, int, int]]):
    """A choice between some moves, given by path, traits and danger, in the position of a FEN."""
    sample = np.zeros(1, CHOICE)
    board = judge(fen)
    codes = [12] * 64
    for feature in reference.features_of(board):
        codes[feature % 64] = feature // 64 % 12
        for name, bit in (("attacked", feature // 1536), ("defended", feature // 768 % 2)):
            sample[name] |= np.uint64(bit << feature % 64)
    for square, code in enumerate(codes):
        sample["board"][0, square // 16] |= np.uint64(code << 4 * (square % 16))
    for name, values in zip(("paths", "traits", "dangers"), np.array(moves).T, strict=True):
        sample[name][0, :len(moves)] = values
    sample["count"] = len(moves)
    return sample


def some_samples(count: int):
    """Positions in which the first of some random moves was played: always the one with the smallest path."""
    generator, samples = np.random.default_rng(1), []
    for number in range(count):
        moves = sorted(zip(*(generator.integers(0, end, 20).tolist() for end in (1880, 144, 27)), strict=True))
        samples.append(sample_of(CORNERS[number % len(CORNERS)], moves))
    return np.concatenate(samples)


def test_unpacked_features_are_the_references():
    samples = np.concatenate([sample_of(fen, [(1, 2, 3), (3, 4, 5)]) for fen in CORNERS])
    batch = Unpacker("cpu")(to_device(samples, "cpu"))
    for row, fen in zip(batch.features, CORNERS, strict=True):
        assert sorted(row.nonzero().flatten().tolist()) == sorted(reference.features_of(judge(fen)))
        assert len(row) == FEATURES
    assert batch.is_move.sum(1).tolist() == [2] * len(CORNERS)


def test_integers_are_the_references():
    policy = random_policy(64, 3)
    board = judge(CORNERS[1])
    moves = [(5, 6, 7), (1879, 143, 26), (0, 0, 0), (1800, 24, 1)]
    batch = Unpacker("cpu")(to_device(sample_of(CORNERS[1], moves), "cpu"))
    cells = policy.feature_weights[reference.features_of(board)].astype(int).sum(0) + policy.feature_biases
    cells = np.clip(cells, 0, 64) ** 2
    rows = rows_in(sample_of(CORNERS[1], moves)[0])
    assert rows == [(5, 6, 6, 14), (1879, 5 * 64 + 63, 143, 2 * (27 * 5 + 26) + 1), (0, 1, 0, 0),
                    (1800, 64 + 56 + 2, 24, 2 * (27 + 1))]
    expected = [reference.score_of(policy, cells, move) / 64**3 for move in rows]
    assert integer_scores(policy, batch)[0, :4].tolist() == expected


def test_it_learns_what_is_to_be_learned():
    samples = some_samples(400)
    trainer = Trainer(Plan(64, epochs=12, batch=50, rate=0.01, seed=2), samples[:100], "cpu")
    before = trainer.judge()
    (*_, report) = trainer.run(lambda: iter((samples,)), 1)
    after = trainer.judge()
    assert report.epoch == 12 and report.samples == 4800
    assert after.entropy < before.entropy / 2 and after.first > 0.6 > before.first
    policy = trainer.model.quantised({})
    assert trainer.difference(policy) < 0.1
    assert trainer.judge(policy).first > 0.6


def test_the_seed_decides():
    samples = some_samples(60)

    def learned(seed: int):
        trainer = Trainer(Plan(64, epochs=2, batch=20, seed=seed), samples, "cpu")
        list(trainer.run(lambda: iter((samples,)), 1))
        return trainer.model.quantised({}).feature_weights.tobytes()

    assert learned(1) == learned(1) != learned(2)
