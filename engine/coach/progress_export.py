"""An export of the user's progress as another machine writes it: its rows are checked before any is merged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from engine.coach.progress_schema import COLUMNS, SCHEMA_VERSION, SINCE, stamp_of
from engine.coach.schedule import Outcome, is_card
from engine.system.errors import InputError

FORMAT = "adversary progress"  # of an export
_SIDES = ("white", "black")
# Of the numbers of an answer in an export: seconds, the item's rating, the user's rating, deviation and volatility.
_LIMITS = ((0.0, sys.float_info.max), (-1e4, 1e4), (-1e4, 1e4), (1.0, 1e3), (1e-6, 10.0))


def check_export(exported: object) -> dict[str, list[list[Any]]]:
    """The tables of an export; InputError if it is not one."""
    if not isinstance(exported, dict) or exported.get("format") != FORMAT:
        raise InputError("not an export of progress")
    version = exported.get("version")
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        raise InputError(f"an export of version {version}, expected 1 to {SCHEMA_VERSION}")
    tables: dict[str, list[list[Any]]] = {}
    for table in COLUMNS:
        rows = exported.get(table, [] if version < SINCE.get(table, 1) else None)
        if not isinstance(rows, list):
            raise InputError(f"the export has no {table}")
        tables[table] = []
        for number, row in enumerate(rows, 1):
            try:
                tables[table].append(_checked_row(table, row))
            except (ValueError, TypeError, OverflowError) as error:
                raise InputError(f"{table}, row {number} is invalid") from error
    return tables


def _checked_row(table: str, row: object) -> list[Any]:
    """A row of an export as its table holds it; ValueError, TypeError or OverflowError if it cannot be one."""
    if not isinstance(row, list) or len(row) != COLUMNS[table]:
        raise ValueError
    texts = row[:2] if table == "answers" else row
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    for text in texts:
        text.encode()  # ValueError: half of a surrogate pair, which the file cannot hold
    if table == "answers":
        return [*texts, _checked_stamp(row[2]), Outcome(row[3]).value, *_checked_numbers(row[4:])]
    if table == "cards":
        if not is_card(row[3]):
            raise ValueError
        return [*row[:2], _checked_stamp(row[2]), row[3]]
    if table == "repertoires" and row[1] not in _SIDES:
        raise ValueError
    return row


def _checked_numbers(values: Sequence[Any]) -> list[float | None]:
    """The numbers of an answer, from its seconds on."""
    numbers = [None if value is None else float(value) for value in values]
    is_rated = numbers[2] is not None
    if numbers[0] is None or any((number is not None) != is_rated for number in numbers[2:]):
        raise ValueError
    for number, (low, high) in zip(numbers, _LIMITS, strict=True):
        if number is not None and not low <= number <= high:
            raise ValueError
    return numbers


def _checked_stamp(text: str) -> str:
    """A time with a zone, as this file writes it."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError
    return stamp_of(at)
