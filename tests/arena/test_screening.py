"""Screening: effects that are there are found, each with an error that fits, and both sides share what is changed."""

from __future__ import annotations

import random

import chess
import pytest

from engine.__main__ import main
from engine.alphabeta.params import PARAMETERS
from engine.arena.configs import Config
from engine.arena.records import GameRecord, Opening
from engine.arena.screening import ParamChange, Screening, parse_changes, screen_pairs
from engine.arena.statistics import score_of
from engine.system.errors import InputError

WORTH = {"use_null_move": 40.0, "use_probcut": 0.0, "rfp_margin": -15.0}


def openings(count):
    return (Opening(chess.STARTING_FEN) for _ in range(count))


def test_effects_are_found_through_the_noise():
    base, generator = Config(), random.Random(3)
    changes = parse_changes(list(WORTH), base)
    screening = Screening(changes)
    for trial in screen_pairs(changes, base, openings(8000), 100, 1):
        elo = sum(sign * WORTH[change.name] for sign, change in zip(trial.signs, changes, strict=True))
        records = [GameRecord(game, ("a", "b"), Opening(), (), "1-0" if wins == (game == 0) else "0-1", "test")
                   for game, wins in ((game, generator.random() < score_of(elo)) for game in range(2))]
        screening.add(trial.signs, records)
    found = {change.name: estimate for change, estimate in screening.effects()}
    assert next(iter(found)) == "use_null_move"
    for name, elo in WORTH.items():
        assert found[name].value == pytest.approx(elo, abs=10)
        assert found[name].high - found[name].value == pytest.approx(5.4, abs=0.6)  # 16,000 games


def test_each_side_has_what_the_other_lacks():
    base = Config(params=(("lmr_base", 700), ("rfp_margin", 66)))
    changes = parse_changes(["rfp_margin", "use_threats"], base)
    assert changes == [ParamChange("rfp_margin", 60, 72), ParamChange("use_threats", 0, 1)]
    assert parse_changes(["rfp_margin=40:90"], base) == [ParamChange("rfp_margin", 40, 90)]
    seen = set()
    for trial in screen_pairs(changes, base, openings(40), 100, 1):
        first, second = dict(trial.pair.first.params), dict(trial.pair.second.params)
        assert first["lmr_base"] == second["lmr_base"] == 700
        assert {first["rfp_margin"], second["rfp_margin"]} == {60, 72}
        assert {first["use_threats"], second["use_threats"]} == {0, 1}
        seen.add(trial.signs)
    assert len(seen) == 4


def test_names_are_checked():
    for names, complaint in ((["rfp"], "unknown search parameter"), (["rfp_margin", "rfp_margin=40:90"], "twice"),
                             (["rfp_margin=40"], "must be like"), (["rfp_margin="], "must be like"),
                             (["rfp_margin=90:40"], "lower one first"),
                             (["rfp_margin=0:90"], "from 30 to 150")):
        with pytest.raises(InputError, match=complaint):
            parse_changes(names, Config())


def test_the_command_prints_every_change(capsys):
    assert main(["tune", "screen", "--params", "use_threats,rfp_margin", "--pairs", "8", "--nodes", "30",
                 "--concurrency", "2"]) == 0
    said = capsys.readouterr().out
    assert "8 pairs" in said and "use_threats" in said and "rfp_margin" in said
    assert main(["tune", "screen", "--params", "use_nothing", "--pairs", "8"]) == 2


def test_with_every_technique_in_use_there_are_no_switches_to_screen(capsys, monkeypatch):
    in_use = tuple(row for row in PARAMETERS if row.is_on)
    monkeypatch.setattr("engine.commands.tune.screen.PARAMETERS", in_use)
    assert main(["tune", "screen", "--params", "switches", "--pairs", "8"]) == 2
    assert "nothing to screen" in capsys.readouterr().err
