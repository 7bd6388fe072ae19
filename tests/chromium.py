"""The Chromium that browser tests drive: where it is, how many tests it ran, and how to get one."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
HAS_CHROMIUM = CHROMIUM is not None and DRIVER is not None
HOW_TO_GET_ONE = "no Chromium with its chromedriver; on Debian: apt install chromium chromium-driver"
FIXTURE = "chromium"  # what browser tests have in common


def mark_browser_tests(items: list[pytest.Item]) -> None:
    """Mark the tests that use a browser, and skip them where there is none."""
    for item in items:
        if FIXTURE in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            if not HAS_CHROMIUM:
                item.add_marker(pytest.mark.skip(reason=HOW_TO_GET_ONE))


def summary(reports: dict[str, list[object]]) -> str | None:
    """One line about the browser tests of a run, from its reports by outcome; None if it had none."""
    count = {outcome: sum("browser" in getattr(report, "keywords", ()) for report in reports.get(outcome, ()))
             for outcome in ("passed", "failed", "skipped")}
    if not any(count.values()):
        return None
    if not HAS_CHROMIUM:
        return f"browser tests: {count['skipped']} skipped: {HOW_TO_GET_ONE}"
    return f"browser tests: {count['passed'] + count['failed']} ran"
