"""Each step has its line of the pseudo-code."""

from __future__ import annotations

import pytest

from engine.course.stepper.listing import line_of, listing_of
from engine.course.stepper.parser import parse_tree
from engine.course.stepper.searches import search_tree
from engine.course.stepper.steps import fitting
from engine.course.stepper.uct import UctOptions, uct_tree

FIGURE = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"


def line_texts(run) -> dict[tuple[str, str], str]:
    """The line of the first step with each event, by the procedure's node: the move's name and the event."""
    found: dict[tuple[str, str], str] = {}
    for step in run.steps:
        line = line_of(run, step)
        found.setdefault((step.node.name, step.event), "" if line is None else listing_of(run.algorithm)[line].strip())
    return found


def test_the_lines_of_alpha_beta_are_those_of_the_player_who_moves():
    texts = line_texts(search_tree(parse_tree(FIGURE), "alphabeta"))
    assert texts["", "enter"] == "value, move <- -∞, none" and texts["a", "enter"] == "value, move <- +∞, none"
    assert texts["", "window"] == "α <- MAX(α, value)" and texts["a", "window"] == "β <- MIN(β, value)"
    assert texts["b", "cutoff"] == "if value <= α then return value, move"
    assert texts["", "play"] == "return move"
    assert listing_of("alphabeta").index("    return move") < listing_of("alphabeta").index("    return value, move")


@pytest.mark.parametrize(("algorithm", "tree", "key", "words"), [
    ("expectimax", "[[3, 12]]", ("a", "leave"), "P(action) x value"),
    ("expectiminimax", "{chance: [[1/2, 3], [1/2, 5]]}", ("", "leave"), "P(outcome) x value"),
    ("expectiminimax", "[3, 5]", ("", "leave"), "the largest of values"),
    ("maxn", "[(1, 2), (2, 1)]", ("", "leave"), "best for TO-MOVE"),
    ("maxn", "{chance: [[1/2, (1, 2)], [1/2, (2, 1)]]}", ("", "leave"), "average of tuples"),
    ("minimax", "7", ("", "leaf"), "IS-TERMINAL"),
])
def test_lines_of_other_algorithms(algorithm, tree, key, words):
    assert words in line_texts(search_tree(parse_tree(tree), algorithm))[key]


def test_the_four_steps_of_uct_have_lines():
    texts = line_texts(uct_tree(parse_tree(FIGURE), UctOptions(30)))
    for event, words in (("expand", "add child"), ("simulate", "playout policy"), ("back-propagate", "N(node) + 1")):
        assert words in texts["a", event]
    assert "largest UCB1" in texts["a", "select"] and "largest N" in texts["", "play"]


@pytest.mark.parametrize("text", [FIGURE, "{chance: [[1/2, [3, 5, [1, 2]]], [1/2, [9, [5, 4]]]]}", "7",
                                  "[(1, 2), [(2, 1), (2, 3)], {chance: [[1/2, (0, 1)], [1/2, (5, 5)]]}]"])
def test_every_step_but_the_last_has_a_line(text):
    tree = parse_tree(text)
    for name in fitting(tree):
        run = uct_tree(tree, UctOptions(30)) if name == "uct" else search_tree(tree, name)
        assert [step.words for step in run.steps if step.event != "play" and line_of(run, step) is None] == [], name


def test_at_the_end_of_the_game_no_playout_runs():
    run = uct_tree(parse_tree("[1, [2, 3]]"), UctOptions(30))
    for step in run.steps:
        if step.event == "simulate":
            line = listing_of("uct")[line_of(run, step) or 0]
            assert ("playout policy" in line) == bool(step.node.children) and ("UTILITY" in line) != bool(
                step.node.children)
