"""Signed LEB128, the variable-length code of integers in Stockfish's networks since version 16.

Each byte holds seven bits of a number, the lowest first; its eighth bit says that another byte of the number follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.system.errors import InputError

_PAYLOAD, _CONTINUES, _SIGN = 0x7F, 0x80, 0x40
_BITS = 7  # of a number in each byte
_LONGEST = 5  # bytes, enough for 32 bits
_AT_A_TIME = 1 << 22  # numbers, which bounds the memory for their positions


def decode_leb128(encoded: npt.NDArray[np.uint8], dtype: str, count: int) -> npt.NDArray[Any]:
    """The `count` integers that the bytes hold; InputError if they hold another number of them, or any out of range."""
    ends = np.flatnonzero(encoded < _CONTINUES)
    if len(ends) != count or (count and ends[-1] != len(encoded) - 1):
        raise InputError(f"damaged: {len(ends)} compressed numbers instead of {count}")
    numbers, limits = np.empty(count, dtype), np.iinfo(dtype)
    first = 0
    for begin in range(0, count, _AT_A_TIME):
        last = ends[begin : begin + _AT_A_TIME]
        values = _decode(encoded, np.concatenate(([first], last[:-1] + 1)), last)
        if values.min() < limits.min or values.max() > limits.max:
            raise InputError(f"damaged: a compressed number does not fit {limits.bits} bits")
        numbers[begin : begin + len(last)] = values
        first = int(last[-1]) + 1
    return numbers


def _decode(encoded: npt.NDArray[np.uint8], starts: Any, ends: Any) -> npt.NDArray[np.int64]:
    """The numbers whose bytes begin at `starts` and end at `ends`."""
    lengths = ends - starts + 1
    if lengths.max() > _LONGEST:
        raise InputError(f"damaged: a compressed number of {lengths.max()} bytes")
    values = np.zeros(len(starts), np.int64)
    for index in range(int(lengths.max())):
        has_byte = lengths > index
        values[has_byte] |= (encoded[starts[has_byte] + index] & _PAYLOAD).astype(np.int64) << _BITS * index
    is_negative = encoded[ends] & _SIGN != 0
    values -= is_negative.astype(np.int64) << _BITS * lengths
    return values
