"""Stepping through a run in the terminal, forwards and backwards."""

from __future__ import annotations

from engine.course.prose import say
from engine.course.quiz import Ask
from engine.course.stepper.drawing import lines
from engine.course.stepper.listing import line_of, listing_of
from engine.course.stepper.steps import TITLES, TreeRun

_KEYS = {"": 1, "n": 1, "b": -1}  # what is typed, and by how many steps it goes on
_HELP = "Enter goes on, b back, a number to that step, e to the end, q quits"


def step_through(run: TreeRun, ask: Ask) -> None:
    """Show step after step, as the student asks for them."""
    at: int | None = 0
    print(f"{TITLES[run.algorithm]}: {len(run.steps)} steps ({_HELP})")
    while at is not None:
        print("\n" + "\n".join(lines(run, at)) + "\n")
        if at:
            step = run.steps[at - 1]
            line = line_of(run, step)
            say(f"{step.words}.")
            print("" if line is None else f"    {listing_of(run.algorithm)[line].strip()}")
        try:
            at = _asked(ask, at, len(run.steps))
        except EOFError:
            print()
            return


def _asked(ask: Ask, at: int, last: int) -> int | None:
    """The step to go to; None to quit."""
    while True:
        typed = ask(f"[{at} of {last}] ").strip().lower()
        if typed == "q" or (at == last and not typed):
            return None
        if typed.isdecimal():
            after = int(typed)
        else:
            after = last if typed == "e" else at + _KEYS[typed] if typed in _KEYS else -1
        if 0 <= after <= last:
            return after
        print(f"There are steps from 0 to {last}. {_HELP}.")
