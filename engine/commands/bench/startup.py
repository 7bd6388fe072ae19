"""What a start costs, in new processes: once with an empty compile cache, then warm."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from engine.commands.shared.children import run_child
from engine.core.errors import InputError
from engine.kernel import CACHE_VARIABLE

# What is measured, and the program that does it and prints the CPU seconds of its process.
_STARTS = {
    "perft 1": "from engine.__main__ import main; main(['perft', '1'])",
    "the first searched node": "from engine.core.game import Game; from engine.search.limits import Limits; "
                               "from engine.alphabeta.searcher import Searcher; "
                               "Searcher().run(Game().position, Limits(depth=1))",
}


def print_startup(runs: int) -> int:
    """Print every cost, warm ones as the best of `runs`; returns the exit status."""
    for name, program in _STARTS.items():
        with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
            cold = _cpu_seconds(program, cache)
            warm = min(_cpu_seconds(program, cache) for _ in range(runs))
        print(f"{name}, in a new process: {cold:.2f} s CPU with an empty cache, {warm:.2f} s warm, "
              f"{cold - warm:.2f} s of compiling")
    with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
        answers = [_seconds_to_uciok(cache) for _ in range(runs)]
    print(f"uciok after the start of the process: {answers[0]:.2f} s with an empty cache, at best {min(answers):.2f} s")
    return 0


def _cpu_seconds(program: str, cache: str) -> float:
    done = run_child([sys.executable, "-c", f"{program}; import time; print(time.process_time())"],
                     {**os.environ, CACHE_VARIABLE: cache})
    if done.returncode != 0:
        raise InputError(f"a new process failed to start: {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout.splitlines()[-1])


def _seconds_to_uciok(cache: str) -> float:
    started = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "engine"], env={**os.environ, CACHE_VARIABLE: cache}, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("uci\n")
        process.stdin.flush()
        while (line := process.stdout.readline()) and line != "uciok\n":
            pass
        seconds = time.perf_counter() - started
        process.stdin.write("quit\n")
        process.stdin.close()
    return seconds
