"""Work divided into shards: pure functions of their own fields, computed by any executor, with results in order.

The executor is a pool of threads or processes on this machine, or that of dask.distributed on a cluster.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engine.lab.arena.cancellation import GamesCancelledError, check_cancelled, failure_reason
from engine.system.errors import InputError

T = TypeVar("T")
Shard = TypeVar("Shard", bound=Callable[[], Any])

_PULSE = 0.1  # seconds between two checks whether games are cancelled
_TRIES = 3  # a worker may be lost; a shard that fails each time is itself the cause


def in_order(executor: Executor, shards: Iterable[Callable[[], T]], width: int) -> Iterator[T]:
    """The results of `shards` in order, with `width` of them in progress at any time.

    A shard that fails, as when a cluster loses its worker, is computed again; InputError if the whole pool is lost. If
    the caller stops early, shards that have not started are cancelled. If games are cancelled, results that are already
    complete are still yielded, and the rest is dropped; then InputError if the cancellation was not intended.
    """
    source = iter(shards)
    waiting: deque[tuple[Callable[[], T], Future[T]]] = deque()
    try:
        while True:
            while len(waiting) < width and (shard := next(source, None)) is not None:
                waiting.append((shard, executor.submit(shard)))
            if not waiting:
                return
            yield _result(executor, *waiting.popleft())
    except GamesCancelledError:
        for _, future in waiting:
            if future.done() and not future.cancelled() and future.exception() is None:
                yield future.result()
        if failure_reason():
            raise InputError(failure_reason()) from None
    finally:
        for _, future in waiting:
            future.cancel()


@dataclass(frozen=True)
class Labelled(Generic[Shard]):
    """A shard that returns itself with its result: after a cancellation, results no longer come in order."""

    shard: Shard

    def __call__(self) -> tuple[Shard, Any]:
        """Compute it."""
        return self.shard, self.shard()


def _result(executor: Executor, shard: Callable[[], T], future: Future[T]) -> T:
    for number in range(_TRIES):
        while not wait([future], _PULSE).done:
            check_cancelled()
        try:
            return future.result()
        except (InputError, GamesCancelledError):
            raise
        except BrokenExecutor as error:
            check_cancelled()
            raise InputError("a worker process died and took the pool with it") from error
        except Exception:  # each executor has its own name for a lost worker
            check_cancelled()
            if number == _TRIES - 1:
                raise
            future = executor.submit(shard)
    raise AssertionError
