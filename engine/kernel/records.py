"""Records that mypy understands: a class lists the fields, and the dtype that kernels work on is made from it.

    class View(Fields):
        address: Annotated[Numbers, "i8", 2]  # an array of two
        corner: I4
        inner: Other  # another record

The class is only for annotations. What `new_record` makes from it is a NumPy record, whose fields are attributes. A
record inside another must come after fields of eight bytes only: NumPy does not align it, as the compiler requires.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from engine.kernel.signature import record_dtype

Numbers = npt.NDArray[Any]  # a field that is an array
I8 = Annotated[int, "i8"]
I4 = Annotated[int, "i4"]
I2 = Annotated[int, "i2"]
U8 = Annotated[int, "u8"]
U4 = Annotated[int, "u4"]
U2 = Annotated[int, "u2"]
U1 = Annotated[int, "u1"]
F4 = Annotated[float, "f4"]
F8 = Annotated[float, "f8"]


class Fields:
    """The base class of all records."""

    if TYPE_CHECKING:
        __array_interface__: dict[str, Any]

        def __getitem__(self, field: str) -> Any: ...

        def __setitem__(self, field: str, value: Any) -> None: ...

        def copy(self) -> Self: ...


R = TypeVar("R", bound=Fields)
_ALIGNMENT = 8  # bytes


_DTYPES: dict[Any, np.dtype[Any]] = {}  # [class]


def dtype_of(record_class: type[Fields]) -> np.dtype[Any]:
    """The dtype of a record with the fields of a class, in order."""
    if record_class not in _DTYPES:
        dtype = record_dtype([(name, *_field_spec(hint)) for name, hint in _hints(record_class).items()])
        for name in dtype.names or ():
            inner, offset = dtype.fields[name][:2]  # type: ignore[index]
            if inner.fields and offset % _ALIGNMENT:
                raise TypeError(f"{record_class.__name__}.{name}, a record, must come after fields of eight bytes only")
        _DTYPES[record_class] = dtype
    return _DTYPES[record_class]


def _hints(record_class: type[Fields]) -> dict[str, Any]:
    """The annotations of a class. Plain names are looked up, which is much faster than evaluating them."""
    names = vars(sys.modules[record_class.__module__])
    annotations = {name: names.get(text, text) for name, text in record_class.__annotations__.items()}
    return get_type_hints(SimpleNamespace(__annotations__=annotations), names, include_extras=True)


def set_fields(record_class: type[Fields], types: Mapping[str, str]) -> None:
    """Set the fields of a record from a table, [name]: type, instead of from its class."""
    _DTYPES[record_class] = record_dtype(list(types.items()))


def _field_spec(hint: Any) -> tuple[Any, ...]:
    """The dtype description of a field: the type of its numbers, and its shape if it is an array."""
    if get_origin(hint) is not Annotated:
        return (dtype_of(hint),)
    _, code, *shape = get_args(hint)
    return (dtype_of(code) if isinstance(code, type) else code, *shape)


def new_record(record_class: type[R]) -> R:
    """A record of zeros."""
    record: R = np.zeros(1, dtype_of(record_class))[0]
    return record
