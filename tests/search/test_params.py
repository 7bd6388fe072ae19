"""Tunable numbers: integers, switches and ranges."""

from __future__ import annotations

import pytest

from engine.kernel.records import Fields, set_fields
from engine.search.params import Parameter, default_record, set_value
from engine.system.errors import InputError

ROWS = (Parameter("use_it", 1, 0, 1), Parameter("use_that", 0, 0, 1), Parameter("depth", 3, 1, 8, 1),
        Parameter("share", 0.5, 0.0, 1.0, 0.1))


class NumbersRecord(Fields):
    """A number for each row of ROWS."""


set_fields(NumbersRecord, {row.name: "i8" if row.is_integer else "f8" for row in ROWS})


def test_a_switch_is_an_integer_that_is_0_or_1():
    assert [row.name for row in ROWS if row.is_switch] == ["use_it", "use_that"]
    assert [row.name for row in ROWS if row.is_on] == ["use_it"]


@pytest.mark.parametrize(("name", "value", "message"), [
    ("breadth", 1, "unknown number 'breadth'"), ("depth", 9, "depth must be from 1 to 8, got 9"),
    ("depth", 2.5, "depth must be from 1 to 8, got 2.5"), ("share", -0.1, "share must be from 0 to 1, got -0.1"),
])
def test_a_wrong_value_changes_nothing(name, value, message):
    record = default_record(ROWS, NumbersRecord)
    with pytest.raises(InputError, match=message):
        set_value(record, ROWS, name, value, "number")
    assert [record[row.name] for row in ROWS] == [row.default for row in ROWS]
