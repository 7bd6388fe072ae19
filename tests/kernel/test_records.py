"""Records of typed fields: class and dtype agree, in Python and in kernels."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from engine.kernel import entry, record_type
from engine.kernel.records import I4, I8, U1, Fields, Numbers, dtype_of, new_record


class Inner(Fields):
    number: I4
    squares: Annotated[Numbers, "u1", 3]


class Outer(Fields):
    total: I8
    inner: Inner
    several: Annotated[Numbers, Inner, 4]
    rows: Annotated[Numbers, "i2", (2, 5)]
    flag: U1


@entry(record_type(dtype_of(Outer)))
def add_up(record: Outer) -> None:
    record.total = record.flag + record.inner.number + record.inner.squares[2] + record.rows[1, 4]
    record.several[3].number = record.total


def test_the_dtype_equals_the_one_written_by_hand():
    inner = np.dtype([("number", "i4"), ("squares", "u1", 3)], align=True)
    outer = np.dtype([("total", "i8"), ("inner", inner), ("several", inner, 4), ("rows", "i2", (2, 5)), ("flag", "u1")],
                     align=True)
    found = dtype_of(Outer)
    assert found.itemsize == outer.itemsize and found.names == outer.names
    assert {name: field[1] for name, field in found.fields.items()} == {
        name: field[1] for name, field in outer.fields.items()}
    assert dtype_of(Outer) is found


def test_kernels_and_python_see_the_same_fields():
    record = new_record(Outer)
    assert record.total == 0 and record.rows.shape == (2, 5)
    record.flag, record.inner.number, record.rows[1, 4] = 1, 20, 300
    record.inner.squares[2] = 4
    add_up(record)
    assert record.total == 325 == record.several[3].number
    with pytest.raises(AttributeError):
        record.nothing  # noqa: B018  a name that there is not


class Crooked(Fields):
    flag: U1
    inner: Inner


def test_a_record_inside_another_must_be_aligned():
    with pytest.raises(TypeError, match=r"Crooked\.inner, a record, must come after"):
        dtype_of(Crooked)
