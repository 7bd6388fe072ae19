"""SPSA: it climbs, it can be interrupted, and the run is the same whichever executor plays."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import chess
import pytest

from engine.alphabeta.params import PARAMETERS
from engine.lab.arena import executors
from engine.lab.arena.configs import parse_config
from engine.lab.arena.openings import RandomOpenings
from engine.lab.arena.records import Adjudication, GameRecord, Opening
from engine.lab.arena.shards import in_order
from engine.lab.arena.spsa import Perturbation, SpsaConfig, SpsaRun
from engine.lab.arena.statistics import score_of
from engine.system.errors import InputError

ROWS = {row.name: row for row in PARAMETERS}
NAMES = ("rfp_margin", "lmr_base", "futility_margin", "history_bonus")
BEST = {name: ROWS[name].default + 4 * ROWS[name].step * sign for name, sign in zip(NAMES, (1, -1, 1, -1), strict=True)}


def strength(params: tuple[tuple[str, int], ...], elo_per_square: float = 6) -> float:
    """Elo of a make-believe engine: a hill with its top at BEST."""
    return -sum(elo_per_square * ((value - BEST[name]) / ROWS[name].step) ** 2 for name, value in params)


def make_believe(perturbation: Perturbation, generator: random.Random, elo_per_square: float = 6
                 ) -> list[GameRecord]:
    first, second = perturbation.pair.first.config, perturbation.pair.second.config
    assert first is not None and second is not None
    elo = strength(first.params, elo_per_square) - strength(second.params, elo_per_square)
    records = []
    for game in range(2):
        number, first_wins = 2 * perturbation.number + game, generator.random() < score_of(elo)
        white_wins = first_wins == (game == 0)
        records.append(GameRecord(number, ("a", "b"), Opening(), (), "1-0" if white_wins else "0-1", "test"))
    return records


def openings():
    while True:
        yield Opening(chess.STARTING_FEN)


def test_it_climbs_a_hill_through_much_noise():
    spsa_run, generator, source = SpsaRun.start(SpsaConfig(NAMES, 6000, 20, 100, 1, 0.01)), random.Random(2), openings()
    before = strength(spsa_run.config().params)
    while not spsa_run.is_over:
        batch = spsa_run.batch(source, Adjudication())
        spsa_run.update(batch, [make_believe(perturbation, generator) for perturbation in batch])
    assert before == pytest.approx(-384)
    assert strength(spsa_run.config().params) > -40
    assert spsa_run.played == 6000 and len(spsa_run.history) == 300


@pytest.mark.parametrize(("elo_per_square", "bias"), [(0.0, 0.0), (0.5, 0.15), (2.0, 0.4)])
def test_the_gain_is_estimated_by_games_that_the_steps_did_not_cause(elo_per_square, bias, monkeypatch):
    """Against the true gain in many short runs: where nothing is to be gained, noise is not taken for a gain. The
    steeper the hill, the lower the estimate; its 95 % interval holds the truth where it is flat.
    """
    monkeypatch.setattr("engine.lab.arena.spsa.WINDOW", 100)
    gains, truths, held = [], [], []
    for seed in range(24):
        spsa_run, generator = SpsaRun.start(SpsaConfig(NAMES, 500, 20, 100, seed, 0.02)), random.Random(seed)
        values = [dict(spsa_run.config().params)]
        while not spsa_run.is_over:
            batch = spsa_run.batch(openings(), Adjudication())
            spsa_run.update(batch, [make_believe(perturbation, generator, elo_per_square) for perturbation in batch])
            values.append(dict(spsa_run.config().params))
        gain, judged = spsa_run.estimated_gain, values[spsa_run.estimated_pairs // 20]
        assert gain is not None and spsa_run.estimated_pairs == 400
        truths.append(strength(tuple(judged.items()), elo_per_square)
                      - strength(tuple(values[0].items()), elo_per_square))
        gains.append(gain.value)
        held.append(gain.low <= truths[-1] <= gain.high)
    error = stdev(gains) / math.sqrt(len(gains))
    print(f"{fmean(gains):.1f} +- {error:.1f}, in truth {fmean(truths):.1f}; {sum(held)} of {len(held)} held")
    assert -bias * fmean(truths) - 3 * error < fmean(gains) - fmean(truths) < 3 * error
    assert elo_per_square > 0.5 or sum(held) >= 20


def test_no_gain_is_estimated_before_two_windows_are_over():
    spsa_run = SpsaRun.start(SpsaConfig(NAMES, 6000, 20, 100, 1, 0.01))
    assert spsa_run.estimated_gain is None and spsa_run.estimated_pairs == 0


def test_perturbations_are_symmetric_and_in_range():
    spsa_run = SpsaRun.start(SpsaConfig(NAMES, 100, 10, 100, 1, 0.002))
    spsa_run.values["rfp_margin"] = ROWS["rfp_margin"].high - 0.5
    signs = set()
    for perturbation in spsa_run.batch(openings(), Adjudication()):
        plus, minus = dict(perturbation.pair.first.config.params), dict(perturbation.pair.second.config.params)
        for name in NAMES:
            assert ROWS[name].low <= minus[name] <= ROWS[name].high
            assert ROWS[name].low <= plus[name] <= ROWS[name].high
            signs.add((name, perturbation.flips[name]))
            if name != "rfp_margin":
                middle = (plus[name] + minus[name]) / 2
                assert abs(middle - spsa_run.values[name]) <= 1
                assert math.copysign(1, plus[name] - minus[name]) == perturbation.flips[name]
    assert len(signs) == 2 * len(NAMES)


def test_a_course_that_was_broken_off_goes_on_as_if_it_had_not_been(tmp_path):
    def run(batches: int, spsa_run: SpsaRun) -> SpsaRun:
        source = RandomOpenings().draw(100, 1)
        for _ in range(spsa_run.played):
            next(source)
        with executors.threads(2) as (executor, width):
            for _ in range(batches):
                batch = spsa_run.batch(source, Adjudication())
                spsa_run.update(batch, list(in_order(executor, [one.pair for one in batch], width)))
        return spsa_run

    plan = SpsaConfig(NAMES[:2], 8, 2, 100, 7, 0.01)
    whole = run(3, SpsaRun.start(plan))
    part = run(1, SpsaRun.start(plan))
    part.save(tmp_path / "part.json")
    resumed = run(2, SpsaRun.load(tmp_path / "part.json"))
    assert resumed == whole


def test_bad_plans_and_checkpoints(tmp_path):
    for names, complaint in ((("no_such",), "unknown search parameter"), (("use_iir",), "is a switch")):
        with pytest.raises(InputError, match=complaint):
            SpsaRun.start(SpsaConfig(names, 10, 1, 100, 1, 0.01))
    path = tmp_path / "x.json"
    for text in ("", "{}", "[1]", '{"version": 99}', '{"version": 2, "plan": {}}'):
        path.write_text(text)
        with pytest.raises(InputError):
            SpsaRun.load(path)
    with pytest.raises(InputError, match="cannot read"):
        SpsaRun.load(tmp_path / "missing.json")


def test_parameters_of_a_tree_are_tuned_by_games_of_trees(tmp_path):
    plan = SpsaConfig(("puct", "root_min_depth"), 4, 2, 20, 3, 0.01, tree="mcts")
    spsa_run = SpsaRun.start(plan)
    batch = spsa_run.batch(openings(), Adjudication())
    for perturbation in batch:
        first, second = perturbation.pair.first.config.tree, perturbation.pair.second.config.tree
        assert first is not None and second is not None
        plus, minus = first.params_record(), second.params_record()
        assert plus.puct + minus.puct == pytest.approx(2 * spsa_run.values["puct"])
        assert isinstance(dict(first.params)["root_min_depth"], int)
    spsa_run.update(batch, [make_draws(perturbation) for perturbation in batch])
    assert spsa_run.played == 2
    values = tmp_path / "tuned.txt"
    values.write_text("mcts\n" + "".join(f"{name}={value}\n" for name, value in spsa_run.rounded()))
    assert parse_config(str(values)).tree == spsa_run.config().tree


def make_draws(perturbation: Perturbation) -> list[GameRecord]:
    return [GameRecord(2 * perturbation.number + game, ("a", "b"), Opening(), (), "1/2-1/2", "test")
            for game in range(2)]
