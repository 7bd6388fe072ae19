"""Screening: effects that are there are found, each with an error that fits, both sides share what is changed, and no
pair that was played is lost.
"""

from __future__ import annotations

import random

import chess
import pytest

from engine.__main__ import main
from engine.alphabeta.params import PARAMETERS, default_params
from engine.lab.arena.configs import Config, parse_config
from engine.lab.arena.records import GameRecord, Opening
from engine.lab.arena.screen_file import ScreenPlan, open_screen, read_screen
from engine.lab.arena.screening import ParamChange, Screening, fold, parse_changes, screen_pairs, suggest
from engine.lab.arena.statistics import CONFIDENCE, Estimate, score_of
from engine.mcts import params as tree_params
from engine.system.errors import InputError

PARAMS = default_params()
WORTH = {"use_null_move": 40.0, "use_probcut": 0.0, "rfp_margin": -15.0}


def openings(count):
    return (Opening(chess.STARTING_FEN) for _ in range(count))


def played(changes, worth, pairs, seed):
    """A screen of games without draws between sides that differ by what the changes are worth."""
    screening, generator = Screening(changes, 100), random.Random(seed)
    for signs, _ in screen_pairs(changes, Config(), openings(pairs), 100, seed):
        elo = sum(sign * worth[change.name] for sign, change in zip(signs, changes, strict=True))
        screening.add(signs, sum(generator.random() < score_of(elo) for _ in range(2)))
    return screening


def test_effects_are_found_through_the_noise():
    changes = parse_changes(list(WORTH), Config())
    screening = played(changes, WORTH, 8000, seed=3)
    for screens, error in (([screening], 5.4), ([played(changes, WORTH, 4000, seed) for seed in (4, 5)], 5.4)):
        found = {change.name: estimate for change, estimate in fold(screens, prior=1e6).items()}
        assert next(iter(found)) == "use_null_move"
        for name, elo in WORTH.items():
            assert found[name].value == pytest.approx(elo, abs=10)
            assert found[name].high - found[name].value == pytest.approx(error, abs=0.6)  # 16,000 games


def test_the_prior_shrinks_what_few_games_say_and_screens_fold_into_one():
    """By the formula for a normal prior: a raw figure with the standard error s is multiplied by 36 / (36 + s * s)."""
    one, other = parse_changes(["use_null_move"], Config()), parse_changes(["use_probcut"], Config())
    for pairs in (100, 3000):
        screening = played(one, WORTH, pairs, seed=1)
        (raw,), (shrunk,) = (list(fold([screening], prior).values()) for prior in (1e6, 6.0))
        deviation = (raw.high - raw.value) / CONFIDENCE
        assert shrunk.value == pytest.approx(raw.value * 36 / (36 + deviation ** 2), rel=0.01)
    both = fold([played(one, WORTH, 500, seed=1), played(other, WORTH, 500, seed=2)])
    assert [change.name for change in both] == ["use_null_move", "use_probcut"]
    with pytest.raises(InputError, match="no pair"):
        fold([Screening(one, 100)])


@pytest.mark.parametrize(("change", "elo", "deviation", "expected"), [
    (ParamChange("rfp_margin", 38, 58), 3, 7, None), (ParamChange("rfp_margin", 38, 58), 4, 7, 54),
    (ParamChange("rfp_margin", 38, 58), -4, 7, 42), (ParamChange("rfp_margin", 38, 58), 9, 7, 58),
    (ParamChange("use_threats", 0, 1), 6, 7, None), (ParamChange("use_threats", 0, 1), 6.4, 7, 1),
    (ParamChange("use_threats", 0, 1), -20, 7, None), (ParamChange("use_probcut", 0, 1), -6.4, 7, 0)])
def test_what_is_suggested(change, elo, deviation, expected):
    """Half a standard error moves a number six tenths of the way, 1.2 all the way; 0.9 turn a switch."""
    error = CONFIDENCE * deviation
    base = Config(params=(("use_threats", 0), ("rfp_margin", 48)))
    assert suggest({change: Estimate(elo, elo - error, elo + error)}, base).get(change.name) == expected


