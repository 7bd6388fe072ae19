"""Run the slow tests in parts of ten minutes, each of which continues after the last: `python -m tests.slow`.

What each test did is kept in `.pytest_cache/slow.json`, also if a part is killed. Tests that have passed are not run
again until `--again`; failed ones are, after those that have not run yet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STATE = ROOT / ".pytest_cache" / "slow.json"
PASSED, FAILED, SKIPPED, STARTED = "passed", "failed", "skipped", "started"
_ORDER = {None: 0, STARTED: 1, FAILED: 2}  # tests not run yet, killed ones, failed ones
_COLUMNS = "{:<48} {:>6} {:>6} {:>6} {:>6} {:>7}  {:<10} {}"


class Ledger:
    """What every slow test did when it last ran: outcome, seconds, date and commit; None if it has not run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.tests: dict[str, dict[str, str | float] | None] = json.loads(path.read_text()) if path.exists() else {}

    def outcome(self, test: str) -> str | None:
        """The outcome of a test; None if it has not run."""
        entry = self.tests.get(test)
        return None if entry is None else str(entry["outcome"])

    def seconds(self, test: str) -> float:
        """The seconds that a test took; 0 if it has not run."""
        return float((self.tests.get(test) or {}).get("seconds", 0.0))

    def set_tests(self, tests: list[str]) -> None:
        """Forget tests that are gone, and add new ones."""
        self.tests = {test: self.tests.get(test) for test in tests}

    def record(self, test: str, outcome: str, seconds: float, commit: str) -> None:
        """Record an outcome, and write it."""
        self.tests[test] = {"outcome": outcome, "seconds": round(seconds, 1), "commit": commit,
                            "date": datetime.now(UTC).date().isoformat()}
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_text(json.dumps(self.tests, indent=1))


class Part:
    """A plugin of pytest that runs what fits into some seconds of what is left."""

    def __init__(self, ledger: Ledger, seconds: float) -> None:
        self._ledger, self._seconds, self._began = ledger, seconds, time.monotonic()
        self._commit = _commit()
        self._outcome, self._spent = PASSED, 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Choose the tests of this part; one that would not fit waits for the next."""
        self._ledger.set_tests([item.nodeid for item in items])
        left = [item for item in items if self._ledger.outcome(item.nodeid) in _ORDER]
        left.sort(key=lambda item: _ORDER[self._ledger.outcome(item.nodeid)])
        chosen, planned = list[pytest.Item](), 0.0
        for item in left:
            seconds = self._ledger.seconds(item.nodeid)
            if not chosen or planned + seconds <= self._seconds:
                chosen.append(item)
                planned += seconds
        names = {item.nodeid for item in chosen}
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
        items[:] = chosen

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record that a test has started, in case it is killed."""
        self._outcome, self._spent = PASSED, 0.0
        self._ledger.record(nodeid, STARTED, self._ledger.seconds(nodeid), self._commit)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record what a test did after its teardown."""
        self._spent += report.duration
        if report.failed or (report.skipped and self._outcome == PASSED):
            self._outcome = report.outcome
        if report.when == "teardown":
            self._ledger.record(report.nodeid, self._outcome, self._spent, self._commit)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Stop before the next test when the time is up."""
        if time.monotonic() - self._began > self._seconds:
            item.session.shouldstop = "the time of this part is up"


def _commit() -> str:
    """The commit that is tested, with a plus if files have changed since."""
    words = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def print_table(ledger: Ledger) -> None:
    """One row per file, then the tests that failed or were killed."""
    print(_COLUMNS.format("file", PASSED, FAILED, SKIPPED[:4], "left", "seconds", "last", "commits"))
    for file in dict.fromkeys(test.split("::")[0] for test in ledger.tests):
        entries = {test: entry for test, entry in ledger.tests.items() if test.startswith(f"{file}::")}
        count = Counter(ledger.outcome(test) for test in entries)
        ran = [entry for entry in entries.values() if entry is not None]
        print(_COLUMNS.format(
            file.removeprefix("tests/"), count[PASSED], count[FAILED], count[SKIPPED], count[None] + count[STARTED],
            round(sum(map(ledger.seconds, entries))), max((str(entry["date"]) for entry in ran), default=""),
            " ".join(dict.fromkeys(str(entry["commit"]) for entry in ran))))
    for outcome in (FAILED, STARTED):
        for test in ledger.tests:
            if ledger.outcome(test) == outcome:
                print(f"{outcome}: {test}")


def main() -> int:
    """Run a part and print the table; returns 0 if every slow test has passed or was skipped."""
    parser = argparse.ArgumentParser(prog="python -m tests.slow", description="Run the slow tests in parts.")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="X", help="start no test later than this")
    parser.add_argument("--table", action="store_true", help="run nothing")
    parser.add_argument("--again", action="store_true", help="forget what has passed")
    arguments = parser.parse_args()
    if arguments.again:
        STATE.unlink(missing_ok=True)
    ledger = Ledger(STATE)
    if not arguments.table:
        files = [str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if "mark.slow" in path.read_text()]
        pytest.main(["-m", "slow", "-q", "-rs", f"--rootdir={ROOT}", *files], [Part(ledger, 60.0 * arguments.minutes)])
    print_table(ledger)
    return 0 if ledger.tests and all(ledger.outcome(test) in (PASSED, SKIPPED) for test in ledger.tests) else 1


if __name__ == "__main__":
    sys.exit(main())
