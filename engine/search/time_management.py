"""Time management: how long to think about a move, as pure functions of the clock. All times are seconds.

There are two limits. After the soft limit no further iteration is started; it shrinks while the best move and the score
are stable, and grows when they are not. At the hard limit the search is aborted.
"""

from __future__ import annotations

from dataclasses import dataclass

FOREVER = float("inf")
EXPECTED_MOVES_TO_GO = 24  # how many more moves to plan for in sudden death
MAX_MOVES_TO_GO = 40  # a time control further away than this many moves is planned for as if it were this far

_OVERHEAD_RESERVE_MOVES = 60  # moves for which the overhead is kept back in sudden death without increment
_LARGEST_SOFT_SHARE = 0.5  # of the time left on the clock after the overhead
_LARGEST_HARD_SHARE = 0.75
_HARD_PER_SOFT = 4.5
_HARD_WITHIN_RESERVE = 2.0  # times the soft time
_LARGEST_OVERHEAD_SHARE = 0.1  # of a fixed time per move
_LEAST_TIME = 0.001  # to find any move
_SHARE_OF_RESERVE = 0.005
_HURRIED_SHARE = 0.2  # of that if the increment may not pay for a move's delays: see `_time_beside_reserve`
_OVERDRAWN_SHARE = 0.1  # the share of the clock that may be used when the overhead alone exceeds it

# [iterations for which the best move has been the same]: the factor on the soft time.
_STEADINESS = (1.6, 1.25, 1.05, 0.95, 0.85, 0.8, 0.75)
# A score that drops by this many centipawns or more raises the factor by this share, a smaller drop by less.
_LARGEST_DROP = 80
_LARGEST_DROP_FACTOR = 0.6
# A best move that took nearly all of the nodes has no rival.
_SHARE_BASE, _SHARE_FACTOR = 1.45, 0.75


@dataclass(frozen=True)
class ClockState:
    """A player's clock; `moves_to_go` is None if the time is for the rest of the game."""

    left: float
    increment: float = 0.0
    moves_to_go: int | None = None


@dataclass(frozen=True)
class Budget:
    """The two limits for one move."""

    soft: float
    hard: float


def time_budget(clock: ClockState, overhead: float, lag: float | None = None, reserve: float = 0.0) -> Budget:
    """The time to spend on one move, which may lose `overhead` in transmission; later ones lose `lag` each.

    Without a `lag` they are expected to lose the overhead as well. The `reserve` is never planned away: it is there for
    unexpected delays.
    """
    lag = overhead if lag is None else lag
    moves = EXPECTED_MOVES_TO_GO if clock.moves_to_go is None else min(max(clock.moves_to_go, 1), MAX_MOVES_TO_GO)
    usable = clock.left - overhead - reserve
    if reserve and usable < _LEAST_TIME < clock.left - overhead:
        soft = _time_beside_reserve(clock, overhead, lag)
        return Budget(soft, _HARD_WITHIN_RESERVE * soft)
    if usable < _LEAST_TIME:
        usable = max(clock.left * _OVERDRAWN_SHARE, _LEAST_TIME)
    # Every move to come gains an increment and loses a lag. If the lags use up the plan, the time left is a
    # reserve against delays, of which only a small share is spent. Without increment the reserve must last longer.
    to_lose = _OVERHEAD_RESERVE_MOVES if not clock.increment and clock.moves_to_go is None else moves - 1
    planned = usable + (moves - 1) * clock.increment - to_lose * lag
    soft = min(max(planned / moves, _SHARE_OF_RESERVE * usable), _LARGEST_SOFT_SHARE * usable)
    return Budget(soft, max(min(_HARD_PER_SOFT * soft, _LARGEST_HARD_SHARE * usable), _LEAST_TIME))


def _time_beside_reserve(clock: ClockState, overhead: float, lag: float) -> float:
    """The soft time of a move when all that is left on the clock is a reserve.

    Where delays eat the increments, the machine is busy, and thought costs several times as much by the clock as it
    takes. Less than `_LEAST_TIME` is safe, since the first iteration is always finished. Without increments a reserve
    cannot be kept, only spent slowly, and every move counts.
    """
    soft = max(_SHARE_OF_RESERVE * (clock.left - overhead), _LEAST_TIME)
    return soft * _HURRIED_SHARE if 0 < clock.increment <= lag else soft


def fixed_time_budget(seconds: float, overhead: float) -> Budget:
    """The limits for a fixed time per move: all of it is used."""
    hard = max(seconds - min(overhead, _LARGEST_OVERHEAD_SHARE * seconds), _LEAST_TIME)
    return Budget(FOREVER, hard)


def time_factor(steady: int, drop: int, share: float) -> float:
    """The factor on the soft time after an iteration.

    `steady` counts the iterations since the best move changed, `drop` is how many centipawns the score fell, and
    `share` is the fraction of all nodes spent on the best move.
    """
    drop_factor = _LARGEST_DROP_FACTOR * min(max(drop, 0), _LARGEST_DROP) / _LARGEST_DROP
    return _STEADINESS[min(steady, len(_STEADINESS) - 1)] * (1 + drop_factor) * (_SHARE_BASE - _SHARE_FACTOR * share)
