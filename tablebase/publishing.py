"""Making tables that have just been read visible to running searches.

A kernel on another processor may look at any moment. So everything that belongs to a table is written first, and the
word that leads to it last, by `publish`; kernels read that word by `load_acquire` before anything else.
"""

from __future__ import annotations

from engine.kernel import entry, int64
from engine.kernel.intrinsics import store_release


@entry(int64, int64)
def publish(address: int, word: int) -> None:
    """Write a word after everything that this thread has written before."""
    store_release(address, word)
