"""What a lesson is: a module of the course whose public functions are its steps.

The docstring of a step is what the teacher says, its body is what then happens: it prints, and may return a picture.
Steps take no arguments, so that a lesson can be run, and can be written out as a notebook whose cells are the steps.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from engine.course.prose import say
from engine.course.quiz import scored
from engine.course.svg import Picture

# In the order of the notes.
LESSONS = {
    "game": "a game, formally; a solution is a strategy",
    "minimax": "MAX and MIN, and values that are backed up",
    "alphabeta": "the same value without most of the tree; predict the next cutoff",
    "ordering": "what good move order saves: killers, iterative deepening, 2 b^(d/2)",
    "tables": "transpositions, and lookup instead of search",
    "horizon": "cut-off, evaluation, and why to search on where it is not quiet",
    "expectimax": "chance nodes average; the bucket game with a coin",
    "assumptions": "what it costs to be wrong about the opponent",
    "pacman": "a grid, a ghost, and two beliefs about it; moves that fail",
    "backgammon": "dice and adversaries in one tree, and why depth is dear",
    "players": "three players, each maximising its own utility: max^n",
    "uct": "Monte Carlo tree search in four steps, while the tree grows",
    "dice": "a race with dice: playouts that roll them",
    "alphazero": "a network in place of playouts, trained by self-play",
    "regret": "rock, paper, scissors: learning from regret",
    "poker": "Kuhn poker solved by counterfactual regret minimisation",
    "hidden": "belief states: Battleship, and why averaging over what is hidden errs",
    "hex": "where trees shine: many moves, and no evaluation",
    "notes": "the lecture slide by slide: each number and tree as it stands there",
}


@dataclass(frozen=True)
class Step:
    """A function of a lesson, and what is said before it runs."""

    words: str
    function: Callable[[], Picture | None]


def load(name: str) -> ModuleType:
    """The module of a lesson."""
    return importlib.import_module(f"engine.course.lessons.{name}")


def steps_of(module: ModuleType) -> list[Step]:
    """The public functions that a module defines, in their order."""
    found = [function for name, function in vars(module).items()
             if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")]
    return [Step(inspect.getdoc(function) or "", function) for function in found]


def run_lesson(name: str, seed: int = 1) -> list[Picture]:
    """Say and do everything, with questions made from the seed; returns the pictures that were drawn on the way.

    A student may end the lesson between two steps.
    """
    module = load(name)
    print(f"{name}: {LESSONS[name]}\n")
    say(inspect.getdoc(module) or "")
    pictures = []
    with scored(seed) as score:
        for step in steps_of(module):
            print("\n" + "-" * 12 + "\n")
            say(step.words)
            if not _pause():
                print("The lesson ends here.")
                break
            picture = step.function()
            if picture is not None:
                pictures.append(picture)
    if score.asked:
        print(f"\nScore: {score.right} of {score.asked}. Other questions: adversary class {name} --seed {seed + 1}")
    return pictures


def _pause() -> bool:
    """Wait for the student at a terminal; with a pipe, do not wait. Returns whether to go on: Ctrl-D ends a lesson."""
    print()
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        input("(Enter to go on, Ctrl-D to end) ")
    except EOFError:
        print()
        return False
    print()
    return True
