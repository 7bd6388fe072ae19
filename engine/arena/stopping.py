"""The end of games before their time: Ctrl-C, or a cluster that was lost. Nobody waits for their results any more."""

from __future__ import annotations

import numpy as np

_flag = np.zeros(1, np.int64)
_reasons: list[str] = []
STOP_ADDRESS = int(_flag.ctypes.data)  # what kernels look at


class StoppedError(Exception):
    """The games of a shard were stopped: it has no result."""


def stop_games(reason: str = "") -> None:
    """End all games of this process, at once. A `reason` says that nobody wanted it."""
    if reason:
        _reasons.append(reason)
    _flag[0] = 1


def allow_games() -> None:
    """Let games be played again."""
    _reasons.clear()
    _flag[0] = 0


def are_stopped() -> bool:
    """Whether games are to end."""
    return bool(_flag[0])


def misfortune() -> str:
    """Why games were stopped that somebody waited for; empty if somebody wanted it so."""
    return _reasons[0] if _reasons else ""


def check_stop() -> None:
    """StoppedError if games were to end: what has just been played was cut short."""
    if are_stopped():
        raise StoppedError
