"""Trees that visitors build: a search of one, step by step, and questions about it. Nothing is kept."""

from __future__ import annotations

from engine.course.stepper.listing import listing_of
from engine.course.stepper.nodes import OwnTree
from engine.course.stepper.objects import as_object
from engine.course.stepper.order import ORDERS, ordered
from engine.course.stepper.parser import LONGEST_TREE, parse_tree
from engine.course.stepper.questions import questions_of
from engine.course.stepper.searches import search_tree
from engine.course.stepper.steps import TITLES, TreeRun, fitting, misfit
from engine.course.stepper.uct import DEFAULT_ITERATIONS, UctOptions, exploration_of, uct_tree
from engine.system.errors import InputError
from engine.ui.web import requests
from engine.ui.web.engine_pool import EnginePool
from engine.ui.web.play import Send
from engine.ui.web.questions import verdict
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_MOST_ITERATIONS = 200
_MOST_CURIOUS = 1000  # times the usual C
_MOST_QUESTIONS = 100
_LONGEST_ANSWER = 200  # characters: the name of a leaf 40 plies deep
_USUAL = "alphabeta"


class TreeSession:
    """Answers requests about trees, each in a thread."""

    def __init__(self, pool: EnginePool, send: Send) -> None:
        self._pool, self._send = pool, send

    async def steps(self, message: Message) -> None:
        """Send the tree as it was read, the steps of the search, and the pseudo-code."""
        def answer() -> Value:
            done = _search_tree(message)
            return make_message("steps", **as_object(done), fits=fitting(done.tree), listing=listing_of(done.algorithm),
                                misfit=misfit(done.tree, _algorithm(message)) if "algorithm" in message else "",
                                exploration=_exploration(done.tree, message) if done.algorithm == "uct" else None)

        await self._send(await self._pool.run_briefly(answer))

    async def question(self, message: Message) -> None:
        """Send a question about the search; if the message contains an answer, also whether it is right, and why."""
        number = requests.int_field(message, "number", 0, _MOST_QUESTIONS)
        answer = requests.str_field(message, "answer", _LONGEST_ANSWER) if "answer" in message else None
        asked = await self._pool.run_briefly(lambda: questions_of(_search_tree(message)))
        if number >= len(asked):
            raise InputError(f"there are {len(asked)} questions about this tree")
        made = asked[number]
        await self._send(make_message("treequestion", number=number, count=len(asked), text=made.text,
                                      choices=list(made.choices), **({} if answer is None else verdict(made, answer))))


def _search_tree(message: Message) -> TreeRun:
    """The search that a message asks for; an algorithm that does not fit gives way to one that does."""
    tree = parse_tree(requests.str_field(message, "tree", LONGEST_TREE))
    wanted = _algorithm(message)
    iterations = requests.int_field(message, "iterations", 1, _MOST_ITERATIONS, DEFAULT_ITERATIONS)
    _curiosity(message)  # whatever the algorithm
    if "order" in message:
        tree = ordered(tree, requests.enum_field(message, "order", ORDERS))
    fits = fitting(tree)
    name = wanted if wanted in fits else _USUAL if _USUAL in fits else fits[0]
    if name == "uct":
        return uct_tree(tree, UctOptions(iterations, _exploration(tree, message)))
    return search_tree(tree, name)


def _algorithm(message: Message) -> str:
    return requests.enum_field(message, "algorithm", tuple(TITLES)) if "algorithm" in message else _USUAL


def _exploration(tree: OwnTree, message: Message) -> float:
    """UCB1's C: so many times the one that fits the tree's leaves."""
    return _curiosity(message) * exploration_of(tree)


def _curiosity(message: Message) -> float:
    value = message.get("curiosity", 1)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_CURIOUS:
        raise InputError(f"curiosity must be a number from 0 to {_MOST_CURIOUS}")
    return float(value)
