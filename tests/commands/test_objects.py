"""`--json`: every command that has it prints one object per line, with the fields that docs/json.md lists."""

from __future__ import annotations

import argparse
import importlib
import json
import re
from pathlib import Path

import pytest

from engine.__main__ import COMMANDS, MODULES
from engine.lab.bench import models, perft, shipped, startup
from engine.lab.bench.perft import PerftSpeed
from eval.network.bench import replay_moves
from tests.analysis import games
from tests.commands.running import run

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
ENDING = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
EPD = '6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "back rank";\n4k3/8/8/8/8/8/4P3/4K3 w - - bm Kd1;\n'
PERFT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 401\n"

# Command line, with `{}` for a folder of input files: the section of the page, and the types of the objects.
CALLS = {
    "analyse {}/a.epd --depth 2 --multipv 2": ("analyse", None),
    "annotate {}/a.pgn --out {}/b.pgn --nodes 50": ("annotate", ["game", "player", "player"]),
    "report {}/a.pgn --player A --nodes 50 --out {}/c.pgn": ("report", None),
    "explain startpos --nodes 200": ("explain", None),
    "explain startpos --nodes 200 --move e4": ("explain", None),
    "explain startpos --move e4 --all": ("explain, all", None),
    "explain startpos --all --network features": ("explain, all", None),
    "perft 2": ("perft", ["total"]),
    "perft 0": ("perft", ["total"]),
    "perft 2 --divide --fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1": ("perft", [*["move"] * 5, "total"]),
    "perft --suite {}/perft.epd": ("perft", ["count", "count", "total"]),
    "suite {}/a.epd --depth 3": ("suite", ["position", "position", "total"]),
    "compare position --depth 2": ("compare position", None),
    "compare position --suite {}/a.epd --depth 1": ("compare position", None),
    "compare bound --depth 4 --positions 1": ("compare bound", None),
    "compare search --nodes 100,300 --positions 2": ("compare search", None),
    "bench 1": ("bench [DEPTH]", [*["position"] * 50, "total"]),
    "bench 2 --statistics": ("bench statistics", ["depth", "depth", "total"]),
    "bench speed --movetime 1": ("bench speed", None),
    "bench threads --threads 2 --movetime 1": ("bench threads", None),
    "bench trees --movetime 1": ("bench trees", None),
    "match default default --games 2 --nodes 50 --sprt 0 5": ("match", None),
    "match default default --games 2 --scaling 20,50": ("match", None),
    "tablebase probe " + ENDING: ("tablebase probe", None),
    "tablebase stats": ("tablebase stats", None),
    "book show --nodes 50": ("book show", None),
    "book show --fen " + ENDING: ("book show", None),
    "class grade {}/homework.py": ("class grade", None),
    "class tree [[3,12,8],[2,4,6],[14,5,2]]": ("class tree", None),
    "class tree [[3,12],[2,4]] --algorithm uct": ("class tree", None),
    "doctor": ("doctor", None),
}
SLOW_CALLS = {
    "bench perft --runs 1": ("bench perft", [*["position"] * 6, "total"]),
    "bench startup --runs 1": ("bench startup", None),
    "bench network --runs 1 --movetime 1": ("bench network", ["features", "network", "search"]),
    "match --ablate --games 2 --nodes 20": ("match", None),
    "compare tournament --time 5": ("compare tournament", None),
    "compare evaluations --depth 1 --games 2": ("compare evaluations", None),
}


def documented() -> dict[str, set[str]]:
    """The fields of each table of the page, by the heading above it."""
    found: dict[str, set[str]] = {}
    section = ""
    for line in PAGE.splitlines():
        if heading := re.match(r"## (.+)|`([a-z]+ [\[\]\w]+)`:|With `(--all)` nothing", line):
            section = heading[1] or heading[2] or f"{section}, all"
        elif section == "doctor" and "`" in line:
            found.setdefault(section, set()).update(re.findall(r"`(\w+)`", line))
        elif line.startswith("| `"):
            found.setdefault(section, set()).update(re.findall(r"`(\w+)`", line.split("|")[1]))
    found["doctor"] -= {"found", "advice"}
    return found


def objects(capsys, tmp_path, words: str) -> list[dict[str, object]]:
    """The objects that a command prints."""
    for name, content in (("a.epd", EPD), ("perft.epd", PERFT), ("a.pgn", games.MATED + games.BROKEN),
                          ("homework.py", "def minimax(*given):\n    return 0\n")):
        (tmp_path / name).write_text(content)
    status, out, err = run(capsys, *words.replace("{}", str(tmp_path)).split(), "--json")
    assert status in (0, 1) and "Traceback" not in err
    lines = out.splitlines()
    assert lines and all(line.startswith("{") for line in lines)
    return [json.loads(line, parse_constant=pytest.fail) for line in lines]


@pytest.mark.parametrize("words", [*CALLS, *(pytest.param(words, marks=pytest.mark.slow) for words in SLOW_CALLS)])
def test_objects_have_the_fields_of_the_page(capsys, tmp_path, words):
    section, types = {**CALLS, **SLOW_CALLS}[words]
    found = objects(capsys, tmp_path, words)
    for fields in found:
        assert set(fields) <= documented()[section]
    if types is not None:
        assert [fields["type"] for fields in found] == types


