"""A question with its answer and the reason for it."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

_TOLERANCE = 0.006  # of an answer in numbers: two decimals are enough
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(/\d*[1-9]\d*)?")


def plain(number: float) -> str:
    """A number as people write it."""
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    return f"{round(number, 3):.12g}".replace("-", "−")


def listed(numbers: Sequence[float]) -> str:
    """Numbers in a row, as people write them."""
    return ", ".join(plain(number) for number in numbers)


@dataclass(frozen=True)
class Question:
    """What is asked, the answer, and why. With `choices` the answer is one of them, otherwise it is a number."""

    text: str
    answer: str | float
    reason: str
    choices: tuple[str, ...] = ()

    def read(self, answer: str) -> str | float | None:
        """The answer that a student typed; None if it is none."""
        typed = answer.strip().lower().replace("−", "-").replace(",", "" if not self.choices else ",")
        if self.choices:
            return next((choice for choice in self.choices if choice.lower() == typed), None)
        typed = typed.replace(" ", "")
        return float(Fraction(typed)) if _NUMBER.fullmatch(typed) and typed.count("/") * typed.count(".") == 0 else None

    def is_right(self, given: str | float) -> bool:
        """Whether an answer that was read is the right one."""
        if isinstance(self.answer, str) or isinstance(given, str):
            return given == self.answer
        return abs(given - self.answer) <= _TOLERANCE

    @property
    def shown(self) -> str:
        """The right answer as text."""
        return self.answer if isinstance(self.answer, str) else plain(self.answer)


QuestionMaker = Callable[[random.Random], Question]
