"""Computing shards on other machines: the workers of a dask cluster.

Every call has a timeout, whatever listens at the address.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, TypeVar

from engine.lab.arena.cancellation import allow_games, cancel_games
from engine.system.errors import InputError, quote, reason_of
from engine.system.extras import missing_extra

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

_CONNECT_SECONDS = 10.0
_GREETING_SECONDS = 5.0  # a scheduler sends the first bytes, at once
_PING_SECONDS = 2.0  # between two checks that it is still there
_LOST_SECONDS = 20.0  # without an answer
_CLOSE_SECONDS = 3.0


@contextlib.contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """(an executor over all workers of the cluster at `address`, the number of shards it takes at a time).

    InputError if the scheduler cannot be reached. If a worker is lost, others compute its shards again. If the
    scheduler is lost, all games are cancelled, with that as the reason.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise missing_extra("--cluster", "cluster", "distributed") from error
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is reported here, in one line
    allow_games()
    _check_greeting(address)
    client = _within(_CONNECT_SECONDS, lambda: Client(address, timeout=_CONNECT_SECONDS, set_as_default=False),
                     f"no dask scheduler answers at {address}")
    try:
        width = 2 * sum(client.nthreads().values())  # twice, so that the next shard is ready when a worker asks for it
        if not width:
            raise InputError(f"the cluster at {address} has no workers")
        with _watch(client, address):
            yield client.get_executor(pure=False), width
    finally:
        with contextlib.suppress(InputError):
            _within(_CLOSE_SECONDS, lambda: client.close(_CLOSE_SECONDS), "it does not close")
        allow_games()


def _check_greeting(address: str) -> None:
    """InputError if the server at the address does not send bytes first, as a dask scheduler does."""
    protocol, _, host_and_port = address.rpartition("://")
    host, _, port = host_and_port.rpartition(":")
    if protocol not in ("", "tcp"):
        return  # encrypted: the client sends first
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS) as line:
            line.settimeout(_GREETING_SECONDS)
            is_greeted = bool(line.recv(1))
    except TimeoutError:
        is_greeted = False
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(f"no dask scheduler answers at {quote(address)}: {reason_of(error)}") from error
    if not is_greeted:
        raise InputError(f"no dask scheduler answers at {quote(address)}: something else listens there")


def _within(seconds: float, work: Callable[[], T], message: str) -> T:
    """The result of `work`; InputError with `message` if it fails, or takes longer and is abandoned."""
    future: Future[T] = Future()

    def do() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  reported below
            future.set_exception(error)

    threading.Thread(target=do, daemon=True).start()
    try:
        return future.result(seconds)
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{message}: {reason[:200]}") from error


@contextlib.contextmanager
def _watch(client: Client, address: str) -> Iterator[None]:
    """Ping the scheduler regularly, and cancel all games when it no longer answers."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_PING_SECONDS):
            try:
                _within(_LOST_SECONDS, lambda: client.sync(client.scheduler.identity), "no answer")
            except InputError as error:
                if not is_over.is_set():
                    cancel_games(f"the dask scheduler at {address} was lost: {error}")
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        is_over.set()
