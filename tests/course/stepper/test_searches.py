"""Steps against independent truth: exhaustive search in a few lines, and what a search may know."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings

from engine.course.reference.expectimax import expectiminimax
from engine.course.reference.game import MAX
from engine.course.reference.minimax import minimax
from engine.course.stepper.listing import line_of, listing_of
from engine.course.stepper.nodes import OwnTree, tree_text
from engine.course.stepper.objects import as_object
from engine.course.stepper.order import ordered
from engine.course.stepper.parser import parse_tree
from engine.course.stepper.questions import questions_of
from engine.course.stepper.searches import search_tree
from engine.course.stepper.steps import TITLES, TreeRun, fitting, shown
from engine.course.stepper.uct import UctOptions, exploration_of, uct_tree
from engine.system.errors import InputError
from tests.course.stepper.trees import (
    chance_trees,
    leaves_of,
    plain_trees,
    tuple_leaves,
    tuple_worth,
    worth,
    written,
)

FIGURE = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"


def skipped_names(run: TreeRun) -> list[str]:
    return [child.name for step in run.steps for child in step.skipped]


def test_the_tree_of_the_figure():
    run = search_tree(parse_tree(FIGURE), "alphabeta")
    assert (run.value, run.action, run.leaves, skipped_names(run)) == (3, "a", 7, ["bb", "bc"])
    left = {step.node.name: (step.sign, step.value) for step in run.steps if step.event == "leave"}
    assert left == {"a": ("", 3), "b": ("≤ ", 2), "c": ("", 2), "": ("", 3)}
    windows = {step.node.name: (step.alpha, step.beta) for step in run.steps if step.event == "enter"}
    assert windows == {"": (-math.inf, math.inf), "a": (-math.inf, math.inf), "b": (3, math.inf), "c": (3, math.inf)}


def test_the_two_ply_tree_of_the_notes():
    """MAX over two MIN nodes with 2, 7 and 1, 8: worth 2, and the 8 is never looked at."""
    run = search_tree(parse_tree("[[2, 7], [1, 8]]"), "alphabeta")
    assert (run.value, run.action, run.leaves, skipped_names(run)) == (2, "a", 3, ["bb"])


@settings(max_examples=60, deadline=None)
@given(plain_trees())
def test_alpha_beta_has_the_value_of_minimax_and_counts_its_leaves(drawn):
    tree = parse_tree(written(drawn))
    whole, pruned = (search_tree(tree, name) for name in ("minimax", "alphabeta"))
    assert whole.value == pruned.value == worth(drawn) == minimax(tree, tree.root)
    assert whole.action == pruned.action
    assert whole.leaves == leaves_of(drawn)
    cut = {node for step in pruned.steps for child in step.skipped for node in child.all()}
    assert pruned.leaves == leaves_of(drawn) - sum(not node.children for node in cut)
    assert not cut & {step.node for step in pruned.steps}
    if tree.root.children:
        values = [worth(below, is_max=False) for below in drawn]
        assert tree.actions(tree.root).index(pruned.action) == values.index(max(values))


@settings(max_examples=60, deadline=None)
@given(plain_trees())
def test_labels_say_what_was_seen(drawn):
    """Exact values are minimax's, bounds are bounds, and there are bounds only where something was cut off below."""
    tree = parse_tree(written(drawn))
    for step in search_tree(tree, "alphabeta").steps:
        truth = minimax(tree, step.node)
        if step.event in {"leave", "leaf", "play"}:
            assert isinstance(step.value, float)
            assert {"": step.value == truth, "≤ ": truth <= step.value, "≥ ": truth >= step.value}[step.sign]
    everything = {step.node for step in search_tree(tree, "alphabeta").steps}
    for step in search_tree(tree, "alphabeta").steps:
        if step.sign:
            assert not everything >= set(step.node.all()), "all of it was seen"


@settings(max_examples=60, deadline=None)
@given(plain_trees())
def test_windows_are_what_the_players_are_sure_of(drawn):
    """On the way to a node, alpha is the best of MAX's moves so far, beta that of MIN's."""
    tree = parse_tree(written(drawn))
    known: dict[str, float] = {}
    for step in search_tree(tree, "alphabeta").steps:
        if step.event in {"enter", "leaf"}:
            path = step.node.path
            above = [node for node in tree.nodes if node.path == path[: len(node.path)] and node is not step.node]
            sure: dict[bool, list[float]] = {True: [-math.inf], False: [math.inf]}
            for node in above:
                sure[node.player == MAX] += [known[child.name] for child in node.children if child.name in known]
            assert (step.alpha, step.beta) == (max(sure[True]), min(sure[False]))
        if step.event in {"leave", "leaf"} and step.node.path:
            assert isinstance(step.value, float)
            known[step.node.name] = step.value


