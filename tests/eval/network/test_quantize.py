"""Rounding with compensation is closer to the floats than plain rounding, also where it has not looked."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from engine.lab.arena.configs import Config  # noqa: E402
from engine.lab.arena.replay import SampleFilter, SampleSource  # noqa: E402
from engine.lab.arena.training import TrainingShard  # noqa: E402
from eval.network.file import Shape  # noqa: E402
from eval.network.model import (  # noqa: E402
    NetworkModel,
    to_device,
)
from eval.network.quantize import quantize_with_compensation  # noqa: E402
from eval.network.train import Trainer, TrainingConfig, TrainingStage, check_integers  # noqa: E402

SCALE = 200.0


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.bin"
    path.write_bytes(b"".join(TrainingShard(number, 40, 60, 4, Config())().content for number in range(3)))
    return SampleSource([path], SampleFilter(held_out=3), shard_positions=10**9, threads=2)


@pytest.mark.parametrize("shape", [Shape(128, (8, 16), output_buckets=2), Shape(256, (16, 8), output_buckets=1)])
def test_compensation_brings_the_integers_closer(source, shape):
    model = NetworkModel(shape, "cpu", 1)
    trainer = Trainer(TrainingConfig(SCALE, batch=128, warm_up=1), model, source.validation, "cpu")
    list(trainer.run([TrainingStage("games", source.shards, 4)]))
    plain = model.quantize(SCALE, {})
    better = quantize_with_compensation(model, plain, to_device(next(source.shards()), "cpu"))
    _, plain_error, _ = check_integers(model, plain, source.validation, "cpu")
    _, error, _ = check_integers(model, better, source.validation, "cpu")
    assert error < 0.8 * plain_error
    assert (better.feature_weights == plain.feature_weights).all()


def test_a_bucket_without_samples_is_rounded_as_usual(source):
    model = NetworkModel(Shape(128, (8, 8), output_buckets=32), "cpu", 1)
    plain = model.quantize(SCALE, {})
    better = quantize_with_compensation(model, plain, to_device(next(source.shards()), "cpu"))
    for name in ("first_weights", "second_weights", "output_weights"):
        before, after = getattr(plain, name), getattr(better, name)
        assert (after[0] == before[0]).all()  # one man: there is no such position
        assert (after != before).any()
