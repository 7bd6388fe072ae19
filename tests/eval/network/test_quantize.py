"""Rounding with compensation is closer to the floats than plain rounding, also where it has not looked."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engine.arena.configs import Config  # noqa: E402
from engine.arena.replay import SampleFilter, SampleSource  # noqa: E402
from engine.arena.training import TrainingShard  # noqa: E402
from eval.network.file import LARGEST_OUTPUT_WEIGHT, QUANT_FEATURE, Shape  # noqa: E402
from eval.network.model import (  # noqa: E402
    Model,
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


def lively_model(shape):
    """A model with large output weights, cells that vary together, and a first layer that needs no rounding."""
    model = Model(shape, "cpu", 1)
    generator = torch.Generator().manual_seed(2)
    first, second, outputs = (torch.rand(size, generator=generator) - 0.5 for size in
                              ((shape.rows, 6), (6, shape.hidden), (2, shape.hidden, shape.output_buckets)))
    model.parameters["feature_weights"].copy_(((first @ second) * 0.5 * QUANT_FEATURE).round() / QUANT_FEATURE)
    model.parameters["feature_biases"].fill_(100 / QUANT_FEATURE)
    model.parameters["output_weights"].copy_(outputs)
    return model


@pytest.mark.parametrize("shape", [Shape(128, output_buckets=2), Shape(64, output_buckets=1)])
def test_compensation_brings_the_integers_closer(source, shape):
    model = lively_model(shape)
    plain = model.quantize(SCALE, {})
    better = quantize_with_compensation(model, plain, to_device(next(source.shards()), "cpu"))
    _, plain_error, _ = check_integers(model, plain, source.validation, "cpu")
    _, error, _ = check_integers(model, better, source.validation, "cpu")
    assert error < 0.6 * plain_error
    assert np.abs(better.output_weights).max() <= LARGEST_OUTPUT_WEIGHT
    assert (better.feature_weights == plain.feature_weights).all()


def test_a_bucket_without_samples_is_rounded_as_usual(source):
    model = lively_model(Shape(64, output_buckets=32))
    plain = model.quantize(SCALE, {})
    better = quantize_with_compensation(model, plain, to_device(next(source.shards()), "cpu"))
    assert (better.output_weights[0] == plain.output_weights[0]).all()  # one man: there is no such position
    assert (better.output_weights != plain.output_weights).any()


def test_compensation_helps_layers_too(source):
    model = NetworkModel(Shape(128, output_buckets=2, layers=(8, 16)), "cpu", 1)
    trainer = Trainer(TrainingConfig(SCALE, batch=128, warm_up=1), model, source.validation, "cpu")
    list(trainer.run([TrainingStage("games", source.shards, 4)]))
    plain = model.quantize(SCALE, {})
    better = quantize_with_compensation(model, plain, to_device(next(source.shards()), "cpu"))
    _, plain_error, _ = check_integers(model, plain, source.validation, "cpu")
    _, error, _ = check_integers(model, better, source.validation, "cpu")
    assert error < 0.8 * plain_error
    assert (better.feature_weights == plain.feature_weights).all()
