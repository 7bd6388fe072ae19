"""Letting running searches see what a reader has just got ready.

A kernel may look at any moment, on another processor. So whatever belongs to a table is written first, and the word
that leads to it last and by `publish`; kernels read that word by `load_acquire` before anything else.
"""

from __future__ import annotations

from engine.kernel import entry, int64
from engine.kernel.intrinsics import store_release


@entry(int64, int64)
def publish(address: int, word: int) -> None:
    """Write a word, after all that this thread has written before."""
    store_release(address, word)
