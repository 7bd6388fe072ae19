"""The tables that the reference's README shows: what the commands above them print, and nothing that is missing."""

from __future__ import annotations

import re
from pathlib import Path

from engine.course.outputs import printed, renew, shown_outputs
from engine.lab.compare.standings import ASSUMPTION_HEADINGS
from engine.lab.compare.variants import LADDER
from engine.lab.tree_searches import TREES
from engine.search.modes import MODES

README = Path(__file__).parents[3].joinpath("engine", "course", "reference", "README.md").read_text(encoding="utf-8")
RENEW = "stale: run adversary class --outputs engine/course/reference/README.md"


def columns(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def table_of(text: str) -> dict[str, list[str]]:
    """The rows of the ladder by their names, without their CPU time, which is never the same twice."""
    rows = [columns(line) for line in text.splitlines()]
    time = next(row for row in rows if "CPU s" in row).index("CPU s")
    names = {rung.name for rung in LADDER}
    return {row[0]: row[:time] + row[time + 1 :] for row in rows if row[0] in names}


def shown_by(command: str) -> dict[str, str]:
    """The blocks whose commands begin like this."""
    return {words: shown for words, shown in shown_outputs(README).items() if words.startswith(command)}


def test_the_comparison_shows_every_search():
    (shown,) = shown_by("compare position --depth").values()
    rows = {columns(line)[0] for line in shown.splitlines()}
    assert {rung.name for rung in LADDER} | set(TREES) <= rows, RENEW


def test_the_tournament_has_every_mode():
    modes = [mode.name for mode in MODES]
    crosstable, assumptions = shown_by("compare tournament").values()
    header, *rows = [columns(line) for line in crosstable.splitlines()[:-1]]
    assert header == ["points of", *modes, "score", "Elo"] and {row[0] for row in rows} == set(modes), RENEW
    assert columns(assumptions.splitlines()[0]) == list(ASSUMPTION_HEADINGS), RENEW


def test_the_text_has_the_points_of_the_table():
    crosstable, _ = shown_by("compare tournament").values()
    header, *rows = [columns(line) for line in crosstable.splitlines()[:-1]]
    row = dict(zip(header, next(row for row in rows if row[0] == "expectimax"), strict=True))
    points = sum(float(row[mode]) for mode in ("alphabeta", "mcts", "puct", "minimax"))
    assert f"alphabeta, mcts, puct and minimax, it gets {points:g} point" in README


def test_the_comparison_is_what_the_command_prints():
    for words, shown in shown_by("compare position").items():
        assert table_of(shown) == table_of(printed(words)), RENEW


def test_equal_budgets_are_equal():
    """As many nodes for every row, but for the playout or the iteration that was under way."""
    ((words, shown),) = shown_by("compare position --nodes").items()
    budget = int(words.split()[-1])
    rows = [columns(line) for line in shown.splitlines()]
    names = {rung.name for rung in LADDER} | set(TREES)
    spent = {row[0]: int(row[1].replace(",", "")) for row in rows if row[0] in names}
    assert len(spent) == len(LADDER) + len(TREES) and all(budget <= nodes < 1.01 * budget for nodes in spent.values())


def test_blocks_are_found_and_renewed():
    page = "before\n<!-- output of: adversary perft 1 -->\n```\nold\n```\nafter\n"
    assert shown_outputs(page) == {"perft 1": "old\n"}
    renewed = renew(page)
    assert renewed.startswith("before\n<!-- output of: adversary perft 1 -->\n```\n")
    assert "20" in shown_outputs(renewed)["perft 1"] and renewed.endswith("```\nafter\n")


def test_a_block_may_show_the_second_table():
    first, second = (printed(f"perft 1 --divide{words}") for words in ("", ", table 2"))
    assert first != second and "e2e4" in first and "20" in second
