"""Threads that wait between searches and are woken for one: starting a thread for every move costs too much time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence


class _Hand:
    """One thread and its next job."""

    def __init__(self) -> None:
        self._has_job, self.is_idle = threading.Event(), threading.Event()
        self.is_idle.set()
        self._job: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin to wait for jobs; RuntimeError if the system gives no thread."""
        self._thread.start()

    def give(self, job: Callable[[], None]) -> None:
        """Let the thread do a job; it must be idle."""
        self._job = job
        self.is_idle.clear()
        self._has_job.set()

    def dismiss(self) -> None:
        """End the thread, once it is idle."""
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


class Crew:
    """As many threads as were ever needed at once. All jobs must end by themselves, soon after a stop flag is set."""

    def __init__(self) -> None:
        self._hands: list[_Hand] = []
        weakref.finalize(self, _dismiss, self._hands)

    def start(self, jobs: Sequence[Callable[[], None]]) -> int:
        """Begin to do the jobs at the same time; returns how many were begun: the system may have no more threads."""
        self.wait()
        self._hire(len(jobs))
        for hand, job in zip(self._hands, jobs, strict=False):
            hand.give(job)
        return min(len(jobs), len(self._hands))

    def idle(self, number: int, seconds: float) -> bool:
        """Whether the job of that number is done, waiting for it no longer than so many seconds."""
        return self._hands[number].is_idle.wait(seconds)

    def wait(self) -> None:
        """Wait until all jobs are done."""
        for hand in self._hands:
            hand.is_idle.wait()

    def shrink(self, size: int) -> None:
        """Let go of threads beyond so many."""
        self.wait()
        _dismiss(self._hands[size:])
        del self._hands[size:]

    def _hire(self, size: int) -> None:
        while len(self._hands) < size:
            hand = _Hand()
            try:
                hand.start()
            except RuntimeError:  # a limit on processes
                return
            self._hands.append(hand)


def _dismiss(hands: list[_Hand]) -> None:
    """End threads; those that are busy, when they have done their job."""
    for hand in hands:
        hand.dismiss()
