"""Tuning the weights: the gradient, the samples, and the loss."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engine.core.fen import parse_fen
from engine.core.game import Game
from engine.lab.arena.configs import Config
from engine.lab.arena.game_file import read_games
from engine.lab.arena.game_rows import unpack_position
from engine.lab.arena.training import TrainingShard
from engine.lab.arena.tuner_samples import quiet_samples
from engine.system.errors import InputError
from eval.evaluate import evaluate_entry
from eval.features import FEATURES, WEIGHT_COUNT
from eval.trace import WHOLE_PHASE, WHOLE_SCALE
from eval.tuner.samples import Samples
from eval.tuner.weights import TuningConfig, WeightTuner, rounded_weights
from eval.weights import load_weights, values_of, weights_from

WEIGHTS = load_weights()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.bin"
    path.write_bytes(b"".join(TrainingShard(number, 4, 200, 3, Config())().content for number in range(8)))
    return path


@pytest.fixture(scope="module")
def samples(file) -> Samples:
    return quiet_samples(read_games(file), threads=2)


def test_samples_are_quiet_and_their_traces_are_the_evaluation(file, samples):
    """Every sample is found, in order, among the positions that python-chess calls quiet, evaluated from scratch."""
    mg, eg = values_of(WEIGHTS)
    starts = samples.starts()
    number = 0
    for block in read_games(file):
        for index, row in enumerate(block.rows):
            board = unpack_position(row)
            game = Game(board.fen(shredder=True), chess960=True)
            for ply in range(block.starts[index], block.starts[index + 1]):
                move = board.parse_uci(game.uci(int(block.moves[ply])))
                is_quiet = not board.is_check() and not board.is_capture(move) and not move.promotion
                if (is_quiet and number < len(samples)
                        and is_sample(board, samples, number, int(block.scores[ply]), starts, mg, eg)):
                    assert samples.rows["result"][number] == row["result"]
                    number += 1
                game.push_uci(game.uci(int(block.moves[ply])))
                board.push(move)
    assert number == len(samples) > 200


def is_sample(board: chess.Board, samples: Samples, number: int, score: int, starts, mg, eg) -> bool:
    """Whether the next sample is this position: trace times weights is the evaluation, its score the search's."""
    if samples.rows["score"][number] != (score if board.turn else -score):
        return False
    part = slice(starts[number], starts[number + 1])
    features, counts = samples.terms["feature"][part], samples.terms["count"][part].astype(np.int64)
    phase, scale = int(samples.rows["phase"][number]), int(samples.rows["scale"][number])
    blended = (int((counts * mg[features]).sum()) * phase * int(WHOLE_SCALE)
               + int((counts * eg[features]).sum()) * scale * (int(WHOLE_PHASE) - phase))
    traced = abs(blended) // int(WHOLE_PHASE * WHOLE_SCALE) * (1 if blended > 0 else -1)
    pos = parse_fen(board.fen(shredder=True), chess960=True)
    return bool(traced == int(evaluate_entry(pos, WEIGHTS)) * (1 if board.turn else -1))


def test_the_gradient_is_that_of_the_loss(samples):
    learner = WeightTuner(samples, load_weights(), TuningConfig(threads=1))
    values, part = learner._prior.copy(), learner._training[:200]
    _, gradient = learner._error_and_gradient(values, part)
    generator = np.random.default_rng(1)
    for index in generator.choice(np.flatnonzero(gradient), 25, replace=False):
        shifted = [values.copy(), values.copy()]
        shifted[0][index] += 0.01
        shifted[1][index] -= 0.01
        up, down = (learner._error_and_gradient(one, part)[0] for one in shifted)
        assert (up - down) / 0.02 == pytest.approx(gradient[index], rel=1e-3, abs=1e-9)


def test_threads_change_nothing_but_rounding(samples):
    one, three = (WeightTuner(samples, load_weights(), TuningConfig(threads=threads)) for threads in (1, 3))
    for learner in (one, three):
        learner._examples["target"] = one._examples["target"]
    first, second = (learner._error_and_gradient(learner._prior, learner._training) for learner in (one, three))
    assert first[0] == pytest.approx(second[0])
    np.testing.assert_allclose(first[1], second[1], rtol=1e-9, atol=1e-12)


def test_the_loss_falls_and_the_result_can_be_played_with(samples):
    course = list(WeightTuner(samples, load_weights(), TuningConfig(epochs=5, batch=256, threads=2)).run())
    assert course[-1].training_loss < 0.98 * course[0].training_loss
    weights = rounded_weights(course[-1])
    assert not (weights.packed == load_weights().packed).all()
    start = parse_fen(chess.STARTING_FEN)
    assert abs(int(evaluate_entry(start, weights))) < 100


def test_known_weights_are_found_again(samples):
    """Targets that other weights made are learned back: the error goes to nothing."""
    mg, eg = values_of(load_weights())
    generator = np.random.default_rng(2)
    other = weights_from((mg + generator.integers(-6, 7, WEIGHT_COUNT)).tolist(),
                         (eg + generator.integers(-6, 7, WEIGHT_COUNT)).tolist())
    learner = WeightTuner(samples, load_weights(), TuningConfig(epochs=40, batch=128, regularization=0.0, threads=2))
    truth = np.concatenate(values_of(other)).astype(float)
    learner._examples["target"] = expected_of(learner, truth)
    course = list(learner.run())
    assert course[-1].training_loss < 0.1 * course[0].training_loss


def expected_of(learner: WeightTuner, values) -> np.ndarray:
    scores = np.zeros(len(learner._samples))
    size, starts = WEIGHT_COUNT, learner._starts
    for sample in range(len(scores)):
        part = slice(starts[sample], starts[sample + 1])
        features, counts = (learner._samples.terms[name][part] for name in ("feature", "count"))
        scores[sample] = ((counts * values[features]).sum() * learner._examples["mg_share"][sample]
                          + (counts * values[size + features]).sum() * learner._examples["eg_share"][sample])
    return 1 / (1 + np.exp(-learner.steepness * scores))


def test_mating_weights_stay(samples):
    *_, last = WeightTuner(samples, load_weights(), TuningConfig(epochs=2, threads=1)).run()
    mg, eg = values_of(load_weights())
    for feature in FEATURES:
        if feature.group == "mating":
            part = slice(feature.offset, feature.offset + feature.size)
            assert (last.mg[part] == mg[part]).all() and (last.eg[part] == eg[part]).all()


def test_one_game_in_ten_is_held_out(samples):
    assert len(set(samples.rows["game"].tolist())) == 32
    learner = WeightTuner(samples, load_weights(), TuningConfig())
    held_out = {int(samples.rows["game"][sample]) for sample in learner._validation}
    assert held_out == {0, 10, 20, 30}


def test_nothing_to_learn_from():
    with pytest.raises(InputError, match="no quiet positions"):
        WeightTuner(Samples.join([]), load_weights(), TuningConfig())
