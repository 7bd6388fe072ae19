"""Training by kernels and by torch: both learn, and the kernels compute the written policy."""

from __future__ import annotations

import numpy as np
import pytest

from eval.policy.file import FEATURES, random_policy
from eval.policy.params import floats_of, initial_values, quantize_policy
from eval.policy.samples import CHOICE
from eval.policy.train import PolicyConfig, PolicyTrainer
from eval.policy.train_cpu import CpuPolicyModel
from tests.eval.policy import reference
from tests.eval.policy.test_samples import rows_in
from tests.positions import CORNERS, reference_board

ONE = 64**3


def sample_of(fen: str, moves: list[tuple[int, int, int]]):
    """A choice between some moves, given by path, traits and danger, in the position of a FEN."""
    sample = np.zeros(1, CHOICE)
    board = reference_board(fen)
    codes = [12] * 64
    for feature in reference.features_of(board):
        codes[feature % 64] = feature // 64 % 12
        for name, bit in (("attacked", feature // 1536), ("defended", feature // 768 % 2)):
            sample[name] |= np.uint64(bit << feature % 64)
    for square, code in enumerate(codes):
        sample["board"][0, square // 16] |= np.uint64(code << 4 * (square % 16))
    for name, values in zip(("from_to", "traits", "dangers"), np.array(moves).T, strict=True):
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


def kernel_learner(seed: int = 2, threads: int = 2) -> CpuPolicyModel:
    return CpuPolicyModel(initial_values(64, seed), 0.01, threads)


def trained(learner, samples, epochs: int, batch: int):
    trainer = PolicyTrainer(PolicyConfig(epochs, batch=batch, rate=0.01, seed=2), learner, samples)
    return trainer, list(trainer.run(lambda: iter((samples,)), 1))


def expected_judgement(policy, samples):
    """Cross-entropy, first choices and those among three, counted one by one."""
    rows = []
    for sample, fen in samples:
        features = reference.features_of(reference_board(fen))
        cells = policy.feature_weights[features].astype(int).sum(0) + policy.feature_biases
        cells = np.clip(cells, 0, 64) ** 2
        scores = np.array([reference.score_of(policy, cells, move) / ONE for move in rows_in(sample)])
        better = int((scores[1:] >= scores[0]).sum())
        rows.append((np.log(np.exp(scores - scores[0]).sum()), better == 0, better < 3))
    return tuple(np.mean(rows, 0).tolist())


def test_judgements_are_the_references():
    policy = random_policy(64, 3)
    policy = quantize_policy({name: values / 8 for name, values in floats_of(policy).items()}, {})
    samples = some_samples(60)
    found = kernel_learner().evaluate(np.repeat(samples, 2)[::2], floats_of(policy))
    fens = [CORNERS[number % len(CORNERS)] for number in range(60)]
    expected = expected_judgement(policy, list(zip(samples, fens, strict=True)))
    assert (found.entropy, found.top1, found.top3) == pytest.approx(expected, abs=1e-5)


def test_it_learns_what_is_to_be_learned():
    samples, learner = some_samples(400), kernel_learner()
    before = learner.evaluate(samples)
    trainer, reports = trained(learner, samples, 12, 50)
    after = learner.evaluate(samples)
    assert reports[-1].epoch == 12 and reports[-1].samples == 4800
    assert after.entropy < before.entropy / 2 and after.top1 > 0.6 > before.top1
    whole = trainer.evaluate(floats_of(quantize_policy(learner.values(), {})))
    assert whole.entropy == pytest.approx(after.entropy, rel=0.1)
    assert learner.evaluate(samples) == after  # other values leave no trace
    assert trainer.best is not None and trainer.evaluate(trainer.best[1]).entropy == trainer.best[0]


def test_the_seed_decides():
    samples = some_samples(60)

    def learned(seed: int) -> bytes:
        learner = kernel_learner(seed)
        trained(learner, samples, 2, 20)
        return learner.values()["feature_weights"].tobytes()

    assert learned(1) == learned(1) != learned(2)


def test_numbers_keep_within_the_range_of_the_file():
    learner = kernel_learner()
    learner.begin(some_samples(40), 1)
    for _ in range(5):
        learner.learn(0, 40, 1.0)
    policy = quantize_policy(learner.values(), {})
    assert policy.from_to_weights.max() == 127 and policy.from_to_weights.min() == -127


def test_rounding_and_back():
    policy = random_policy(64, 4)
    again = quantize_policy(floats_of(policy), {})
    assert all(np.array_equal(getattr(again, name), value) for name, value in vars(policy).items()
               if name != "provenance")
    assert np.array_equal(initial_values(64, 1)["from_to_weights"], initial_values(64, 1)["from_to_weights"])


def test_torch_takes_the_same_steps():
    pytest.importorskip("torch")
    from eval.policy.train_torch import TorchPolicyModel

    samples = some_samples(100)
    learners = kernel_learner(threads=3), TorchPolicyModel(initial_values(64, 2), 0.01, "cpu")
    for learner in learners:
        learner.begin(samples, 1)
        for step in range(5):
            learner.learn(0, len(samples), 0.001 * (step + 1))
    ours, theirs = (quantize_policy(learner.values(), {}) for learner in learners)
    for name in ("feature_weights", "feature_biases", "from_to_weights", "piece_to_weights", "trait_weights",
                 "danger_weights"):
        assert np.abs(getattr(ours, name).astype(int) - getattr(theirs, name)).max() <= 1, name
    assert ours.trait_biases == pytest.approx(theirs.trait_biases, abs=30)
    assert ours.feature_weights.tobytes() != quantize_policy(initial_values(64, 2), {}).feature_weights.tobytes()
    losses = [learner.take_loss() for learner in learners]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    for values in (None, floats_of(ours)):
        found = [learner.evaluate(samples, values) for learner in learners]
        assert found[0].entropy == pytest.approx(found[1].entropy, abs=1e-4)


def test_torch_unpacks_the_references_features():
    pytest.importorskip("torch")
    from eval.policy.train_torch import PolicyUnpacker, to_device

    samples = np.concatenate([sample_of(fen, [(1, 2, 3), (3, 4, 5)]) for fen in CORNERS])
    batch = PolicyUnpacker("cpu")(to_device(samples, "cpu"))
    for row, fen in zip(batch.features, CORNERS, strict=True):
        assert sorted(row.nonzero().flatten().tolist()) == sorted(reference.features_of(reference_board(fen)))
        assert len(row) == FEATURES
    assert batch.is_move.sum(1).tolist() == [2] * len(CORNERS)
