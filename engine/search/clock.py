"""Time management: how long to think about a move, as pure functions of the clock. All times are seconds.

There are two limits. After the soft one no further iteration begins; it shrinks while the best move stays the same and
the score holds, and grows when they do not. At the hard one the search is broken off.
"""

from __future__ import annotations

from dataclasses import dataclass

FOREVER = float("inf")
MOVES_TO_EXPECT = 24  # how many more moves a game is planned for, when no control says so
FURTHEST_CONTROL = 40  # moves to a time control beyond this are as good as none

_MOVES_TO_SURVIVE = 60  # on the reserve alone, when the clock only runs down
_LARGEST_SOFT_SHARE = 0.5  # of all the time that is left
_LARGEST_HARD_SHARE = 0.75
_HARD_PER_SOFT = 4.5
_LARGEST_OVERHEAD_SHARE = 0.1  # of a time for one move
_LEAST_TIME = 0.001  # to find any move
_SHARE_OF_RESERVE = 0.01
_WHEN_OUT_OF_TIME = 0.1  # the share of the clock that may be used when the overhead alone exceeds it

# [iterations for which the best move has been the same]: the factor on the soft time.
_STEADINESS = (1.6, 1.25, 1.05, 0.95, 0.85, 0.8, 0.75)
# A score that falls by this many centipawns adds this much to the factor, a smaller fall less.
_LARGEST_DROP = 80
_MOST_WORRY = 0.6
# A best move that takes nearly all nodes has no rival.
_SHARE_BASE, _SHARE_FACTOR = 1.45, 0.75


@dataclass(frozen=True)
class Clock:
    """What a player's clock says; `moves_to_go` is None when the time is for the rest of the game."""

    left: float
    increment: float = 0.0
    moves_to_go: int | None = None


@dataclass(frozen=True)
class Budget:
    """The two limits for one move."""

    soft: float
    hard: float


def budget(clock: Clock, overhead: float) -> Budget:
    """The time to spend on one move, when every move loses `overhead` on the way."""
    moves = MOVES_TO_EXPECT if clock.moves_to_go is None else min(max(clock.moves_to_go, 1), FURTHEST_CONTROL)
    usable = clock.left - overhead
    if usable < _LEAST_TIME:
        usable = max(clock.left * _WHEN_OUT_OF_TIME, _LEAST_TIME)
    # Every move to come brings an increment and loses an overhead. What is left when that has eaten up the plan is a
    # reserve against delays, of which a small share is spent at most. Where nothing comes in, it is for a long ending.
    to_lose = _MOVES_TO_SURVIVE if not clock.increment and clock.moves_to_go is None else moves - 1
    planned = usable + (moves - 1) * clock.increment - to_lose * overhead
    soft = min(max(planned / moves, _SHARE_OF_RESERVE * usable), _LARGEST_SOFT_SHARE * usable)
    return Budget(soft, max(min(_HARD_PER_SOFT * soft, _LARGEST_HARD_SHARE * usable), _LEAST_TIME))


def fixed(seconds: float, overhead: float) -> Budget:
    """The limits when a move is given a time of its own: all of it is used."""
    hard = max(seconds - min(overhead, _LARGEST_OVERHEAD_SHARE * seconds), _LEAST_TIME)
    return Budget(FOREVER, hard)


def patience(steady: int, drop: int, share: float) -> float:
    """The factor on the soft time after an iteration.

    `steady` counts the iterations since the best move changed, `drop` is by how many centipawns the score fell, and
    `share` the part of all nodes that was spent on the best move.
    """
    worry = _MOST_WORRY * min(max(drop, 0), _LARGEST_DROP) / _LARGEST_DROP
    return _STEADINESS[min(steady, len(_STEADINESS) - 1)] * (1 + worry) * (_SHARE_BASE - _SHARE_FACTOR * share)
