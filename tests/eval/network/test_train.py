"""Teaching the network: features and gradient are what they should be, the loss falls, and a course can be resumed."""

from __future__ import annotations

import chess
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from engine.__main__ import main  # noqa: E402
from engine.lab.arena.configs import Config  # noqa: E402
from engine.lab.arena.replay import SampleFilter, SampleSource  # noqa: E402
from engine.lab.arena.training import TrainingShard  # noqa: E402
from engine.lab.tune import training_run  # noqa: E402
from engine.system.errors import InputError  # noqa: E402
from eval.network.file import DEFAULT_LAYERS, Shape, read_network  # noqa: E402
from eval.network.metrics import losses_of  # noqa: E402
from eval.network.model import (  # noqa: E402
    NetworkModel,
    Objective,
    Unpacker,
    to_device,
)
from eval.network.teacher import Teacher, TeacherShape, load_teacher  # noqa: E402
from eval.network.train import Trainer, TrainingConfig, TrainingStage, check_integers  # noqa: E402
from tests.eval.network import reference  # noqa: E402
from tests.eval.network.test_samples import board_of  # noqa: E402

KINGS = tuple(min(square // 8, 2) for square in range(64))
SMALL = Shape(128, (8, 8))
SHAPES = [Shape(128, (8, 32)), Shape(128, (16, 8), KINGS, output_buckets=2),
          Shape(256, (8, 16), mirrored=False, output_buckets=1)]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("games") / "games.bin"
    made.write_bytes(b"".join(TrainingShard(number, 20, 60, 4, Config())().content for number in range(3)))
    return made


@pytest.fixture(scope="module")
def source(path):
    return SampleSource([path], SampleFilter(held_out=5), shard_positions=10**9, threads=2)


@pytest.mark.parametrize("shape", SHAPES)
def test_features_are_those_of_the_description(source, shape):
    samples = source.validation[::7]
    batch = Unpacker(shape, "cpu")(to_device(samples, "cpu"))
    for number, sample in enumerate(samples):
        board = board_of(sample)
        for row, perspective in ((number, chess.WHITE), (number + len(samples), chess.BLACK)):
            indices = sorted(index for index in batch.features[row].tolist() if index < shape.rows)
            assert indices == sorted(reference.feature_indices(board, perspective, shape))
        assert batch.output_buckets[number] == (sample["pieces"] - 1) * shape.output_buckets // 32
        assert batch.scores[number] == sample["score"]
        assert batch.results[number] == (sample["result"] + 1) / 2


def test_the_loss_is_that_of_the_predictions(source):
    rows = to_device(source.validation[:300], "cpu")
    model = NetworkModel(SMALL, "cpu", 1)
    batch = model.unpack(rows)
    targets = 0.7 * torch.sigmoid(batch.scores / 136.0) + 0.3 * batch.results
    expected = (torch.sigmoid(model.logits(rows)) - targets).square().mean()
    assert float(model.backward(rows, Objective(136.0, 0.3))) == pytest.approx(float(expected), rel=1e-5)
    assert all(parameter.grad is not None for parameter in model.parameters.values())


def trainer_of(source, **changes) -> Trainer:
    config = TrainingConfig(136.0, **{"batch": 128, "rate": 3e-3, "warm_up": 5, **changes})
    return Trainer(config, NetworkModel(SMALL, "cpu", config.seed), source.validation, "cpu")


def stages_of(source, epochs=3) -> list[TrainingStage]:
    first = TrainingStage("first", source.shards, 1, has_results=False)
    return [first, TrainingStage("games", source.shards, epochs)]


def numbers(trainer) -> bytes:
    return b"".join(value.detach().numpy().tobytes() for value in trainer.model.parameters.values())


def test_the_loss_falls_and_the_seed_decides_everything(source):
    one, same, other = (trainer_of(source, seed=seed) for seed in (1, 1, 2))
    for trainer in (one, same, other):
        list(trainer.run(stages_of(source)))
    # Of what was taught. A few dozen games teach nothing about others for certain, whose loss is only computed.
    assert one.reports[-1].training_loss < 0.5 * one.reports[0].training_loss
    assert one.reports[-1].validation == losses_of(one.predictions(), source.validation, 136.0, 0.3)
    assert one.reports[-1].epoch == 3 and one.reports[-1].progress == 1
    assert numbers(one) == numbers(same) != numbers(other)


def test_a_stopped_course_goes_on_as_if_nothing_had_been(source, tmp_path):
    whole, stopped = trainer_of(source), trainer_of(source, report_seconds=0)
    list(whole.run(stages_of(source)))
    for count, _ in enumerate(stopped.run(stages_of(source))):
        stopped.is_stopped = count == 40
    stopped.save(tmp_path / "checkpoint")
    resumed = trainer_of(source, report_seconds=0)
    resumed.load(tmp_path / "checkpoint")
    assert numbers(resumed) == numbers(stopped) != numbers(whole)
    list(resumed.run(stages_of(source)))
    assert numbers(resumed) == numbers(whole)
    with pytest.raises(InputError, match="other settings"):
        trainer_of(source, seed=9).load(tmp_path / "checkpoint")
    (tmp_path / "checkpoint").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="damaged"):
        resumed.load(tmp_path / "checkpoint")


def test_the_average_over_the_steps_is_kept(source, tmp_path):
    trainer, seen = trainer_of(source, average=0.9), []
    clamp = trainer.model.clamp

    def remember():
        clamp()
        seen.append(trainer.model.parameters["first_weights"].detach().double().numpy().copy())

    trainer.model.clamp = remember
    list(trainer.run(stages_of(source)[1:]))
    average = seen[0]
    for number, weights in enumerate(seen[1:], start=2):
        average = average + max(0.1, 1 / number) * (weights - average)
    assert trainer._average["first_weights"].numpy() == pytest.approx(average, abs=1e-5)
    assert (trainer.model.parameters["first_weights"].detach().double().numpy() == seen[-1]).all()
    report, _ = trainer.best
    trainer.take_best()
    assert losses_of(trainer.predictions(), source.validation, 136.0, 0.3) == report.validation

    whole, stopped = trainer_of(source, average=0.9), trainer_of(source, average=0.9, report_seconds=0)
    list(whole.run(stages_of(source)))
    for count, _ in enumerate(stopped.run(stages_of(source))):
        stopped.is_stopped = count == 40
    stopped.save(tmp_path / "checkpoint")
    resumed = trainer_of(source, average=0.9, report_seconds=0)
    resumed.load(tmp_path / "checkpoint")
    list(resumed.run(stages_of(source)))
    for name, value in whole._average.items():
        assert torch.equal(resumed._average[name], value)


def test_four_thinned_passes_see_each_sample_once(source):
    trainer, seen = trainer_of(source, batch=64), []

    class Spy:
        shape, parameters, state = trainer.model.shape, trainer.model.parameters, trainer.model.state

        def backward(self, rows, objective):
            seen.append(rows.numpy().copy())
            return trainer.model.backward(rows, objective)

        def clamp(self):
            pass

        def logits(self, rows):
            return trainer.model.logits(rows)

    spied = Trainer(trainer.config, Spy(), source.validation, "cpu")
    list(spied.run([TrainingStage("games", source.shards, 4, thinning=4)]))
    samples = next(source.shards())
    taken = np.concatenate(seen)
    assert 0 <= len(samples) - len(taken) < 4 * 64  # the last batch of a pass must be full
    assert len(np.unique(taken, axis=0)) == len(taken)
    first = {row.tobytes() for part in seen[: len(seen) // 4] for row in part}
    indices = [index for index, sample in enumerate(samples) if sample.tobytes() in first]
    assert {index // 2 % 4 for index in indices} == {0}


def test_a_teacher_begins_with_its_network(source, tmp_path):
    base, rows = NetworkModel(Shape(128, layers=(8, 8)), "cpu", 3), to_device(source.validation[:50], "cpu")
    teacher = Teacher(TeacherShape(1, 16), "cpu", 1, base)
    torch.testing.assert_close(teacher.logits(rows), base.logits(rows))
    before = {name: value.detach().clone() for name, value in base.state.items()}
    trainer = Trainer(TrainingConfig(136.0, batch=128, warm_up=1), teacher, source.validation, "cpu")
    list(trainer.run([TrainingStage("games", source.shards, 2)]))
    assert all(torch.equal(value, before[name]) for name, value in base.state.items())
    teacher.save(tmp_path / "one.teacher")
    loaded = load_teacher(tmp_path / "one.teacher", "cpu")
    torch.testing.assert_close(loaded.logits(rows), teacher.logits(rows))
    assert not torch.allclose(teacher.logits(rows), base.logits(rows))


def test_time_can_end_a_course(source):
    trainer = trainer_of(source)
    list(trainer.run([TrainingStage("games", source.shards, float("inf"), seconds=0.5)]))
    assert trainer.reports[-1].progress == 1 and trainer.reports[-1].seconds < 5


@pytest.mark.parametrize("shape", SHAPES)
def test_integers_are_those_of_the_description(source, shape):
    model = NetworkModel(shape, "cpu", 1)
    trainer = Trainer(TrainingConfig(136.0, batch=128, warm_up=1), model, source.validation, "cpu")
    list(trainer.run([TrainingStage("games", source.shards, 6)]))
    losses = [report.training_loss for report in trainer.reports]
    assert losses[-1] < 0.9 * losses[0]
    network = model.quantize(136.0, {})
    scores, mean, largest = check_integers(model, network, source.validation, "cpu")
    assert mean < 8 and largest < 60
    for index in range(0, len(scores), 29):
        assert scores[index] == reference.score(board_of(source.validation[index]), network)


def test_the_shape_is_asked_for_by_the_command(path, tmp_path, capsys):
    words = ["tune", "network", str(path), "--epochs", "1", "--batch", "256", "--held-out", "5", "--out",
             str(tmp_path / "a.network")]
    assert main([*words, "--hidden", "128", "--layers", "16:8"]) == 0
    assert "network, integers" in capsys.readouterr().out
    assert read_network(tmp_path / "a.network").shape == Shape(128, (16, 8))
    for wrong in (["--hidden", "64", "--layers", "8:32"], ["--hidden", "128", "--layers", "9:32"],
                  ["--hidden", "100"]):
        assert main([*words, *wrong]) == 2
        assert "multiple" in capsys.readouterr().err
    assert main([*words, "--layers", "8"]) == 2 and main([*words, "--layers", "x:8"]) == 2


def test_the_command_writes_the_same_file_again(path, tmp_path, capsys):
    pytest.importorskip("rich")
    words = ["tune", "network", str(path), "--hidden", "128", "--epochs", "2", "--batch", "256", "--held-out", "5",
             "--pretrain", "2000", "--pretrain", "2000:20:2", "--pretrain", "2000:material",
             "--games-learning-rate", "0.0005", "--wdl-weight", "0.1:0.4", "--king-buckets", "4"]
    files = [tmp_path / "one.network", tmp_path / "two.network"]
    for file in files:
        assert main([*words, "--out", str(file)]) == 0
    said = capsys.readouterr().out
    assert "features" in said and "network, integers" in said and "neighbours labelled" in said
    assert files[0].read_bytes() == files[1].read_bytes()
    network = read_network(files[0])
    assert network.shape.hidden == 128 and network.shape.layers == DEFAULT_LAYERS
    assert max(network.shape.king_buckets) == 3
    assert "--wdl-weight 0.1:0.4" in network.provenance["command"]
    assert np.abs(network.feature_weights).max() > 0


def test_a_teacher_learns_and_labels(path, tmp_path, capsys):
    pytest.importorskip("rich")
    teacher, other, network = (tmp_path / name for name in ("one.teacher", "other.teacher", "one.network"))
    words = [str(path), "--epochs", "2", "--batch", "256", "--held-out", "5"]
    assert main(["tune", "teacher", *words, "--blocks", "1", "--channels", "16", "--pretrain", "2000:0:2",
                 "--out", str(teacher)]) == 0
    assert main(["tune", "teacher", *words, "--start", str(teacher), "--out", str(other)]) == 0
    capsys.readouterr()
    assert main(["tune", "network", *words, "--hidden", "128", "--pretrain", "2000:teacher:2", "--teacher", str(other),
                 "--teacher-weight", "0.5", "--out", str(network)]) == 0
    assert "neighbours labelled" in capsys.readouterr().out
    assert "--pretrain 2000:teacher:2 " in read_network(network).provenance["command"]
    assert main(["tune", "network", *words, "--pretrain", "2000:teacher:2", "--out", str(network)]) == 2
    assert "--teacher" in capsys.readouterr().err
    assert main(["tune", "network", *words, "--pretrain", "2000:0:2", "--minutes", "1", "--out", str(network)]) == 2
    assert "with --minutes the number of passes follows from the time" in capsys.readouterr().err
    assert main(["tune", "teacher", *words, "--start", str(teacher), "--blocks", "2", "--out", str(other)]) == 2
    assert "has a different shape: --blocks 1 --channels 16" in capsys.readouterr().err
    assert main(["tune", "teacher", *words, "--base", str(network), "--blocks", "1", "--channels", "16", "--loss-power",
                 "2.6", "--thin", "2", "--out", str(other)]) == 0
    assert main(["tune", "network", *words, "--hidden", "128", "--start", str(network), "--teacher", str(other),
                 "--teacher-weight", "0.5", "--out", str(tmp_path / "next.network")]) == 0
    assert main(["tune", "teacher", *words, "--base", str(network), "--start", str(teacher), "--out", str(other)]) == 2
    assert main(["tune", "teacher", *words, "--pretrain", "2000:teacher", "--out", str(other)]) == 2
    assert "cannot label positions for a teacher" in capsys.readouterr().err


TRAINING = ["--hidden", "128", "--batch", "256", "--held-out", "5", "--device", "cpu"]


def test_the_file_tells_how_it_was_made(path, tmp_path, capsys):
    first, second = tmp_path / "first.network", tmp_path / "second.network"
    words = ["tune", "network", str(path), *TRAINING, "--epochs", "1", "--weight-decay", "0", "--seed", "0",
             "--first-ply", "0"]
    assert main([*words, "--out", str(first)]) == 0
    assert main([*words, "--start", str(first), "--out", str(second)]) == 0
    provenance = read_network(second).provenance
    for option in ("--weight-decay 0.0", "--seed 0", "--first-ply 0", "--start first.network"):
        assert option in provenance["command"]
    assert provenance["start"] == read_network(first).provenance and "the best after 1.00" in provenance["data"]


def test_a_course_is_resumed_by_the_same_command_only(path, tmp_path, capsys, monkeypatch):
    whole, part = tmp_path / "whole.network", tmp_path / "part.network"
    words = ["tune", "network", str(path), *TRAINING, "--epochs"]
    assert main([*words, "3", "--out", str(whole)]) == 0
    monkeypatch.setattr(training_run, "_CHECKPOINT_SECONDS", 0)
    save, saved = Trainer.save, []

    def save_once(trainer, target):
        if not saved:
            saved.append(save(trainer, target))

    monkeypatch.setattr(Trainer, "save", save_once)
    assert main([*words, "3", "--out", str(part)]) == 0  # the checkpoint is that of the first epoch
    part.unlink()
    assert main([*words, "3", "--out", str(part), "--resume"]) == 0
    assert part.read_bytes() == whole.read_bytes()
    capsys.readouterr()
    for other in (["2"], ["3", "--first-ply", "9"], ["3", "--wdl-weight", "0.5"]):
        assert main([*words, *other, "--out", str(part), "--resume"]) == 2
        assert "other settings" in capsys.readouterr().err


def test_neighbours_are_kept_for_those_who_want_the_same(path, tmp_path, capsys):
    words = ["tune", "network", str(path), *TRAINING, "--epochs", "1", "--pretrain", "2000", "--neighbours",
             str(tmp_path)]
    files = [tmp_path / name for name in ("one.network", "two.network")]
    for file in files:
        assert main([*words, "--out", str(file)]) == 0
    (kept,) = tmp_path.glob("*.npy")
    one, two = (read_network(file).feature_weights for file in files)
    assert (one == two).all()
    assert main([*words, "--largest-score", "500", "--out", str(files[1])]) == 0
    assert len(list(tmp_path.glob("*.npy"))) == 2
    capsys.readouterr()
    kept.write_bytes(kept.read_bytes()[:100])
    assert main([*words, "--out", str(files[1])]) == 2
    assert "is damaged; delete it" in capsys.readouterr().err


def test_a_shard_without_samples_is_passed_over(source):
    one, other = trainer_of(source), trainer_of(source)
    nothing = source.validation[:0]
    list(one.run([TrainingStage("games", source.shards, 2)]))
    list(other.run([TrainingStage("games", lambda: iter((*source.shards(), nothing)), 2)]))
    assert numbers(one) == numbers(other)


def test_labels_stay_within_their_sixteen_bits(source):
    teacher, samples = Teacher(TeacherShape(1, 16), "cpu", 1), source.validation[:50].copy()
    samples["score"] = 32_000
    assert (teacher.label(samples, 9_000.0, part=0.0)["score"] > 30_000).all()
    samples["score"] = -32_000
    assert (teacher.label(samples, 2_500.0, part=0.0)["score"] < -30_000).all()


def test_a_teacher_labels_as_it_judges(source):
    teacher, samples = Teacher(TeacherShape(1, 16), "cpu", 1), source.validation[:50]
    predictions = teacher.predictions(samples)
    labelled = teacher.label(samples, 136.0)
    assert labelled["score"].tolist() == np.rint(136.0 * np.log(predictions / (1 - predictions))).tolist()
    assert (labelled["board"] == samples["board"]).all() and (labelled["result"] == samples["result"]).all()
    unchanged = teacher.label(samples, 136.0, part=0.0)
    few = np.abs(samples["score"]) < 1000  # beyond that, predictions are nearly certain
    assert np.abs(unchanged["score"][few] - samples["score"][few]).max() <= 1


@pytest.mark.parametrize(("words", "message"), [
    (["--hidden", "64"], "multiple of 128"), (["--wdl-weight", "2"], "--wdl-weight must be from 0 to 1"),
    (["--batch", "0"], "--batch"),
    (["--held-out", "1"], "--held-out"), (["--minutes", "0"], "--minutes"), (["--shard", "0"], "--shard"),
    (["--mix", "leaves:10:10"], "--teacher"), (["--mix", "leaves:10"], "neighbours:1000000 or leaves:1000000:500"),
    (["--mix", "neighbours:0"], "must be like"), (["--mix", "moves:1:1"], "must be like"),
    (["--device", "abacus"], "--device 'abacus'"), (["--resume"], "no checkpoint"),
])
def test_wrong_settings_are_refused(path, tmp_path, capsys, words, message):
    try:
        status = main(["tune", "network", str(path), "--out", str(tmp_path / "x.network"), *words])
    except SystemExit as end:  # what the parser itself refuses
        status = end.code
    assert status == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("shape", [*SHAPES, Shape(256, (8, 32), KINGS)])
def test_training_can_begin_with_a_network(source, shape):
    network, model = NetworkModel(shape, "cpu", 3).quantize(136.0, {}), NetworkModel(shape, "cpu", 4)
    samples = source.validation[:200]
    before = check_integers(model, network, samples, "cpu")[1]
    model.load_network(network)
    assert check_integers(model, network, samples, "cpu")[1] < before / 2
    again = model.quantize(136.0, {})
    for block in network.shape.blocks:
        assert np.array_equal(getattr(again, block.name), getattr(network, block.name))


def test_king_buckets_begin_alike(source):
    single = NetworkModel(Shape(256, (8, 16)), "cpu", 3).quantize(136.0, {})
    model = NetworkModel(Shape(256, (8, 16), KINGS), "cpu", 4)
    model.load_network(single.with_king_buckets(KINGS))
    samples = source.validation[:200]
    both = check_integers(model, single.with_king_buckets(KINGS), samples, "cpu")[0]
    assert np.array_equal(both, check_integers(NetworkModel(single.shape, "cpu", 5), single, samples, "cpu")[0])


def test_a_network_of_another_shape_is_no_beginning(path, tmp_path, capsys):
    first = tmp_path / "first.network"
    training = ["--epochs", "1", "--batch", "256", "--held-out", "5", "--device", "cpu"]
    assert main(["tune", "network", str(path), "--hidden", "128", *training, "--out", str(first)]) == 0
    begun = ["tune", "network", str(path), *training, "--start", str(first), "--out", str(tmp_path / "next.network")]
    assert main([*begun, "--hidden", "128"]) == 0
    assert main([*begun, "--hidden", "128", "--king-buckets", "2"]) == 0
    for other in (["--hidden", "256"], ["--hidden", "128", "--layers", "16:32"]):
        assert main([*begun, *other]) == 2
        assert "has a different shape: --hidden 128\n" in capsys.readouterr().err
    divided = tmp_path / "next.network"
    words = ["tune", "network", str(path), *training, "--hidden", "128", "--start", str(divided), "--out", str(first)]
    assert main(words) == 2
    assert "has a different shape: --hidden 128 --king-buckets 2" in capsys.readouterr().err