def test_each_side_has_what_the_other_lacks():
    base = Config(params=(("lmr_base", 700), ("rfp_margin", 66)))
    changes = parse_changes(["rfp_margin", "use_threats"], base)
    assert changes == [ParamChange("rfp_margin", 60, 72), ParamChange("use_threats", 0, 1)]
    assert parse_changes(["rfp_margin=40:90"], base) == [ParamChange("rfp_margin", 40, 90)]
    seen = set()
    for signs, pair in screen_pairs(changes, base, openings(40), 100, 1):
        first, second = (dict(player.config.params) for player in (pair.first, pair.second))
        assert first["lmr_base"] == second["lmr_base"] == 700
        assert {first["rfp_margin"], second["rfp_margin"]} == {60, 72}
        assert {first["use_threats"], second["use_threats"]} == {0, 1}
        seen.add(signs)
    assert len(seen) == 4


def test_names_are_checked():
    for names, complaint in ((["rfp"], "unknown search parameter"), (["rfp_margin", "rfp_margin=40:90"], "twice"),
                             (["rfp_margin=40"], "must be like"), (["rfp_margin="], "must be like"),
                             (["rfp_margin=90:40"], "lower one first"),
                             (["rfp_margin=0:90"], "from 20 to 150")):
        with pytest.raises(InputError, match=complaint):
            parse_changes(names, Config())


def test_the_command_prints_every_change(capsys):
    assert main(["tune", "screen", "--params", "use_threats,rfp_margin", "--pairs", "8", "--nodes", "30",
                 "--concurrency", "2"]) == 0
    said = capsys.readouterr().out
    assert "8 pairs" in said and "use_threats" in said and "rfp_margin" in said
    assert main(["tune", "screen", "--params", "use_nothing", "--pairs", "8"]) == 2


def test_a_screen_continues_from_its_file_and_folds_with_others(tmp_path, capsys):
    """What was interrupted and continued is what a screen without interruption finds."""
    whole, halves, deep = (tmp_path / f"{name}.screen" for name in ("whole", "halves", "deep"))

    def screen(out, pairs, nodes=30):
        return main(["tune", "screen", "--params", "use_threats,rfp_margin", "--nodes", str(nodes),
                     "--concurrency", "2", "--out", str(out), "--pairs", str(pairs)])

    assert screen(whole, 6) == screen(halves, 3) == 0
    halves.write_text(halves.read_text() + '[3, "+')  # killed while it wrote
    assert screen(halves, 6) == screen(deep, 2, nodes=60) == 0
    assert halves.read_text() == whole.read_text()
    assert read_screen(whole)[1].pairs == 6
    capsys.readouterr()
    assert main(["tune", "screen", "--fold", str(whole), str(deep)]) == 0
    said = capsys.readouterr().out
    assert "6 pairs of games at 30 nodes" in said and "2 pairs of games at 60 nodes" in said
    assert "Elo together" in said and "suggested: " in said
    assert screen(whole, 6, nodes=31) == 2
    assert "a screen with other nodes" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "no screen\n", '{"screen": 1, "nodes": 3}\n', '{"screen": 1, \n', "{}\n"])
def test_a_file_that_is_not_a_screen_is_refused(tmp_path, content):
    path = tmp_path / "a.screen"
    path.write_text(content)
    with pytest.raises(InputError, match="is not a screen"):
        read_screen(path)


def test_pairs_that_do_not_follow_are_refused(tmp_path):
    path, plan = tmp_path / "a.screen", ScreenPlan((ParamChange("use_threats", 0, 1),), 30, 1, "", "default")
    with open_screen(path, plan) as journal:
        journal.add([1], 1.5)
        journal.add([-1], 0.0)
    assert read_screen(path)[0] == plan
    for line in ('[3, "+", 1]', '[2, "+-", 1]', '[2, "+", 3]', '[2, "?", 1]', "[2]", "nothing"):
        path.write_text("\n".join([*path.read_text().splitlines()[:3], line, ""]))
        with pytest.raises(InputError, match="is not a screen"):
            read_screen(path)


