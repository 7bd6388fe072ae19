"""A hash table through which transpositions share their values.

A node with enough visits stores its mean value under the key of its position. A new leaf with the same position takes
it as its first value, instead of an evaluation. Only values are shared, not visits: the tree remains a tree, in which
nothing counts twice and no line leads back to itself.

An entry has two words: the key xor the data, so that a torn entry matches no key, and the data, which are the value for
the side to move and the draw probability.
"""

from __future__ import annotations

import numpy as np

from engine.alphabeta.tt import clear_words
from engine.kernel import inline
from engine.kernel.intrinsics import load_word, multiply_high, store_word
from engine.mcts.nodes import average, average_draw
from engine.system.errors import InputError
from engine.system.host import address_of, zeroed_memory

ENTRY_BYTES = 16
_ENTRY, _WORD = np.int64(ENTRY_BYTES), np.int64(8)
_MIN_VISITS = np.int64(4)  # with fewer, the mean is no better than an evaluation
_STEPS = 1_000_000_000.0  # of a value from 0 to 1
_OFFSET = np.int64(1_000_000_000)
_DRAW_STEPS = 65_535.0
_DRAW_SHIFT = np.int64(32)
_VALUE_MASK, _DRAW_MASK = np.uint64(0xFFFF_FFFF), np.uint64(0xFFFF)
_NO_DATA = np.uint64(0)


@inline
def _entry_address(worker, key):
    return worker.shared + np.int64(multiply_high(key, np.uint64(worker.shared_entries))) * _ENTRY


@inline
def store_shared_value(worker, key, node):
    """Store the mean value of a node if its number of visits is a power of two, to save stores."""
    visits = np.int64(node.visits)
    if not worker.params.use_sharing or visits < _MIN_VISITS or visits & (visits - 1) != 0:
        return
    value = np.int64(-average(node) * _STEPS) + _OFFSET
    draw = np.int64(average_draw(node) * _DRAW_STEPS)
    data = np.uint64(value) | np.uint64(draw) << _DRAW_SHIFT
    address = _entry_address(worker, key)
    store_word(address, key ^ data)
    store_word(address + _WORD, data)


@inline
def lookup_shared_value(worker, key):
    """(whether there is an entry, value for the side to move, draw probability) of the position with this key."""
    if not worker.params.use_sharing:
        return False, 0.0, 0.0
    address = _entry_address(worker, key)
    data = load_word(address + _WORD)
    if data == _NO_DATA or load_word(address) ^ data != key:
        return False, 0.0, 0.0
    value = np.float64(np.int64(data & _VALUE_MASK) - _OFFSET) / _STEPS
    return True, value, np.float64(np.int64(data >> _DRAW_SHIFT & _DRAW_MASK)) / _DRAW_STEPS


class SharedValues:
    """The memory of the table; threads use its address."""

    def __init__(self, size: int) -> None:
        """A table of about `size` bytes, at least one entry; InputError if that is not available."""
        self.entries = max(size // ENTRY_BYTES, 1)
        try:
            self._memory = zeroed_memory(self.entries * ENTRY_BYTES)
        except MemoryError as error:
            raise InputError(str(error)) from error
        self.address = address_of(self._memory)

    @property
    def size(self) -> int:
        """Bytes in use."""
        return self.entries * ENTRY_BYTES

    def clear(self) -> None:
        """Remove all values."""
        clear_words(self.address, self.entries * (ENTRY_BYTES // 8))
