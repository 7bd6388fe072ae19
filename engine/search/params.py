"""Tables of tunable numbers: one row each, a record that kernels read, and one way to set a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from engine.kernel.records import Fields, new_record
from engine.system.errors import InputError, quote

R = TypeVar("R", bound=Fields)


class TunableRow(Protocol):
    """What every table of tunables has in each row."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def default_record(rows: Iterable[TunableRow], record_class: type[R]) -> R:
    """A new record with every default."""
    record = new_record(record_class)
    for row in rows:
        record[row.name] = row.default
    return record


def set_value(record: Any, rows: Iterable[TunableRow], name: str, value: float, what: str) -> None:
    """Set the number called `name`; InputError if there is no such row or the value is out of range.

    A number whose default is an integer must be an integer. `what` names the rows in the message.
    """
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        raise InputError(f"unknown {what} {quote(name)}")
    if not row.low <= value <= row.high or (isinstance(row.default, int) and value != int(value)):
        raise InputError(f"{name} must be from {row.low:g} to {row.high:g}, got {value:g}")
    record[name] = value
