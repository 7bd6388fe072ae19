"""Matches on a busy machine: `python -m tests.lab.arena.load A B --spinners 8 --tc 0.5+0.01 --games 100`.

Prints how many games each side lost on time, besides what `match` prints; its other options are those of `match`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator

from engine.__main__ import main as adversary

SPIN = "while True: pass"


@contextlib.contextmanager
def busy_neighbours(count: int) -> Iterator[None]:
    """Processes that use all the time that they get, within this context."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", SPIN]))
            stack.callback(process.kill)
        yield


def losses_on_time(first: str, second: str, spinners: int, *words: str) -> tuple[int, int, int]:
    """(games, losses on time of the first, of the second) of a match beside so many busy processes."""
    printed = io.StringIO()
    with busy_neighbours(spinners), contextlib.redirect_stdout(printed):
        adversary(["match", first, second, "--no-adjudication", "--json", *words])
    result = json.loads(printed.getvalue().splitlines()[-1])
    print(json.dumps(result), file=sys.stderr)
    lost = result["forfeits"]["time"]
    return result["games"], lost[0], lost[1]


def main() -> None:
    """Play a match and print the losses on time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--spinners", type=int, default=8)
    arguments, words = parser.parse_known_args()
    games, first, second = losses_on_time(arguments.first, arguments.second, arguments.spinners, *words)
    print(f"{games} games beside {arguments.spinners} busy processes: lost on time {first} and {second}")


if __name__ == "__main__":
    main()
