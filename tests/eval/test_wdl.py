"""The WDL model: properties that hold for any parameters, and the fit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eval.blank import material_only_network
from eval.evaluator import Evaluator, built_in_evaluator, features_evaluator
from eval.network.file import read_network, write_network
from eval.network.memory import LoadedNetwork
from eval.tuner.samples import SAMPLE, TERM, Samples
from eval.tuner.wdl import fit_wdl_model
from eval.wdl import FULL_MATERIAL, WdlModel, features_wdl_model, normalized_score, wdl_of

SCORES = st.integers(-32_000, 32_000)
MATERIAL = st.integers(0, 103)


@given(SCORES, MATERIAL)
def test_wdl_sums_to_a_thousand_and_is_symmetric(score, material):
    win, draw, loss = wdl_of(score, material)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert wdl_of(-score, material) == (loss, draw, win)


@given(SCORES, st.integers(1, 500), MATERIAL)
def test_a_better_score_never_wins_less(score, more, material):
    assert wdl_of(score + more, material).win >= wdl_of(score, material).win
    assert normalized_score(score + more, material) >= normalized_score(score, material)


@given(MATERIAL, st.sampled_from([features_wdl_model(), built_in_evaluator().wdl_model]))
def test_a_hundred_centipawns_win_half_of_the_games(material, model):
    even = model.even_score(material)
    assert 40 < even < 250
    below, above = (wdl_of(score, material, model).win for score in (math.floor(even), math.ceil(even)))
    assert below <= 501 and above >= 499 and above - below <= 12  # a centipawn may be several games in a thousand
    assert normalized_score(round(even), material, model) in (99, 100, 101)


def test_the_built_in_evaluator_has_a_model():
    assert features_evaluator().wdl_model == features_wdl_model()
    network = built_in_evaluator().network
    assert network is not None
    fitted = network.network.outcome  # None as long as too few games by the network are there to fit one to
    assert built_in_evaluator().wdl_model == (features_wdl_model() if fitted is None else WdlModel(*fitted))


def test_a_network_keeps_its_model_in_its_file(tmp_path):
    unfitted = material_only_network()
    assert Evaluator(features_evaluator().weights, LoadedNetwork(unfitted)).wdl_model == features_wdl_model()
    write_network(replace(unfitted, outcome=(150.0, -60.5, 0.25, 0.5)), tmp_path / "a.network")
    fitted = LoadedNetwork(read_network(tmp_path / "a.network"))
    assert Evaluator(features_evaluator().weights, fitted).wdl_model == WdlModel(150.0, -60.5, 0.25, 0.5)


def test_measured_games_agree():
    # Shares of won games in the games of the fit, by material and score.
    for material, score, won in ((20, 200, 683), (40, 100, 489), (40, 200, 727), (64, 50, 425), (64, 100, 532)):
        assert abs(wdl_of(score, material).win - won) < 70
    assert wdl_of(0, FULL_MATERIAL).draw < wdl_of(0, 20).draw


def test_the_fit_recovers_a_known_model():
    truth = WdlModel(170.0, -90.0, 0.4, 0.5)
    generator = np.random.default_rng(3)
    size = 200_000
    scores, materials = generator.normal(0, 250, size).astype(np.int16), generator.integers(5, 79, size)
    shares = materials / FULL_MATERIAL
    even = truth.even_base + truth.even_slope * shares
    spread = 50 * np.exp(truth.spread_base + truth.spread_slope * shares)
    win, loss = (1 / (1 + np.exp((even - sign * scores) / spread)) for sign in (1, -1))
    chance = generator.random(size)
    results = np.where(chance < win, 1, np.where(chance < win + loss, -1, 0))
    rows = np.zeros(size, SAMPLE)
    rows["score"], rows["material"], rows["result"] = scores, materials, results
    found, likelihood = fit_wdl_model(Samples(np.zeros(0, TERM), rows))
    assert 0 < likelihood < 1
    for material in (10, 40, 78):
        assert abs(found.even_score(material) - truth.even_score(material)) < 6
        assert abs(found.spread(material) / truth.spread(material) - 1) < 0.04
