"""The types of entries' arguments and results: how a signature names them, and how values cross into machine code.

They are not Numba's types, so that a kernel can be declared and called without Numba. Machine code gets a record as its
address, an array as address and length, and numbers as they are; it writes its results, eight bytes each, to an address
that the caller passes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, NamedTuple, Protocol

import numpy as np

from engine.kernel.sources import digest_of_module

Int = int | np.int64  # the Python types of an int64 argument or result

_BYTES_BEFORE_RECORD = 24  # in a NumPy record object: references, type and size come before the address of its data


class ArgumentType(Protocol):
    """The type of one argument."""

    text: str  # how a signature names it
    carriers: tuple[Any, ...]  # the C types of the numbers that carry it

    def carry(self, value: Any) -> tuple[int, ...]:
        """The value as such numbers; TypeError if it is not of this type."""
        ...

    def for_numba(self) -> Any:
        """The same type as Numba's."""
        ...


class Declaration(NamedTuple):
    """The declaration of an entry."""

    name: str  # with its module
    function: Callable[..., Any]
    arguments: tuple[ArgumentType, ...]

    @property
    def signature(self) -> str:
        """The types of the arguments as text, against which stored machine code is checked."""
        return ", ".join(argument.text for argument in self.arguments)

    @property
    def sources(self) -> str:
        """The digest of the sources that its machine code is made from."""
        return digest_of_module(self.function.__module__)


class Number:
    """An integer of eight bytes."""

    def __init__(self, text: str, carrier: Any) -> None:
        self.text = text
        self.carriers = (carrier,)

    def carry(self, value: Any) -> tuple[int]:
        return (index(value),)

    def for_numba(self) -> Any:
        from numba import types

        return getattr(types, self.text)


class Record:
    """A NumPy record of one dtype, which the kernel works on in place."""

    text = "record"
    carriers = (ctypes.c_void_p,)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self._numba: Any = None

    def carry(self, value: Any) -> tuple[int]:
        if not isinstance(value, FastRecord) or value.dtype != self.dtype:
            raise TypeError(f"expected a record of {self.dtype.itemsize} bytes, got {type(value).__name__}")
        return (_address_of_record(value),)

    def for_numba(self) -> Any:
        if self._numba is None:  # the compiler compares types: one for each dtype
            import numba

            self._numba = numba.from_dtype(self.dtype)
        return self._numba


class Array:
    """A writable, contiguous array of one dimension, which the kernel works on in place."""

    carriers = (ctypes.c_void_p, ctypes.c_int64)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.text = f"array of {dtype.str}"

    def carry(self, value: Any) -> tuple[int, int]:
        if not isinstance(value, np.ndarray) or value.dtype != self.dtype or value.ndim != 1 or not value.flags.carray:
            raise TypeError(f"expected a writable, contiguous {self.text}, got {type(value).__name__}")
        return (value.ctypes.data, value.size)

    def for_numba(self) -> Any:
        import numba
        from numba import types

        return types.Array(numba.from_dtype(self.dtype), 1, "C")


int64, uint64 = Number("int64", ctypes.c_int64), Number("uint64", ctypes.c_uint64)


class FastRecord(np.record):  # type: ignore[misc]  # NumPy's annotations call a base of it final
    """A NumPy record with faster field access, which in NumPy's own class goes through Python code.

    Field access dominates the Python side of a search, between iterations that may take microseconds.
    """

    __getattribute__ = np.void.__getattribute__
    __getitem__ = np.void.__getitem__  # type: ignore[assignment]
    __setattr__ = np.void.__setitem__

    def __getattr__(self, name: str) -> Any:
        try:
            return np.void.__getitem__(self, name)
        except ValueError:
            raise AttributeError(f"the record has no field {name!r}") from None


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a record that kernels take as one pointer; its fields are attributes in Python and in kernels."""
    return np.dtype((FastRecord, np.dtype(fields, align=True)))


def offset_of(dtype: np.dtype[Any], field: str) -> int:
    """The offset of a field in a record, in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[field][1])


def record_type(dtype: np.dtype[Any]) -> Record:
    """The argument type of a record of `dtype`."""
    return Record(dtype)


def array_type(code: str | np.dtype[Any]) -> Array:
    """The argument type of a contiguous array of one dimension; `code` as in NumPy."""
    return Array(np.dtype(code))


def _address_by_layout(record: Any) -> int:
    return ctypes.c_void_p.from_address(id(record) + _BYTES_BEFORE_RECORD).value or 0


def _address_by_interface(record: Any) -> int:
    address: int = record.__array_interface__["data"][0]
    return address


def _choose_address() -> Callable[[Any], int]:
    """The function that returns a record's address: by the C layout if this NumPy has it, since NumPy's own
    takes 8 us.
    """
    sample = np.zeros(2, record_dtype([("number", "i8")]))[1]
    return _address_by_layout if _address_by_layout(sample) == _address_by_interface(sample) else _address_by_interface


_address_of_record = _choose_address()


# The struct format of each result type; each takes eight bytes.
_RESULT_FORMATS = {"int64": "q", "uint64": "Q", "float64": "d", "bool": "?7x"}
RESULT_TYPES = frozenset(_RESULT_FORMATS)


def bind(address: int, arguments: Sequence[ArgumentType], results: Sequence[str], is_tuple: bool) -> Callable[..., Any]:
    """The machine code at `address` as a Python function. The GIL is released while it runs."""
    carriers = [carrier for argument in arguments for carrier in argument.carriers]
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *carriers, ctypes.c_void_p)(address)
    reader = struct.Struct("=" + "".join(_RESULT_FORMATS[result] for result in results))
    result_buffer = ctypes.c_char * max(reader.size, 1)

    def call(*values: Any) -> Any:
        if len(values) != len(arguments):
            raise TypeError(f"expected {len(arguments)} arguments, got {len(values)}")
        buffer = result_buffer()
        carried = [number for argument, value in zip(arguments, values, strict=True)
                   for number in argument.carry(value)]
        if function(*carried, ctypes.addressof(buffer)) != 0:
            raise RuntimeError("a kernel failed")
        found = reader.unpack_from(buffer)
        return found if is_tuple else found[0] if found else None

    return call
