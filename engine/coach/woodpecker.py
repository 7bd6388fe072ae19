"""Woodpecker rounds: the same puzzles in the same order, again and again, each round faster than the one before.

What was answered is read from the user's progress, so that rounds go on where another window or session left them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from engine.coach.progress_file import CardAnswer, ProgressFile
from engine.coach.puzzle import Puzzle
from engine.coach.puzzle_training import PuzzleFilter, Training
from engine.coach.schedule import Outcome

DEFAULT_SIZE = 30
_CATEGORY = "woodpecker"  # of the kept sets


class Round(NamedTuple):
    """How a round went, or goes."""

    answered: int
    solved: int
    seconds: float


class Woodpecker(Training):
    """Training in rounds. Answers change neither the user's rating nor when a puzzle is due."""

    def __init__(self, puzzles: Sequence[Puzzle], progress: ProgressFile, choice: str = "",
                 size: int = DEFAULT_SIZE) -> None:
        """Go on with the kept set if all of it is among `puzzles`; otherwise choose `size` near the user's rating.

        A set is kept for each `choice`, the words by which the puzzles were chosen.
        """
        super().__init__(puzzles, progress)
        self._name = choice or "current"
        kept = json.loads(progress.documents(_CATEGORY).get(self._name, "{}"))
        self._deck, self._items = str(kept.get("deck", "")), list(kept.get("items", ()))
        if not self._items or not all(item in self._puzzles for item in self._items):
            self.begin_anew(size)

    def begin_anew(self, size: int = DEFAULT_SIZE) -> None:
        """Choose another set, the easiest puzzle first."""
        rating = self.progress.rating().value
        nearest = sorted(self._puzzles.values(), key=lambda puzzle: abs(puzzle.rating - rating))[: 2 * size]
        chosen = self._rng.sample(nearest, min(size, len(nearest)))
        self._items = [puzzle.id for puzzle in sorted(chosen, key=lambda puzzle: puzzle.rating)]
        self._deck = f"{_CATEGORY} {datetime.now(UTC).isoformat(timespec='microseconds')}"
        self.progress.keep(_CATEGORY, self._name, json.dumps({"deck": self._deck, "items": self._items}))

    def due(self, now: datetime | None = None) -> list[Puzzle]:
        """What is left of the round."""
        counts = Counter(answer.item for answer in self._answers())
        least = min(counts[item] for item in self._items)
        return [self._puzzles[item] for item in self._items if counts[item] == least]

    def next(self, now: datetime | None = None) -> Puzzle | None:
        """The next puzzle of the round, one that was skipped after all others; there is always one."""
        left = self.due(now)
        return next((puzzle for puzzle in left if puzzle.id not in self._left_out), left[0])

    def open(self, item: str) -> Puzzle | None:
        """A puzzle that was asked before the session was interrupted, if it is the round's next one."""
        puzzle = self.next()
        return puzzle if puzzle is not None and puzzle.id == item else None

    def record(self, puzzle: Puzzle, outcome: Outcome, seconds: float) -> CardAnswer:
        """Record an answer at once."""
        return self.progress.record(self._deck, puzzle.id, outcome, seconds)

    def rounds(self) -> list[Round]:
        """All rounds so far, the current one last if it has begun."""
        of_item: dict[str, list[CardAnswer]] = {}
        for answer in self._answers():
            of_item.setdefault(answer.item, []).append(answer)
        rounds = list[Round]()
        for number in range(max(map(len, of_item.values()), default=0)):
            answers = [own[number] for own in of_item.values() if len(own) > number]
            rounds.append(Round(len(answers), sum(answer.outcome is not Outcome.FAILED for answer in answers),
                               sum(answer.seconds for answer in answers)))
        return rounds

    def status(self) -> str:
        """Which round it is, and how the last one went."""
        rounds, size = self.rounds(), len(self._items)
        done = [one for one in rounds if one.answered >= size]
        current = rounds[-1].answered if len(done) < len(rounds) else 0
        last = f"; round {len(done)}: {done[-1].solved} of {size} in {done[-1].seconds:.0f} s" if done else ""
        return f"round {len(done) + 1}, {current} of {size} done{last}"

    def _answers(self) -> list[CardAnswer]:
        return [answer for answer in self.progress.answers() if answer.deck == self._deck]


def choose_training(puzzles: Sequence[Puzzle], choice: PuzzleFilter, progress: ProgressFile, origin: str = "", *,
                    in_rounds: bool = False) -> Training:
    """The training with the chosen puzzles, if wanted in rounds, which are kept for each choice and origin.

    InputError if none are chosen.
    """
    chosen = choice.chosen(puzzles)
    return Woodpecker(chosen, progress, choice.words(origin)) if in_rounds else Training(chosen, progress)
