"""A match: pairs of games played by an executor, counted in order, written down, stopped when a test is decided."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

import chess.pgn

from engine.arena.records import Fault, GameRecord, Outcome
from engine.arena.shards import in_order
from engine.arena.statistics import Sprt, pentanomial, wins_draws_losses
from engine.core.errors import InputError

Shard = Callable[[], list[GameRecord]]  # plays one or more pairs

_END_OF_GAME = re.compile(r"(1-0|0-1|1/2-1/2|\*)\s*\Z")


@dataclass
class Score:
    """Where a match stands, from the first player's view."""

    players: tuple[str, str]
    is_refereed: bool = False  # the players are processes, and may fail
    outcomes: dict[int, Outcome] = field(default_factory=dict)  # by number of the game

    def add(self, outcome: Outcome) -> None:
        self.outcomes[outcome.number] = outcome

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Pairs that scored 0, 1/2, 1, 3/2 and 2 points."""
        return pentanomial({number: outcome.points for number, outcome in self.outcomes.items()})

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        return wins_draws_losses(outcome.points for outcome in self.outcomes.values())

    def faults(self, fault: Fault | None = None) -> tuple[int, int]:
        """How many games the first and the second player lost by a fault, or by that one."""
        lost = [outcome.points for outcome in self.outcomes.values()
                if outcome.fault is not None and fault in (None, outcome.fault)]
        return lost.count(0.0), lost.count(1.0)

    @property
    def illegal_lines(self) -> int:
        """Lines with an illegal move that either side announced."""
        return sum(outcome.illegal_lines for outcome in self.outcomes.values())


def play(score: Score, shards: Iterable[Shard], executor: Executor, width: int, *, sprt: Sprt | None = None,
         keep: Callable[[GameRecord], None] = lambda record: None) -> Iterator[Score]:
    """Play the shards and yield the score after each; ends with them, or as soon as `sprt` is decided."""
    results = in_order(executor, shards, width)
    for records in results:
        for record in records:
            keep(record)
            score.add(Outcome.of(record))
        yield score
        if sprt is not None and sprt.verdict(score.pentanomial) is not None:
            results.close()  # type: ignore[attr-defined]
            return


class PgnFile:
    """The games of a match on disk. A game is written whole, and a match that was broken off can go on from here."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def resume(self, players: Sequence[str]) -> list[Outcome]:
        """The outcomes of the whole pairs played so far; a game that was cut off is dropped from the file."""
        if not self._path.exists():
            return []
        text = self._path.read_text(encoding="utf-8")
        if text.strip() and not _END_OF_GAME.search(text):
            text = text[: max(text.rfind("\n\n[Event "), 0)].rstrip() + "\n\n" if "\n\n[Event " in text else ""
            self._path.write_text(text, encoding="utf-8")
        return self._whole_pairs(text, set(players))

    def _whole_pairs(self, text: str, players: set[str]) -> list[Outcome]:
        found: dict[int, Outcome] = {}
        stream = io.StringIO(text)
        while (headers := chess.pgn.read_headers(stream)) is not None:
            if {headers.get("White", ""), headers.get("Black", "")} != players:
                raise InputError(f"{self._path} holds games of others: {headers.get('White')}, {headers.get('Black')}")
            outcome = Outcome.from_tags(headers)
            if outcome is not None:
                found[outcome.number] = outcome
        return [outcome for number, outcome in found.items() if number ^ 1 in found]

    def add(self, record: GameRecord) -> None:
        """Append a game."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(record.pgn())
