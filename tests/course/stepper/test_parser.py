"""Trees as text: what is read, and one line for what is not."""

from __future__ import annotations

import contextlib
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.stepper.nodes import tree_text
from engine.course.stepper.parser import MOST_NODES, parse_tree
from engine.system.errors import InputError
from tests.course.stepper.trees import chance_trees, leaves_of, plain_trees, tuple_leaves, written


def test_players_take_turns_and_leaves_have_names():
    tree = parse_tree("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]")
    assert [(node.name, node.player) for node in tree.nodes if node.children] == [("", MAX), ("a", MIN), ("b", MIN),
                                                                                ("c", MIN)]
    assert {node.name: node.values for node in tree.nodes if node.values}["cb"] == (5,)


def test_chance_takes_no_turn_and_has_odds_of_its_own():
    tree = parse_tree('[{"chance": [[0.5, 3], [1/2, [4, 5]]]}, {chance: [[1/3, 1], [1/3, 2], [1/3, 3]]}]')
    root = tree.root
    assert [child.player for child in root.children] == [CHANCE, CHANCE]
    assert root.children[0].children[1].player == MIN, "MAX has moved above the coin"
    assert root.children[0].odds == (Fraction(1, 2),) * 2 and root.children[1].odds == (Fraction(1, 3),) * 3


def test_nodes_may_say_who_moves():
    tree = parse_tree('{"min": [{"min": [1, [2, 3]]}, 4]}')
    assert [node.player for node in tree.nodes if node.children] == [MIN, MIN, MAX]
    tree = parse_tree("{player 3: [(1, 2, 3), [(1, 1, 1), (2, 2, 2)]]}")
    assert (tree.seats, [node.player for node in tree.nodes if node.children]) == (3, [2, 0])
    assert parse_tree("{'MAX': [−1.5, +.5, 2., 1e2, 1/3]}").root.children[4].values == (Fraction(1, 3),)


@given(plain_trees() | chance_trees() | plain_trees(tuple_leaves(3)))
def test_a_tree_is_read_as_it_was_written(drawn):
    tree = parse_tree(written(drawn))
    assert sum(bool(node.values) for node in tree.nodes) == leaves_of(drawn)
    again = parse_tree(tree_text(tree))
    fields = [[(node.path, node.player, node.odds, node.values) for node in one.nodes] for one in (tree, again)]
    assert fields[0] == fields[1]
    assert [node.number for node in tree.nodes] == list(range(len(tree.nodes)))


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "the tree is empty"),
    ("[[3, 12, 8], [2, 4, 6, [14, 5, 2]]", "at character 35: expected , or ], got the end"),
    ("[3, 12]]", "at character 8: expected the end of the tree, got ']'"),
    ("[3,, 12]", "at character 4: expected a number, [, ( or {, got ','"),
    ("[]", "at character 2: expected a number"),
    ("[3 12]", "at character 4: expected , or ], got '12'"),
    ("[3, x]", "at character 5: expected a number, [, ( or {, got 'x'"),
    ("[nan]", "got 'nan'"), ("[inf]", "got 'inf'"), ("[1/0]", "divided by 0"), ("[1e60]", "from -1000000000 to"),
    ("[" + "9" * 500 + "]", "got '9999"),
    ('{"chance": [[0.5, 3], [0.4, 2]]}', "the odds 0.5, 0.4 of the chance node at character 1 add up to 0.9, not to 1"),
    ('[1, {"chance": [[1.5, 3], [-0.5, 2]]}]', "are 1.5, expected 0 to 1"),
    ('{"chance": [3, 4]}', "expected [, got '3'"),
    ('{"dice": [3, 4]}', "expected max, min, chance or player"),
    ("[3, (1, 2)]", "at character 2 is a number, at character 5 a tuple of 2"),
    ("[(1, 2, 3), (1, 2)]", "at character 2 is a tuple of 3, at character 13 a tuple of 2"),
    ("[(1), (2)]", "the tuple at character 2 has 1 number"),
    ("[(1, 2, 3, 4, 5, 6, 7)]", "has 7 numbers"),
    ("{player 3: [(1, 2), (2, 1)]}", "player 3 moves at character 1, but the leaves have numbers for 2 players"),
    ("{player 1: [1, 2]}", "one number, for MAX and MIN"),
    ("{max: [(1, 2), (2, 1)]}", "write player 1 to player 2"),
    ("[" * 200 + "1" + "]" * 200, "deeper than 40 plies"),
    (f"[{'1, ' * MOST_NODES}1]", "more than 1000 nodes"),
    ("1" * 50_000, "the tree is too long: 50000 characters"),
])
def test_what_is_no_tree_is_one_line(text, complaint):
    with pytest.raises(InputError) as error:
        parse_tree(text)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 200


@given(st.text("[](){},:0123456789./- maxinchceplyr\"'\n", max_size=60))
def test_any_text_is_a_tree_or_one_line(text):
    with contextlib.suppress(InputError):
        assert parse_tree(text).nodes


@pytest.mark.parametrize(("text", "given"), [
    ("[0.333333333333, 1]", "[0.333333333333, 1]"), ("[0.12345678901234567890123456789]",) * 2,
    ("[333333333333/1000000000000, 2/4]", "[0.333333333333, 0.5]"), ("[1e-30, 1/1024, 1000000000]",
                                                                   "[1e-30, 0.0009765625, 1000000000]"),
    ("[1/1099511627776, 2/6]", "[1/1099511627776, 1/3]"),
])
def test_numbers_are_given_back_as_they_can_be_read(text, given):
    assert tree_text(parse_tree(text)) == given == tree_text(parse_tree(given))


@pytest.mark.parametrize(("text", "complaint"), [
    ("[1e-99/7]", "expected a number with fewer digits, got '1e-99/7'"), ('[3, "5]', "at character 5"),
    ("{player 7: [(1, 2)]}", "max, min, chance or player 1 to 6, got 'player 7'"),
])
def test_what_could_not_be_read_again_is_refused(text, complaint):
    with pytest.raises(InputError, match=re.escape(complaint)):
        parse_tree(text)


def test_a_tree_that_would_be_given_back_too_long_is_refused():
    with pytest.raises(InputError, match="the tree is too long: 4"):
        parse_tree(f"[{'1e-42/7, ' * 900}1]")
