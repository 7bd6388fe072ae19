"""Stopping games early: by Ctrl-C, or because a cluster was lost. Their results are no longer needed."""

from __future__ import annotations

import numpy as np

_flag = np.zeros(1, np.int64)
_reasons: list[str] = []
STOP_ADDRESS = int(_flag.ctypes.data)  # the flag that kernels read


class GamesCancelledError(Exception):
    """The games of a shard were stopped: it has no result."""


def cancel_games(reason: str = "") -> None:
    """End all games of this process at once. A `reason` is given if that was not intended."""
    if reason:
        _reasons.append(reason)
    _flag[0] = 1


def allow_games() -> None:
    """Let games be played again."""
    _reasons.clear()
    _flag[0] = 0


def is_cancelled() -> bool:
    """Whether games are to end."""
    return bool(_flag[0])


def failure_reason() -> str:
    """Why games were stopped unintentionally; empty if it was intended."""
    return _reasons[0] if _reasons else ""


def check_stop() -> None:
    """StoppedError if games are to end: what has just been played was cut short."""
    if is_cancelled():
        raise GamesCancelledError