def test_every_field_of_the_page_is_printed(capsys, tmp_path):
    printed: dict[str, set[str]] = {}
    for words in ("perft 1 --divide", "perft --suite {}/perft.epd", "suite {}/a.epd --depth 2", "explain --nodes 50",
                  "explain --all", f"tablebase probe {ENDING}", "book show --nodes 10"):
        for fields in objects(capsys, tmp_path, words):
            printed.setdefault(CALLS.get(words, (" ".join(words.split()[:2]),))[0], set()).update(fields)
    pages = documented()
    assert printed["perft 1"] | printed["perft"] == pages["perft"]
    assert printed["suite {}/a.epd"] == pages["suite"]
    assert printed["explain --nodes"] == pages["explain"]
    assert printed["explain --all"] == pages["explain, all"]
    assert printed["tablebase probe"] == pages["tablebase probe"]
    assert printed["book show"] == pages["book show"]


def test_values_of_the_objects(capsys, tmp_path):
    *moves, total = objects(capsys, tmp_path, "perft 3 --divide")
    assert total["nodes"] == sum(int(str(fields["nodes"])) for fields in moves) == 8902
    counts = objects(capsys, tmp_path, "perft --suite {}/perft.epd")
    assert [fields.get("correct") for fields in counts] == [True, False, None] and counts[-1]["wrong"] == 1
    first, second, both = objects(capsys, tmp_path, "suite {}/a.epd --depth 3")
    assert (first["id"], first["move"], first["solved"]) == ("back rank", "Ra8#", True)
    assert both["positions"] == 2 and both["solved"] == 1 + bool(second["solved"])
    (probed,) = objects(capsys, tmp_path, f"tablebase probe {ENDING}")
    assert (probed["result"], probed["plies"], probed["certain"]) == ("win", 31, True)
    assert isinstance(probed["moves"], list) and probed["moves"][0] == {
        "move": "Kb1", "uci": "a1b1", "result": "win", "certain": True, "plies": 31}
    (played,) = objects(capsys, tmp_path, "match default default --games 2 --nodes 50")
    assert played["games"] == 2 and played["sprt"] is None and played["forfeits"] is None


def checked_objects(capsys, work, section: str) -> list[dict[str, object]]:
    """The objects of a benchmark, checked against the page; its text must have at least as many lines."""
    assert work(True) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found and all(set(fields) <= documented()[section] for fields in found)
    assert work(False) == 0
    assert len(capsys.readouterr().out.splitlines()) >= len(found)
    return found


def test_objects_of_the_benchmarks(capsys, monkeypatch):
    monkeypatch.setattr(startup, "_cpu_seconds", lambda *arguments, **options: 0.5)
    monkeypatch.setattr(startup, "_imports_numba", lambda *arguments: False)
    monkeypatch.setattr(startup, "_seconds_to_uciok", lambda cache: 0.2)
    starts = checked_objects(capsys, lambda as_json: startup.print_startup(2, as_json), "bench startup")
    assert {fields["code"] for fields in starts} >= {None, "cache", "compiled"}
    monkeypatch.setattr(perft, "_measure_position", lambda position, runs, reference: PerftSpeed(position, 4.0, 2.0))
    speeds = checked_objects(capsys, lambda as_json: perft.print_perft(1, None, as_json), "bench perft")
    assert speeds[-1] == {"type": "total", "reference_name": None, "bulk": 4.0, "no_bulk": 2.0,
                          "reference": None, "ratio": None}
    monkeypatch.setattr(shipped, "_build", lambda folder: [])
    monkeypatch.setattr(shipped, "shipped_paths", list)
    monkeypatch.setattr(shipped, "_bench", lambda choice, depth: (100, 2.0))
    (native,) = checked_objects(capsys, lambda as_json: shipped.print_shipped(1, 2, as_json), "bench shipped")
    assert (native["code"], native["nodes_per_cpu_second"], native["of_native"]) == ("native", 50, 1.0)
    monkeypatch.setattr(models, "played_lines", list)
    monkeypatch.setattr(models, "nanoseconds_per_move",
                        lambda lines, runs, replay: 100.0 if replay is replay_moves else 300.0)
    monkeypatch.setattr(models, "_search_speeds", lambda evaluation, movetime: {
        "type": "search", "features_nps": 2, "network_nps": 1, "ratio": 0.5})
    costs = checked_objects(capsys, lambda as_json: models.print_network(None, 1, 0.001, as_json), "bench network")
    assert [fields["type"] for fields in costs] == ["features", "network", "search"]
    assert costs[1]["of_features"] == 1.0
    monkeypatch.setattr(models, "_mean_count", lambda lines, policy: 30.0)
    (cost,) = checked_objects(capsys, lambda as_json: models.print_policy(None, 1, as_json), "bench policy")
    assert (cost["moves"], cost["nanoseconds"], cost["prior_nanoseconds"]) == (30.0, 200.0, 0.0)


def parsers_with_json(parser: argparse.ArgumentParser, name: str) -> set[str]:
    found = set()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice, below in action.choices.items():
                found |= parsers_with_json(below, f"{name} {choice}")
        elif "--json" in action.option_strings and action.nargs == 0:
            found.add(name)
    return found


def test_every_command_with_json_is_documented():
    for command in COMMANDS:
        module = importlib.import_module(f"engine.commands.{MODULES.get(command, command)}")
        parser = argparse.ArgumentParser()
        module.configure(parser)
        for name in parsers_with_json(parser, command):
            assert any(words.startswith(name) for words in CALLS | SLOW_CALLS) or f"`{name}`" in PAGE, name
            assert f"## {command}" in PAGE
