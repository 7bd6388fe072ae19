"""Fixtures and options of all tests."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.chromium import mark_browser_tests, summary

# A kernel's first call loads or compiles it, and machines are shared: how long one example takes says nothing.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell starts jobs in the background with Ctrl-C ignored, and programs inherit that: tests interrupt some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a browser, and skip them where there is none."""
    mark_browser_tests(items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print whether the browser tests ran."""
    if (line := summary(terminalreporter.stats)) is not None:
        terminalreporter.write_line(line)


LONGEST, LONGEST_SLOW = 1200, 3600  # seconds; the kernels may have to be compiled, on a machine that has other work


def _fail_the_test(number: int, frame: object) -> None:
    raise TimeoutError("the test takes too long")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that waits forever, where it waits."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return (yield)
    before = signal.signal(signal.SIGALRM, _fail_the_test)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_SLOW if item.get_closest_marker("slow") else LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