def test_with_every_technique_in_use_there_are_no_switches_to_screen(capsys, monkeypatch):
    in_use = tuple(row for row in PARAMETERS if row.is_on)
    monkeypatch.setattr("engine.lab.arena.screening.PARAMETERS", in_use)
    assert main(["tune", "screen", "--params", "switches", "--pairs", "8"]) == 2
    assert "nothing to screen" in capsys.readouterr().err


def test_the_parameters_of_a_tree_are_screened_too():
    base = parse_config("mcts,root_share=0,puct=1.2")
    changes = parse_changes(["puct", "use_sharing", "first_play=0.0:0.3"], base)
    assert changes == [ParamChange("puct", pytest.approx(1.05), pytest.approx(1.35)), ParamChange("use_sharing", 0, 1),
                       ParamChange("first_play", 0.0, 0.3)]
    for signs, pair in screen_pairs(changes, base, openings(8), 20, 1):
        assert not pair.is_in_kernel and str(pair.first.budget) == "20 nodes"
        for player, side in ((pair.first, 1), (pair.second, -1)):
            record = player.config.tree.params_record()
            assert record.root_share == 0
            assert [record[change.name] for change in changes] == [
                change.high if sign == side else change.low for change, sign in zip(changes, signs, strict=True)]
    for wrong in ("rfp_margin", "puct=2:1", "puct=a:b", "puct_base=1:2:3"):
        with pytest.raises(InputError):
            parse_changes([wrong], base)


def test_a_fraction_moves_by_a_fraction():
    base = parse_config("mcts")
    sure = {ParamChange("puct", 1.35, 1.65): Estimate(10.0, 2.0, 18.0), ParamChange("use_sharing", 0, 1):
            Estimate(-20.0, -24.0, -16.0), ParamChange("root_gain", 0.2, 0.3): Estimate(0.1, -9.9, 10.1)}
    assert suggest(sure, base) == {"puct": pytest.approx(1.65), "use_sharing": 0}
    assert suggest({ParamChange("puct", 1.35, 1.65): Estimate(-4.0, -12.0, 4.0)}, base) == {
        "puct": pytest.approx(1.5 - 0.6 * 0.15)}


def test_a_screen_of_a_tree_is_played(capsys):
    assert main(["tune", "screen", "--config", "mcts,root_share=0", "--params", "puct,use_sharing", "--pairs", "2",
                 "--nodes", "8", "--concurrency", "1"]) == 0
    out = capsys.readouterr().out
    assert "2 pairs of games at 8 nodes per move" in out and "1.35" in out and "use_sharing" in out


def test_every_number_that_is_screened_has_a_step():
    for rows in (PARAMETERS, tree_params.PARAMETERS):
        assert all(row.low <= row.default <= row.high for row in rows)
    assert all(row.step for row in PARAMETERS if not row.is_switch)


def test_after_a_cancellation_only_pairs_in_order_count(monkeypatch, tmp_path, capsys):
    """The third pair was finished when games were cancelled, the second was not: it will be played again."""
    def in_order(executor, shards, width):
        for number, _ in zip((0, 2), shards, strict=False):
            next(shards)  # more are drawn than are finished
            yield [GameRecord(2 * number + color, ("one half", "the other"), Opening(), (), "1-0", "")
                   for color in (0, 1)]

    monkeypatch.setattr("engine.lab.tune.screen.in_order", in_order)
    path = tmp_path / "a.screen"
    assert main(["tune", "screen", "--params", "use_threats", "--pairs", "9", "--out", str(path)]) == 0
    assert read_screen(path)[1].pairs == 1
