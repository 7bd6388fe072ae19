"""Tables of tunable numbers: one row each, a record that kernels read, and one way to set a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from engine.kernel.records import Fields, new_record
from engine.system.errors import InputError, quote

R = TypeVar("R", bound=Fields)


class Parameter(NamedTuple):
    """A tunable number: its default, its range and the step that a tuner takes. An integer if its default is one."""

    name: str
    default: float
    low: float
    high: float
    step: float = 0  # 0 for a number that is not tuned

    @property
    def is_integer(self) -> bool:
        return isinstance(self.default, int)

    @property
    def is_switch(self) -> bool:
        """Whether it turns a technique on and off."""
        return self.is_integer and (self.low, self.high) == (0, 1)

    @property
    def is_on(self) -> bool:
        """Whether it is the switch of a technique that is in use."""
        return self.is_switch and self.default == 1


def default_record(rows: Iterable[Parameter], record_class: type[R]) -> R:
    """A new record with every default."""
    record = new_record(record_class)
    for row in rows:
        record[row.name] = row.default
    return record


def set_value(record: Any, rows: Iterable[Parameter], name: str, value: float, what: str) -> None:
    """Set the number called `name`; InputError if there is no such row or the value is out of range.

    `what` names the rows in the message.
    """
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        raise InputError(f"unknown {what} {quote(name)}")
    if not row.low <= value <= row.high or (row.is_integer and value != int(value)):
        raise InputError(f"{name} must be from {row.low:g} to {row.high:g}, got {value:g}")
    record[name] = value
