"""A match: pairs of games played by an executor, counted in order, saved, and ended when an SPRT is decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from engine.lab.arena.records import Forfeit, GameRecord, GameScore
from engine.lab.arena.shards import in_order
from engine.lab.arena.statistics import Sprt, pentanomial, wins_draws_losses
from engine.system.errors import InputError
from engine.system.files import append_whole, file_size, read_text, write_file

Shard = Callable[[], list[GameRecord]]  # plays one or more pairs

_AHEAD = 3  # times the width: other games continue while a long one is waited for
_START_OF_GAME = re.compile(r"(?=^\[Event )", re.MULTILINE)
_END_OF_GAME = re.compile(r"(1-0|0-1|1/2-1/2)\s*\Z")
_TAG = re.compile(r'^\[(\w+) "(.*)"\]$', re.MULTILINE)


@dataclass
class MatchScore:
    """The score of a match, from the first player's view."""

    players: tuple[str, str]
    is_refereed: bool = False  # the players are processes, which may forfeit
    outcomes: dict[int, GameScore] = field(default_factory=dict)  # by game number

    def add(self, outcome: GameScore) -> None:
        self.outcomes[outcome.number] = outcome

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Pairs that scored 0, 1/2, 1, 3/2 and 2 points."""
        return pentanomial({number: outcome.points for number, outcome in self.outcomes.items()})

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        return wins_draws_losses(outcome.points for outcome in self.outcomes.values())

    def forfeits(self, forfeit: Forfeit | None = None) -> tuple[int, int]:
        """The numbers of games that the first and the second player lost by any forfeit, or by this one."""
        lost = [outcome.points for outcome in self.outcomes.values()
                if outcome.forfeit is not None and forfeit in (None, outcome.forfeit)]
        return lost.count(0.0), lost.count(1.0)

    @property
    def illegal_lines(self) -> int:
        """Lines with an illegal move announced by either side."""
        return sum(outcome.illegal_lines for outcome in self.outcomes.values())


def play_match(score: MatchScore, shards: Iterable[Shard], executor: Executor, width: int, *, sprt: Sprt | None = None,
               keep: Callable[[Sequence[GameRecord]], None] = lambda records: None) -> Iterator[MatchScore]:
    """Play the shards and yield the score after each; ends after the last one, or as soon as `sprt` is decided."""
    results = in_order(executor, shards, _AHEAD * width)
    for records in results:
        keep(records)
        for record in records:
            score.add(GameScore.of(record))
        yield score
        if sprt is not None and sprt.verdict(score.pentanomial) is not None:
            results.close()  # type: ignore[attr-defined]
            return


class PgnFile:
    """The games of a match on disk, from which an interrupted match can be resumed."""

    def __init__(self, path: Path, conditions: str) -> None:
        self._path, self._conditions = path, _encodable(conditions)

    def resume(self, players: Sequence[str]) -> list[GameScore]:
        """The scores of the complete pairs in the file; all other games are removed from it.

        InputError, with the file unchanged, if it holds anything but games of this match.
        """
        if not self._path.exists():
            return []
        text = read_text(self._path)
        games = [game.strip() for game in _START_OF_GAME.split(text) if game.strip()]
        if not games and file_size(self._path) > len(text):  # a mark of some encoding, and nothing else
            raise InputError(f"{self._path} is not the PGN file of a match")
        finished: dict[int, tuple[GameScore, str]] = {}
        for game in games:
            tags = dict(_TAG.findall(game))
            self._check(tags, players)
            outcome = GameScore.from_tags(tags) if _END_OF_GAME.search(game) else None
            if outcome is not None:
                finished[outcome.number] = outcome, game
        paired = [finished[number] for number in sorted(finished) if number ^ 1 in finished]
        if len(paired) != len(games):
            write_file(self._path, "".join(f"{game}\n\n" for _, game in paired))
        return [outcome for outcome, _ in paired]

    def _check(self, tags: Mapping[str, str], players: Sequence[str]) -> None:
        if "White" in tags and "Black" in tags and {tags["White"], tags["Black"]} != set(map(_encodable, players)):
            raise InputError(f"{self._path} holds games of other players: {tags['White']}, {tags['Black']}")
        if "Conditions" in tags and tags["Conditions"] != self._conditions:
            raise InputError(f"{self._path} was played under different conditions: {tags['Conditions']}")
        if "Event" not in tags:
            raise InputError(f"{self._path} is not the PGN file of a match")

    def add(self, records: Sequence[GameRecord]) -> None:
        """Append games; OSError, which names the file and leaves it as it was, if that fails."""
        tags = {"Date": f"{datetime.now(UTC):%Y.%m.%d}", "Conditions": self._conditions}
        append_whole(self._path, _encodable("".join(record.pgn(tags) for record in records)).encode())


def _encodable(text: str) -> str:
    """`text` with characters that UTF-8 cannot encode replaced: names of files may contain arbitrary bytes."""
    return text.encode("utf-8", "replace").decode()
