"""Rounding with compensation is closer to the floats than plain rounding, also where it has not looked.

A training that rounds computes what the integers will.
"""

from __future__ import annotations

import re

import pytest

torch = pytest.importorskip("torch")

from engine.__main__ import main  # noqa: E402
from engine.arena.configs import Config  # noqa: E402
from engine.arena.replay import SampleFilter, SampleSource  # noqa: E402
from engine.arena.training import TrainingShard  # noqa: E402
from eval.network.file import Shape, read_network  # noqa: E402
from eval.network.model import (  # noqa: E402
    NetworkModel,
    Objective,
    to_device,
)
from eval.network.quantize import quantize_with_compensation  # noqa: E402
from eval.network.rounding import RoundingModel  # noqa: E402
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


def trained(model, source, epochs=4):
    trainer = Trainer(TrainingConfig(SCALE, batch=128, warm_up=1), model, source.validation, "cpu")
    list(trainer.run([TrainingStage("games", source.shards, epochs)]))
    return trainer


@pytest.mark.parametrize("shape", [Shape(128, (8, 16), output_buckets=2), Shape(256, (16, 8), output_buckets=1)])
def test_training_can_round_as_the_integers_do(source, shape):
    exact, rounding = NetworkModel(shape, "cpu", 1), RoundingModel(shape, "cpu", 1)
    errors = []
    for model in (exact, rounding):
        trainer = trained(model, source)
        losses = [report.training_loss for report in trainer.reports]
        assert losses[-1] < 0.9 * losses[0]
        errors.append(check_integers(model, model.quantize(SCALE, {}), source.validation, "cpu")[1])
    # Only the shifts that 64 pairs share may differ, and the last division rounds towards 0.
    assert errors[1] < 0.8 and errors[1] < 0.4 * errors[0]


def test_rounding_lets_the_gradient_through(source):
    model = RoundingModel(Shape(128, (8, 8)), "cpu", 1)
    model.backward(to_device(source.validation[:200], "cpu"), Objective(SCALE, 0.1))
    for name, parameter in model.parameters.items():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_the_command_trains_with_rounding(source, tmp_path, capsys):
    games, out = tmp_path / "games.bin", tmp_path / "a.network"
    games.write_bytes(b"".join(TrainingShard(number, 40, 60, 4, Config())().content for number in range(2)))
    words = ["tune", "network", str(games), "--hidden", "128", "--epochs", "3", "--batch", "256", "--held-out", "5"]
    assert main([*words, "--rounding", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    found = re.search(r"differ by (\d+\.\d+) centipawns", said)
    assert found is not None and float(found[1]) < 0.8
    assert "--rounding" in read_network(out).provenance["command"]