@settings(max_examples=60, deadline=None)
@given(plain_trees())
def test_the_best_order_is_no_worse(drawn):
    tree = parse_tree(written(drawn))
    best, worst = (ordered(tree, order) for order in ("best", "worst"))
    for other in (best, worst):
        assert search_tree(other, "alphabeta").value == worth(drawn)
        assert sorted(node.values for node in other.nodes) == sorted(node.values for node in tree.nodes)
    for step in search_tree(best, "alphabeta").steps:
        if step.event == "leave":
            assert step.best in {"", "a"}, "the first move is the best one"


def test_order_on_the_figure():
    tree = parse_tree(FIGURE)
    assert [search_tree(ordered(tree, order), "alphabeta").leaves for order in ("best", "worst")] == [5, 9]


@settings(max_examples=60, deadline=None)
@given(chance_trees())
def test_expectiminimax_is_the_exact_average(drawn):
    tree = parse_tree(written(drawn))
    run = search_tree(tree, "expectiminimax")
    assert run.value == pytest.approx(float(worth(drawn)))
    assert run.leaves == leaves_of(drawn)
    for step in run.steps:
        if step.event == "leave":
            assert step.value == pytest.approx(expectiminimax(tree, step.node))


def test_expectimax_takes_min_for_a_random_mover():
    run = search_tree(parse_tree("[[8, 24, -12], {chance: [[1/2, 8], [1/3, 24], [1/6, -12]]}]"), "expectimax")
    left = {step.node.name: step.value for step in run.steps if step.event == "leave"}
    assert left["a"] == pytest.approx(20 / 3) and left["b"] == pytest.approx(10), "the 10 of the notes"
    assert run.action == "b"


@settings(max_examples=60, deadline=None)
@given(plain_trees(tuple_leaves(3)))
def test_every_player_maximises_its_own(drawn):
    run = search_tree(parse_tree(written(drawn)), "maxn")
    value = run.value if isinstance(run.value, tuple) else (run.value,)
    assert value == tuple_worth(drawn, 3)


@settings(max_examples=60, deadline=None)
@given(chance_trees() | plain_trees())
def test_uct_counts_every_playout_once(drawn):
    tree = parse_tree(written(drawn))
    run = uct_tree(tree, UctOptions(12, None, 3))
    visits = {step.node.number: step.visits for step in run.steps}
    assert visits[0] == 12
    for node in tree.nodes:
        below = sum(visits.get(child.number) or 0 for child in node.children)
        assert below <= (visits.get(node.number) or 0) <= below + 1 or not node.children
    assert len([step for step in run.steps if step.event == "simulate"]) == 12
    assert run.steps == uct_tree(tree, UctOptions(12, None, 3)).steps


RARE = "{chance: [[0.95, 1], [0.05, -1]]}"


def visits_of(run: TreeRun) -> dict[str, int]:
    """How often each node was visited, by its name."""
    return {step.node.name: step.visits or 0 for step in run.steps}


def test_dice_are_rolled_by_their_odds_from_the_first_visit_on():
    """After two iterations both faces have been seen in 2 x 0.95 x 0.05 of all runs, not in each."""
    tree = parse_tree(RARE)
    runs = [visits_of(uct_tree(tree, UctOptions(2, None, seed))) for seed in range(1000)]
    both = sum(visits.keys() >= {"a", "b"} for visits in runs)
    assert both / 1000 == pytest.approx(2 * 0.95 * 0.05, abs=4 * math.sqrt(0.095 * 0.905 / 1000))
    assert sum(visits.get("b", 0) for visits in runs) / 2000 == pytest.approx(0.05, abs=0.02)
    assert runs[7] == visits_of(uct_tree(tree, UctOptions(2, None, 7))), "the seed decides"


def test_the_average_of_few_playouts_over_dice_is_the_expected_value_on_average():
    """Three dice below each other: whatever is new comes by its odds, too."""
    first, last = "{chance: [[0.9, 2], [0.1, -8]]}", "{chance: [[0.5, 0], [0.5, 4]]}"
    tree = parse_tree(f"{{chance: [[0.7, {first}], [0.2, 3], [0.1, {last}]]}}")
    found = [uct_tree(tree, UctOptions(4, None, seed)).value for seed in range(1500)]
    spread = math.sqrt(sum((value - 1.5) ** 2 for value in found) / len(found))
    assert expectiminimax(tree, tree.root) == pytest.approx(1.5)
    assert sum(found) / len(found) == pytest.approx(1.5, abs=4 * spread / math.sqrt(len(found)))


def test_what_never_happens_is_never_visited():
    run = uct_tree(parse_tree("[{chance: [[0, 100], [1/2, 1], [1/2, -1]]}, 0.5]"), UctOptions(300))
    assert "aa" not in visits_of(run) and run.action == "b"


def test_the_line_of_a_roll_is_that_of_the_dice():
    run = uct_tree(parse_tree(f"[{RARE}, 0]"), UctOptions(20))
    lines = {step.node.name: listing_of("uct")[line_of(run, step) or 0] for step in run.steps if step.event == "select"}
    assert "roll the dice" in lines["aa"] and "largest UCB1" in lines["a"]
    (end, *_) = [step for step in run.steps if step.event == "stop" and step.node.name == "a"]
    assert "no child" in listing_of("uct")[line_of(run, end) or 0] and "the dice show what is not in" in end.words


