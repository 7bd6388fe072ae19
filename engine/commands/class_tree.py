"""`class tree`: an algorithm on a tree of one's own, step by step."""

from __future__ import annotations

import argparse
import sys

from engine.cli.arguments import FloatRange, IntRange, add_seed, conflicts_with, requires_option, svg_file, text
from engine.cli.interruption import stop_on_interrupt
from engine.cli.output import add_json, print_object
from engine.course.stepper.order import ORDERS, ordered
from engine.course.stepper.parser import parse_tree
from engine.course.stepper.searches import search_tree
from engine.course.stepper.steps import TITLES, TreeRun, fitting
from engine.course.stepper.uct import DEFAULT_ITERATIONS, MOST_ITERATIONS, UctOptions, uct_tree
from engine.system.files import write_file

_BOTH = ["minimax", "alphabeta"]
_LARGEST_EXPLORATION = 1e9


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("tree", type=text, metavar="TREE",
                        help='such as "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"; docs/commands.md has the rest')
    parser.add_argument("--algorithm", choices=list(TITLES), metavar="NAME",
                        help=f"{', '.join(TITLES)} (default: minimax and then alphabeta, if they fit the tree)")
    parser.add_argument("--order", choices=ORDERS, help="sort the moves of each player first: best or worst first")
    parser.add_argument("--svg", type=svg_file, metavar="FILE", help="draw the tree as it is at the end")
    quiz = parser.add_argument("--quiz", action="store_true", help="ask what happens instead of showing it")
    iterations = parser.add_argument("--iterations", type=IntRange(1, MOST_ITERATIONS), default=DEFAULT_ITERATIONS,
                                     metavar="N", help=f"iterations of UCT (default {DEFAULT_ITERATIONS})")
    exploration = parser.add_argument("--exploration", type=FloatRange(0, _LARGEST_EXPLORATION), metavar="C",
                                      help="C of UCB1 (default: sqrt 2 times half the spread of the leaves)")
    seed = add_seed(parser, "what UCT does by chance")
    for action in (iterations, exploration, seed):
        requires_option(action, "--algorithm", among=("uct",))
    conflicts_with(quiz, "--json")
    add_json(parser, "one object per algorithm, with its steps")


def run(arguments: argparse.Namespace) -> int:
    """Run the algorithms on the tree; returns the exit status. Ctrl-C ends it at once."""
    with stop_on_interrupt(lambda: None, timeout=0, on_exit="\ninterrupted"):
        runs = _runs(arguments)
        if arguments.json:
            _print_objects(runs)
        elif arguments.quiz:
            _ask(runs, arguments.seed)
        else:
            _show(runs)
        if arguments.svg is not None:
            _draw(runs, arguments)
    return 0


def _runs(arguments: argparse.Namespace) -> list[TreeRun]:
    tree = parse_tree(arguments.tree)
    if arguments.order is not None:
        tree = ordered(tree, arguments.order)
    fits = fitting(tree)
    chosen = [arguments.algorithm] if arguments.algorithm else _BOTH if set(_BOTH) <= set(fits) else fits[:1]
    options = UctOptions(arguments.iterations, arguments.exploration, arguments.seed)
    return [uct_tree(tree, options) if name == "uct" else search_tree(tree, name) for name in chosen]


def _print_objects(runs: list[TreeRun]) -> None:
    from engine.course.stepper.objects import as_object

    for done in runs:
        print_object(as_object(done))


def _ask(runs: list[TreeRun], seed: int) -> None:
    from engine.course.quiz import quiz, scored
    from engine.course.stepper.drawing import lines
    from engine.course.stepper.questions import questions_of

    print("\n".join(lines(runs[0], 0)) + "\n")
    questions = [question for done in runs for question in questions_of(done)]
    with scored(seed) as score:
        quiz(*(lambda _, question=question: question for question in questions), rounds=len(questions))
    if score.asked:
        print(f"\nScore: {score.right} of {score.asked}")


def _show(runs: list[TreeRun]) -> None:
    """At a terminal step by step, elsewhere all at once."""
    from engine.course.quiz import terminal_ask
    from engine.course.stepper.drawing import lines
    from engine.course.stepper.stepping import step_through

    ask = terminal_ask() if sys.stdout.isatty() else None
    for number, done in enumerate(runs):
        if number:
            print()
        if ask is not None:
            step_through(done, ask)
            continue
        print(f"{TITLES[done.algorithm]}\n")
        for count, step in enumerate(done.steps, 1):
            print(f"{count:>4}. {'    ' * len(step.node.path)}{step.words}")
        print("\n" + "\n".join(lines(done, len(done.steps))))
        if done.algorithm != "uct":
            total = sum(not node.children for node in done.tree.nodes)
            print(f"\n{done.leaves} of {total} leaves were looked at")


def _draw(runs: list[TreeRun], arguments: argparse.Namespace) -> None:
    from engine.course.stepper.drawing import drawn_tree
    from engine.course.svg import stacked

    write_file(arguments.svg, stacked([drawn_tree(done) for done in runs]).text())
    if not arguments.json:
        print(f"\n{arguments.svg}")
