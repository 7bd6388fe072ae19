"""A pool of search threads that persists between moves, because starting threads for every move is too slow."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence


class _PoolThread:
    """One thread and its next job."""

    def __init__(self) -> None:
        self._has_job, self.is_idle = threading.Event(), threading.Event()
        self.is_idle.set()
        self._job: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Start waiting for jobs; RuntimeError if the system has no more threads."""
        self._thread.start()

    def submit(self, job: Callable[[], None]) -> None:
        """Give the thread, which must be idle, a job."""
        self._job = job
        self.is_idle.clear()
        self._has_job.set()

    def shut_down(self) -> None:
        """End the thread as soon as it is idle."""
        self._job = None
        self._has_job.set()

    def _work(self) -> None:
        while True:
            self._has_job.wait()
            self._has_job.clear()
            job, self._job = self._job, None  # a job that is done must not keep its search alive
            if job is None:
                return
            try:
                job()
            finally:
                del job
                self.is_idle.set()


class ThreadPool:
    """As many threads as were ever needed at once. Jobs must end by themselves soon after their stop flag is set."""

    def __init__(self) -> None:
        self._threads: list[_PoolThread] = []
        weakref.finalize(self, _shut_down, self._threads)

    def start(self, jobs: Sequence[Callable[[], None]]) -> int:
        """Start the jobs in parallel; returns how many were started, since the system may have no more threads."""
        self.wait()
        self._grow(len(jobs))
        for thread, job in zip(self._threads, jobs, strict=False):
            thread.submit(job)
        return min(len(jobs), len(self._threads))

    def wait_for(self, number: int, seconds: float) -> bool:
        """Wait at most `seconds` for the job of that number; returns whether it is done."""
        return self._threads[number].is_idle.wait(seconds)

    def wait(self) -> None:
        """Wait until all jobs are done."""
        for thread in self._threads:
            thread.is_idle.wait()

    def shrink(self, size: int) -> None:
        """End all threads but the first `size`."""
        self.wait()
        _shut_down(self._threads[size:])
        del self._threads[size:]

    def _grow(self, size: int) -> None:
        while len(self._threads) < size:
            thread = _PoolThread()
            try:
                thread.start()
            except RuntimeError:  # a limit on processes
                return
            self._threads.append(thread)


def _shut_down(threads: list[_PoolThread]) -> None:
    """End threads; those that are busy end when their job is done."""
    for thread in threads:
        thread.shut_down()
