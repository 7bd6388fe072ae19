"""The tables that the reference's README shows: what the commands above them print, and nothing that is missing."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from engine.commands.compare import tournament
from engine.commands.compare.variants import LADDER
from engine.commands.course.outputs import printed, renew, shown_outputs
from engine.commands.shared.searches import TREES
from engine.search.modes import MODES

README = Path(__file__).parents[2].joinpath("engine", "reference", "README.md").read_text(encoding="utf-8")
RENEW = "stale: run adversary class --outputs engine/reference/README.md"


def columns(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def table_of(text: str) -> dict[str, list[str]]:
    """The rows of the ladder by their names, without their CPU time, which is never the same twice."""
    rows = [columns(line) for line in text.splitlines()]
    time = next(row for row in rows if "CPU s" in row).index("CPU s")
    names = {rung.name for rung in LADDER}
    return {row[0]: row[:time] + row[time + 1 :] for row in rows if row[0] in names}


def test_the_comparison_shows_every_search():
    (shown,) = shown_outputs(README).values()
    rows = {columns(line)[0] for line in shown.splitlines()}
    assert {rung.name for rung in LADDER} | set(TREES) <= rows, RENEW


def test_the_tournament_shows_every_search():
    """If this fails: play it again with the command above the table."""
    lines = README.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("points of"))
    assert columns(lines[first]) == list(tournament.HEADINGS)
    rows = [columns(line)[0] for line in itertools.takewhile(bool, lines[first + 1 :])]
    assert sorted(rows) == sorted(mode.name for mode in MODES)


@pytest.mark.slow
def test_the_comparison_is_what_the_command_prints():
    for words, shown in shown_outputs(README).items():
        assert table_of(shown) == table_of(printed(words)), RENEW


def test_blocks_are_found_and_renewed():
    page = "before\n<!-- output of: adversary perft 1 -->\n```\nold\n```\nafter\n"
    assert shown_outputs(page) == {"perft 1": "old\n"}
    renewed = renew(page)
    assert renewed.startswith("before\n<!-- output of: adversary perft 1 -->\n```\n")
    assert "20" in shown_outputs(renewed)["perft 1"] and renewed.endswith("```\nafter\n")
