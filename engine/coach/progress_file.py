"""What the user has learned: one SQLite file in the user's data folder.

Every change is one transaction, so that nothing is half written if the process is killed, and two windows can work at
once. A damaged file is kept under another name, and a new one begins.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from engine.coach.progress_export import FORMAT, check_export
from engine.coach.progress_schema import (
    COLUMNS,
    SCHEMA_VERSION,
    SELECT,
    SINCE,
    bring_up_to_date,
    insert_into,
    stamp_of,
)
from engine.coach.rating import RatedGame, Rating, update_rating
from engine.coach.schedule import Card, Outcome, last_review, reviewed
from engine.system import host
from engine.system.errors import InputError, reason_of
from engine.system.files import create_folder, exclusive

_LONGEST_WAIT = 10.0  # seconds, for another window
_PAUSE = 0.05  # seconds between two attempts to lock



class CardAnswer(NamedTuple):
    """One answer of the user. Ratings are None where the item has none."""

    deck: str
    item: str
    at: datetime
    outcome: Outcome
    seconds: float
    item_rating: float | None = None
    rating: Rating | None = None  # the user's, afterwards
    change: int | None = None  # of the rating as it is shown; known only when the answer is recorded


class KeptRepertoire(NamedTuple):
    """A repertoire as it is kept: its games, for the side `white` or `black`."""

    name: str
    side: str
    pgn: str


class ProgressFile:
    """The user's progress. Every method opens the file anew: threads and processes may share one."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = default_path() if path is None else path
        self.set_aside: Path | None = None  # where a damaged file was moved to, for a message
        self._is_checked = False
        with self._transaction():
            pass

    def record(self, deck: str, item: str, outcome: Outcome, seconds: float, *, item_rating: Rating | None = None,
               now: datetime | None = None) -> CardAnswer:
        """Record an answer: the item's next date, and, if the item is rated and was new, the user's rating."""
        with self._transaction() as connection:
            now = _utc(now)  # only now, so that answers have the order of their transactions
            before = self._card(connection, deck, item)
            rating = change = None
            if item_rating is not None and before is None:  # one that is repeated is remembered rather than found
                score = 1.0 if outcome in (Outcome.SOLVED, Outcome.AT_ONCE) else 0.0
                old = self._rating(connection)
                rating = update_rating(old, [RatedGame(item_rating, score)])
                change = round(rating.value) - round(old.value)
            card = reviewed(before, outcome, now)
            connection.execute(insert_into("cards"), (deck, item, stamp_of(card.due), card.text))
            answer = CardAnswer(deck, item, now, outcome, seconds, item_rating and item_rating.value, rating, change)
            connection.execute(insert_into("answers"), (deck, item, stamp_of(now), outcome.value, seconds,
                                                     answer.item_rating, *(rating or (None, None, None))))
        return answer

    def due(self, deck: str, now: datetime | None = None) -> list[str]:
        """The items that are due, the longest overdue first."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT item FROM cards WHERE deck = ? AND due <= ? ORDER BY due",
                                      (deck, stamp_of(_utc(now))))
            return [item for (item,) in rows]

    def cards(self, deck: str) -> dict[str, Card]:
        """The cards of a deck by item."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT item, due, card FROM cards WHERE deck = ?", (deck,))
            return {item: Card(datetime.fromisoformat(due), text) for item, due, text in rows}

    def rating(self) -> Rating:
        """The user's rating as a solver."""
        with self._transaction() as connection:
            return self._rating(connection)

    def answers(self) -> list[CardAnswer]:
        """All answers, the earliest first."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT * FROM answers ORDER BY at")
            return [_answer(row) for row in rows]

    def streak(self, today: date | None = None) -> int:
        """On how many days in a row, up to today or yesterday, something was answered."""
        today = today or datetime.now(UTC).astimezone().date()
        days = {answer.at.astimezone().date() for answer in self.answers()}
        last = today if today in days else today - timedelta(days=1)
        length = 0
        while last - timedelta(days=length) in days:
            length += 1
        return length

    def documents(self, category: str) -> dict[str, str]:
        """The kept texts of a category, such as the repertoires, by name."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT name, content FROM documents WHERE type = ? ORDER BY name", (category,))
            return dict(rows.fetchall())

    def keep(self, category: str, name: str, content: str) -> None:
        """Keep a text, in place of one of the same name."""
        with self._transaction() as connection:
            connection.execute("REPLACE INTO documents VALUES (?, ?, ?)", (category, name, content))

    def remove(self, category: str, name: str) -> None:
        """Remove a kept text, if there is one."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM documents WHERE type = ? AND name = ?", (category, name))

    def repertoires(self) -> list[KeptRepertoire]:
        """The kept repertoires by name and side."""
        with self._transaction() as connection:
            return [KeptRepertoire(*row) for row in connection.execute(SELECT["repertoires"])]

    def keep_repertoire(self, kept: KeptRepertoire) -> None:
        """Keep a repertoire, in place of one of the same name and side."""
        with self._transaction() as connection:
            connection.execute(insert_into("repertoires"), kept)

    def remove_repertoire(self, name: str, side: str) -> bool:
        """Remove a repertoire, but not what is known of its positions; returns whether there was one."""
        with self._transaction() as connection:
            return connection.execute("DELETE FROM repertoires WHERE name = ? AND side = ?", (name, side)).rowcount > 0

    def export(self) -> dict[str, Any]:
        """Everything, as a JSON object."""
        with self._transaction() as connection:
            tables = {table: [list(row) for row in connection.execute(statement)]
                      for table, statement in SELECT.items()}
        return {"format": FORMAT, "version": SCHEMA_VERSION, **tables}

    def merge(self, exported: object) -> int:
        """Add what an export holds and return the number of new answers; of two cards the one asked later stays.

        InputError, and no change, if it is not an export.
        """
        tables = check_export(exported)
        with self._transaction() as connection:
            before = connection.total_changes
            connection.executemany(insert_into("answers", "INSERT OR IGNORE"), tables["answers"])
            added = connection.total_changes - before
            for deck, item, due, text in tables["cards"]:
                own = self._card(connection, deck, item)
                if own is None or _last_asked(own) < _last_asked(Card(datetime.fromisoformat(due), text)):
                    connection.execute(insert_into("cards"), (deck, item, due, text))
            for table in ("documents", "repertoires"):
                connection.executemany(insert_into(table, "INSERT OR IGNORE"), tables[table])
        return added

    @staticmethod
    def _card(connection: sqlite3.Connection, deck: str, item: str) -> Card | None:
        row = connection.execute("SELECT due, card FROM cards WHERE deck = ? AND item = ?", (deck, item)).fetchone()
        return None if row is None else Card(datetime.fromisoformat(row[0]), row[1])

    @staticmethod
    def _rating(connection: sqlite3.Connection) -> Rating:
        row = connection.execute("SELECT rating, deviation, volatility FROM answers WHERE rating IS NOT NULL "
                                 "ORDER BY at DESC LIMIT 1").fetchone()
        return Rating() if row is None else Rating(*row)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction that ends with the block, and takes effect only if nothing was raised."""
        try:
            with closing(self._open()) as connection, connection:
                yield connection
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: {reason_of(error)}") from error

    def _open(self) -> sqlite3.Connection:
        """A connection that has begun a transaction, to a file with today's schema."""
        create_folder(self.path.parent)
        try:
            return self._begin()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):  # not damage: no space, no permission, locked for too long
                raise
            return self._begin_anew()

    def _begin(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_LONGEST_WAIT, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version and not self._is_checked:
                self._check(connection, version)
            if version < SCHEMA_VERSION:
                bring_up_to_date(connection, version)
            self._is_checked = True
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection, version: int) -> None:
        """InputError if the file is of a later version; DatabaseError if it is damaged, or lacks a table."""
        if version > SCHEMA_VERSION:
            raise InputError(f"{self.path} was written by a newer version of the engine")
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        wanted = {table for table in COLUMNS if SINCE.get(table, 1) <= version}
        if missing := wanted - {name for (name,) in rows}:
            raise sqlite3.DatabaseError(f"no table {min(missing)}")

    def _begin_anew(self) -> sqlite3.Connection:
        """A connection to a new file in place of the damaged one, or to that which another process has begun."""
        with self._repairing():
            try:
                return self._begin()  # another process has set it aside meanwhile
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
            self._set_aside()
            return self._begin()

    @contextmanager
    def _repairing(self) -> Iterator[None]:
        """A lock beside the file: one process at a time sets it aside."""
        lock, end = self.path.with_name(f"{self.path.name}.lock"), time.monotonic() + _LONGEST_WAIT
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(exclusive(lock))
                    break
                except InputError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(_PAUSE)
                except OSError as error:
                    raise InputError(f"{self.path} is damaged and cannot be renamed: {reason_of(error)}") from error
            yield
            with suppress(PermissionError):  # Windows removes no file that is open
                lock.unlink()

    def _set_aside(self) -> None:
        stamp = f"{datetime.now(UTC):%Y-%m-%d_%H-%M-%S}"
        names = (f"{self.path.name}.damaged-{stamp}{suffix}" for suffix in chain([""], map("-{}".format, count(2))))
        target = next(path for path in map(self.path.with_name, names) if not path.exists())
        try:
            self.path.replace(target)
        except OSError as error:
            raise InputError(f"{self.path} is damaged and cannot be renamed: {reason_of(error)}") from error
        self.set_aside = target


def default_path() -> Path:
    """The file of this user."""
    return host.user_data_folder() / "adversary" / "progress.sqlite3"


def _answer(row: Sequence[Any]) -> CardAnswer:
    deck, item, at, outcome, seconds, item_rating, *rating = row
    return CardAnswer(deck, item, datetime.fromisoformat(at), Outcome(outcome), seconds, item_rating,
                   None if rating[0] is None else Rating(*rating))


def _last_asked(card: Card) -> datetime:
    return last_review(card) or datetime.min.replace(tzinfo=UTC)


def _utc(now: datetime | None) -> datetime:
    return datetime.now(UTC) if now is None else now.astimezone(UTC)
