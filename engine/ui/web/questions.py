"""Questions about the searches that Watch shows, made from a seed by the exercises of the reference."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from engine.course.reference.exercises.chance import average_of_chance, bucket_by_belief, child_by_ucb1, move_played
from engine.course.reference.exercises.question import Question, QuestionMaker
from engine.course.reference.exercises.trees import back_up, next_cutoff
from engine.ui.web import requests
from engine.ui.web.play import Send
from engine.ui.web.requests import Message
from engine.ui.web.responses import Value, make_message

_TOPICS: Mapping[str, Sequence[QuestionMaker]] = {
    "alphabeta": (next_cutoff, back_up),
    "uct": (child_by_ucb1, move_played),
    "expectimax": (average_of_chance, bucket_by_belief),
}
_LARGEST_SEED = 2**31
_LONGEST_ANSWER = 20  # characters


class QuestionSession:
    """Asks and checks. It keeps nothing: a question follows from its topic and its seed."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def question(self, message: Message) -> None:
        """Send a question; if the message contains an answer, also whether it is right, and why."""
        topic = requests.enum_field(message, "topic", tuple(_TOPICS))
        seed = requests.int_field(message, "seed", 0, _LARGEST_SEED)
        makers = _TOPICS[topic]
        made = makers[seed % len(makers)](random.Random(seed))  # noqa: S311
        answer = requests.str_field(message, "answer", _LONGEST_ANSWER) if "answer" in message else None
        await self._send(make_message("question", topic=topic, seed=seed, text=made.text, choices=list(made.choices),
                                      **({} if answer is None else verdict(made, answer))))


def verdict(made: Question, answer: str) -> Value:
    """Whether an answer is right (None if it cannot be read), the right one, and the reason."""
    given = made.read(answer)
    return {"right": None if given is None else made.is_right(given), "shown": made.shown, "reason": made.reason}