def test_uct_finds_the_move_and_the_default_c_is_the_square_root_of_2():
    run = uct_tree(parse_tree(FIGURE), UctOptions(600))
    assert run.action == "a" and run.value == pytest.approx(3, abs=1)
    assert exploration_of(parse_tree("[1, -1]")) == pytest.approx(math.sqrt(2))


@settings(max_examples=60, deadline=None)
@given(plain_trees() | chance_trees() | plain_trees(tuple_leaves(2)))
def test_every_fitting_algorithm_has_steps_questions_and_an_object(drawn):
    tree = parse_tree(written(drawn))
    for name in fitting(tree):
        run = uct_tree(tree, UctOptions(8)) if name == "uct" else search_tree(tree, name)
        assert run.steps[-1].event == "play"
        json.dumps(as_object(run), allow_nan=False)
        for question in questions_of(run):
            assert question.is_right(question.answer) and question.reason
            assert not question.choices or question.answer in question.choices


@pytest.mark.parametrize(("text", "algorithm", "complaint"), [
    ("[{chance: [[1, 2]]}]", "minimax", "minimax knows only MAX and MIN"),
    ("[{chance: [[1, 2]]}]", "alphabeta", "take expectiminimax, expectimax or uct"),
    ("[(1, 2)]", "alphabeta", "alpha-beta needs one number at each leaf, and this tree has tuples of 2: take maxn"),
    ("[1, 2]", "maxn", "max^n needs a tuple at each leaf"),
])
def test_an_algorithm_that_does_not_fit_is_one_line(text, algorithm, complaint):
    tree: OwnTree = parse_tree(text)
    with pytest.raises(InputError, match=complaint.replace("^", r"\^")):
        search_tree(tree, algorithm)


def test_which_algorithms_fit():
    assert fitting(parse_tree(FIGURE)) == [name for name in TITLES if name != "maxn"]
    assert fitting(parse_tree("{chance: [[1/2, 1], [1/2, 2]]}")) == ["expectiminimax", "expectimax", "uct"]
    assert fitting(parse_tree("[(1, 2)]")) == ["maxn"]
    assert search_tree(parse_tree("7"), "alphabeta").value == Fraction(7)


@pytest.mark.parametrize(("text", "algorithm"), [
    ("[0.3, {chance: [[0.1, 3], [0.9, 0]]}]", "expectiminimax"),
    ("[0.3, {chance: [[0.1, 3], [0.9, 0]]}]", "expectimax"),
    ("[(0.3, 1), {chance: [[0.1, (3, 0)], [0.9, (0, 0)]]}]", "maxn"),
])
def test_noise_of_floats_breaks_no_ties(text, algorithm):
    tree = parse_tree(text)
    run = search_tree(tree, algorithm)
    assert run.action == "a" and run.steps[-2].best == "a"
    assert [tree_text(ordered(tree, order)) for order in ("best", "worst")] == [tree_text(tree)] * 2


def test_a_random_mover_at_the_root_chooses_nothing():
    run = search_tree(parse_tree("{min: [1, 2]}"), "expectimax")
    assert (run.action, run.value, run.steps[-1].words) == ("", 1.5, "the root is worth 1.5")
    assert all("Which move" not in question.text for question in questions_of(run))


@pytest.mark.parametrize("order", ["best", "worst"])
def test_no_node_is_searched_twice(order, monkeypatch):
    """A deep tree over a wide one: a few looks at each leaf, where a search of every subtree would take thousands."""
    leaf = "(1, 2)"
    text = "[" * 38 + "{chance: [" + ", ".join([f"[1/900, {leaf}]"] * 900) + "]}" + "]" * 38
    tree = parse_tree(text)
    looks = []
    is_terminal = OwnTree.is_terminal
    monkeypatch.setattr(OwnTree, "is_terminal", lambda tree, node: looks.append(node) or is_terminal(tree, node))
    assert search_tree(ordered(tree, order), "maxn").value == pytest.approx((1, 2))
    assert len(looks) <= 2 * len(tree.nodes)


def test_wide_trees_offer_few_choices():
    wide = parse_tree(f"[[{', '.join(map(str, range(400)))}], [{', '.join(map(str, range(-200, 200)))}], 1]")
    for question in questions_of(search_tree(wide, "alphabeta")):
        assert question.answer in question.choices and len(question.choices) <= 25
    assert len(questions_of(search_tree(parse_tree(FIGURE), "alphabeta"))[0].choices) == 10, "nine leaves and none"


def test_large_numbers_are_shown_as_they_can_be_typed():
    run = search_tree(parse_tree("[[1234567, 1234568], [1000001, 5]]"), "minimax")
    assert shown(run.value) == "1234567" and shown(123456789.25) == "123456789.25"
    for question in questions_of(run):
        assert question.read(question.shown) == question.answer
