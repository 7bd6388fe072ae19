"""Objects that every thread has of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def per_thread(create: Callable[[], T]) -> Callable[[], T]:
    """A function that returns the calling thread's object, which `create` makes at the thread's first call."""
    own = threading.local()

    def get() -> T:
        if not hasattr(own, "value"):
            own.value = create()
        value: T = own.value
        return value

    return get
