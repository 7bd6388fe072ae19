"""A thread's evaluation cache: for pawn and king structures, and for whole positions.

A cache belongs to one thread and one evaluator: another evaluator needs an empty cache.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from engine.kernel import inline, record_type
from engine.kernel.records import Fields, Numbers, dtype_of, new_record

# Both are small enough to stay in a core's own cache: larger ones would cost more to read than they save.
STRUCTURE_SLOTS = 1 << 13
SCORE_SLOTS = 1 << 15


class EvalCacheRecord(Fields):
    """Cached evaluations."""

    structures: Annotated[Numbers, "u8", (STRUCTURE_SLOTS, 4)]  # [slot, STRUCTURE_...]
    # [slot]: the key, with the score in place of the bits that determine the slot.
    scores: Annotated[Numbers, "u8", SCORE_SLOTS]


EVAL_CACHE = dtype_of(EvalCacheRecord)
EVAL_CACHE_TYPE = record_type(EVAL_CACHE)

# The columns of `structures`.
STRUCTURE_KEY, STRUCTURE_SCORE, STRUCTURE_WHITE_PASSED, STRUCTURE_BLACK_PASSED = range(4)

_STRUCTURE_MASK = np.uint64(STRUCTURE_SLOTS - 1)
_SCORE_MASK = np.uint64(SCORE_SLOTS - 1)
_SCORE_ZERO = np.int64(SCORE_SLOTS // 2)


def empty_eval_cache() -> EvalCacheRecord:
    """A new, empty cache."""
    return new_record(EvalCacheRecord)


@inline
def structure_slot(key):
    """The slot of the structure with this key."""
    return np.int64(key & _STRUCTURE_MASK)


@inline
def score_slot(key):
    """The slot of the score of the position with this key."""
    return np.int64(key & _SCORE_MASK)


@inline
def pack_score(key, score):
    """The content of a slot: the bits of the key that the slot does not imply, and the score."""
    return (key & ~_SCORE_MASK) | np.uint64(score + _SCORE_ZERO)


@inline
def is_score_of(packed, key):
    """Whether a slot holds the score of the position with this key."""
    return (packed ^ key) & ~_SCORE_MASK == np.uint64(0) and packed & _SCORE_MASK != np.uint64(0)


@inline
def unpack_score(packed):
    """The score in a slot."""
    return np.int64(packed & _SCORE_MASK) - _SCORE_ZERO
