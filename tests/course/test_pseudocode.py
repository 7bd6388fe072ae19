"""The pseudo-code beside the code: each line has its source line, and events lead to the line that runs."""

from __future__ import annotations

import inspect

import pytest

from engine.course.lesson import LESSONS
from engine.course.pseudocode import OF_LESSON, PSEUDOCODE, current_line, implementation, listing, side_by_side

NAMES = {"MINIMAX-SEARCH", "ALPHA-BETA-SEARCH", "MAX-VALUE", "MIN-VALUE", "EXPECTIMAX", "EXPECTIMINIMAX", "MCTS",
         "SELECT", "EXPAND", "SIMULATE", "BACK-PROPAGATE", "UCB1", "REGRET-MATCHING", "CFR", "MAX-N"}


@pytest.mark.parametrize("procedure", [procedure for procedures in PSEUDOCODE.values() for procedure in procedures],
                         ids=lambda procedure: procedure.function)
def test_every_line_has_its_line_of_source_in_order(procedure):
    lines, _ = inspect.getsourcelines(implementation(procedure.function))
    places = []
    for line in procedure.lines:
        if line.code:
            hits = [number for number, text in enumerate(lines) if line.code in text]
            assert len(hits) == 1, (line, hits)
            places += hits
    assert places == sorted(places)


def test_the_names_are_those_of_the_notes():
    assert {procedure.name for procedures in PSEUDOCODE.values() for procedure in procedures} >= NAMES


@pytest.mark.parametrize("algorithm", PSEUDOCODE)
def test_listings_lead_to_the_source(algorithm):
    lines = listing(algorithm)
    assert [line.index for line in lines] == list(range(len(lines)))
    for line in lines:
        if line.number is not None:
            assert line.source and (line.source.startswith("def ") == line.text.startswith("function "))
    assert side_by_side(algorithm).count("\n") + 1 == len(lines)


def test_events_of_alpha_beta_lead_to_the_line_of_the_player():
    lines = listing("alphabeta")
    for player, cut, worst in (("max", "value >= β", "-∞"), ("min", "value <= α", "+∞")):
        found = {event: lines[current_line("alphabeta", event, player) or 0] for event in
                 ("leaf", "enter", "child", "better", "window", "cutoff", "leave")}
        assert {line.procedure for line in found.values()} == {f"{player.upper()}-VALUE"}
        assert cut in found["cutoff"].text and worst in found["enter"].text
        assert found["cutoff"].source == "break"
    assert current_line("minimax", "cutoff", "max") is None
    assert lines[current_line("alphabeta", "play") or 0].text.strip() == "return move"


def test_events_of_the_other_searches():
    for algorithm, events in (("expectimax", "leaf enter child leave"), ("maxn", "leaf enter child average leave"),
                              ("expectiminimax", "leaf enter child average leave"),
                              ("mcts", "select expand simulate back-propagate play")):
        assert all(current_line(algorithm, event) is not None for event in events.split()), algorithm


def test_lessons_and_algorithms_exist():
    assert set(OF_LESSON) <= set(LESSONS)
    assert {algorithm for found in OF_LESSON.values() for algorithm in found} == set(PSEUDOCODE)
