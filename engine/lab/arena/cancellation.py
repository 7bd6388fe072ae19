"""Cancelling games that are no longer needed: after Ctrl-C, or because a cluster was lost."""

from __future__ import annotations

import numpy as np

_flag = np.zeros(1, np.int64)
_reasons: list[str] = []
STOP_ADDRESS = int(_flag.ctypes.data)  # the flag that kernels read


class GamesCancelledError(Exception):
    """The games of a shard were cancelled, so it has no result."""


def cancel_games(reason: str = "") -> None:
    """Cancel all games of this process at once. `reason` says why, unless the user requested it."""
    if reason:
        _reasons.append(reason)
    _flag[0] = 1


def allow_games() -> None:
    """Allow games again after a cancellation."""
    _reasons.clear()
    _flag[0] = 0


def is_cancelled() -> bool:
    """Whether games are cancelled."""
    return bool(_flag[0])


def failure_reason() -> str:
    """Why games were cancelled unintentionally; empty if it was intended."""
    return _reasons[0] if _reasons else ""


def check_cancelled() -> None:
    """GamesCancelledError if games are cancelled: the last game is incomplete."""
    if is_cancelled():
        raise GamesCancelledError
