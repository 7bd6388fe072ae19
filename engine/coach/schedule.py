"""When something is asked again: spaced repetition by the FSRS scheduler.

A card is what the scheduler knows of one item: how well it is remembered, and when it is due. Cards are kept as the
scheduler's own JSON, so that they outlive a release of the package.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from engine.system.extras import missing_extra

if TYPE_CHECKING:
    from fsrs import Card as FsrsCard
    from fsrs import Scheduler


class Outcome(Enum):
    """How an item was answered; the values are the scheduler's grades."""

    FAILED = 1
    WITH_HINTS = 2
    SOLVED = 3
    AT_ONCE = 4


class Card(NamedTuple):
    """What is kept of one item between two repetitions."""

    due: datetime
    text: str  # the scheduler's JSON


def reviewed(card: Card | None, outcome: Outcome, now: datetime) -> Card:
    """The card of an item after an answer; None is an item that was never asked. InputError without the package."""
    from_text = _card_type()
    before = from_text() if card is None else from_text.from_json(card.text)
    from fsrs import Rating  # installed, since _card_type did not raise

    after, _ = _scheduler().review_card(before, Rating(outcome.value), now.astimezone(UTC))
    return Card(after.due, after.to_json())


def last_review(card: Card) -> datetime | None:
    """When the item was last asked; InputError if the text is not a card."""
    return _card_type().from_json(card.text).last_review


def is_card(text: str) -> bool:
    """Whether the scheduler can read the text as a card, with the zones of its times."""
    try:
        card = _card_type().from_json(text)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return False
    return card.due.tzinfo is not None and (card.last_review is None or card.last_review.tzinfo is not None)


def check_scheduler() -> None:
    """InputError if the package is not installed."""
    _card_type()


def _card_type() -> type[FsrsCard]:
    try:
        from fsrs import Card as Imported
    except ImportError as error:
        raise missing_extra("spaced repetition", "coach", "fsrs") from error
    return Imported


@cache
def _scheduler() -> Scheduler:
    """The scheduler, without random intervals: the same answers give the same dates."""
    from fsrs import Scheduler as Imported

    return Imported(enable_fuzzing=False)
