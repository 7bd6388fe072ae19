"""The tables of the user's progress: what each version of the schema adds, and how their rows are written."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

SCHEMA_VERSION = 2

# What each version of the schema adds to the one before it; an old file is brought up to date when it is opened.
_SCHEMAS = ("""
CREATE TABLE cards (
    deck TEXT NOT NULL, item TEXT NOT NULL, due TEXT NOT NULL, card TEXT NOT NULL, PRIMARY KEY (deck, item)
) WITHOUT ROWID;
CREATE INDEX cards_by_date ON cards (deck, due);
CREATE TABLE answers (
    deck TEXT NOT NULL, item TEXT NOT NULL, at TEXT NOT NULL, outcome INTEGER NOT NULL, seconds REAL NOT NULL,
    item_rating REAL, rating REAL, deviation REAL, volatility REAL, PRIMARY KEY (deck, item, at)
) WITHOUT ROWID;
CREATE INDEX answers_by_date ON answers (at);
CREATE TABLE documents (
    type TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (type, name)
) WITHOUT ROWID;
""", """
CREATE TABLE repertoires (
    name TEXT NOT NULL, side TEXT NOT NULL, pgn TEXT NOT NULL, PRIMARY KEY (name, side)
) WITHOUT ROWID;
""")
COLUMNS = {"cards": 4, "answers": 9, "documents": 3, "repertoires": 3}
SINCE = {"repertoires": 2}  # the schema version that brought a table, if it is not the first
SELECT = {"cards": "SELECT * FROM cards", "answers": "SELECT * FROM answers", "documents": "SELECT * FROM documents",
           "repertoires": "SELECT * FROM repertoires"}


def bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    """Add what the file's version lacks; 0 is a new file."""
    for statements in _SCHEMAS[version:]:
        for statement in statements.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def insert_into(table: str, verb: str = "REPLACE") -> str:
    """The statement that inserts a row into a table."""
    return f"{verb} INTO {table} VALUES ({', '.join('?' * COLUMNS[table])})"


def stamp_of(at: datetime) -> str:
    """A time as text that sorts by time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
