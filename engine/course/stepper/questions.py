"""Questions about an algorithm on a tree of one's own, whose answers its steps contain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from engine.course.reference.exercises.question import Question
from engine.course.reference.game import CHANCE, MAX, MIN
from engine.course.stepper.nodes import OwnNode
from engine.course.stepper.steps import TITLES, TreeRun, by_move, shown

_MOST = 12  # questions about one tree
_MOST_SELECTIONS = 4
_MOST_CHOICES = 24
_NONE = "none"


def questions_of(run: TreeRun) -> list[Question]:
    """What a student can be asked about a run, in the order of its steps. The last question is which move is played."""
    makers = {"alphabeta": _cutoffs, "maxn": _preferences, "uct": _selections}
    asked = islice(makers.get(run.algorithm, _values)(run), _MOST - 1)
    return [*asked, *_move_played(run)]


def _values(run: TreeRun) -> Iterator[Question]:
    """What each inner node is worth, as soon as all its children are known."""
    for step in run.steps:
        if step.event == "leave":
            assert isinstance(step.value, float)
            node, tree = step.node, run.tree
            yield Question(f"{TITLES[run.algorithm].capitalize()} leaves {node.called}, where "
                           f"{tree.player_name(tree.to_move(node))} moves. Its children are worth "
                           f"{_children(run, node)}. What is it worth?", step.value, _rule(run, node))


def _children(run: TreeRun, node: OwnNode) -> str:
    worth = {step.node: step.value for step in run.steps if step.event in {"leave", "leaf"}}
    odds = [f" with odds {share}" for share in node.odds] or [""] * len(node.children)
    return ", ".join(f"{shown(worth[child])}{share}" for child, share in zip(node.children, odds, strict=True))


def _rule(run: TreeRun, node: OwnNode) -> str:
    if node.player == CHANCE:
        return "Chance averages: each value times its odds."
    if node.player == MIN and run.algorithm == "expectimax":
        return "Expectimax takes MIN for a player who moves at random: the plain average."
    return f"{'MAX takes the largest' if node.player == MAX else 'MIN takes the smallest'} of its children."


def _cutoffs(run: TreeRun) -> Iterator[Question]:
    """After which leaf each cutoff comes."""
    names = tuple(node.name for node in run.tree.nodes if not node.children)
    text = "Alpha-beta looks at the leaves from left to right. After which one comes the {} cutoff, or is there none?"
    last, count = "", 0
    for step in run.steps:
        if step.event == "leaf":
            last = step.node.name
        elif step.event == "cutoff":
            yield Question(text.format("next" if count else "first"), last, f"There, {step.words}.",
                           (*_offered(names, last), _NONE))
            count += 1
    if run.tree.root.children:
        yield Question(text.format("next" if count else "first"), _NONE,
                       f"All other leaves are looked at: {run.leaves} of {len(names)}.",
                       (*_offered(names, last), _NONE))


def _preferences(run: TreeRun) -> Iterator[Question]:
    """Which move each player prefers."""
    for step in run.steps:
        if step.event == "leave" and step.best:
            node, who = step.node, run.tree.player_name(run.tree.to_move(step.node))
            yield Question(f"{who.capitalize()} moves at {node.called}, whose children are worth "
                           f"{_children(run, node)}. Which move is best (of equal ones the first)?", step.best,
                           f"{who.capitalize()} looks only at the numbers of {who}.",
                           _offered(run.tree.actions(node), step.best))


def _selections(run: TreeRun) -> Iterator[Question]:
    """Which child of the root UCB1 selects, once all were tried."""
    found = [step for step in run.steps if step.event == "select" and len(step.node.path) == 1 and step.numbers]
    stride = max(len(found) // _MOST_SELECTIONS, 1)
    for step in found[::stride][:_MOST_SELECTIONS]:
        yield Question(f"At the root, U/N plus C times the square root of ln N(parent) / N is {by_move(step.numbers)}. "
                       "Which move does UCT select?", step.node.path[-1],
                       "The largest UCB1: a move that is promising, or was seldom tried.",
                       _offered(run.tree.actions(run.tree.root), step.node.path[-1]))


def _move_played(run: TreeRun) -> Sequence[Question]:
    if not run.action:
        return []
    tree, answer = run.tree, run.steps[-1]
    visits = f"The visits of the root's moves are {by_move(answer.numbers)}. " if answer.numbers else ""
    who = tree.player_name(tree.to_move(tree.root))
    return [Question(f"{visits}Which move does {who} play at the root (of equal ones the first)?", run.action,
                     _sentence(answer.words), _offered(tree.actions(tree.root), run.action))]


def _offered(names: Sequence[str], right: str) -> tuple[str, ...]:
    """All names, or where they are many those of the block that contains the right one, which may stand anywhere."""
    start = names.index(right) // _MOST_CHOICES * _MOST_CHOICES
    return tuple(names[start : start + _MOST_CHOICES])


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
