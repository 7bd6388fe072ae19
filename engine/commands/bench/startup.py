"""What a start costs, in new processes: with the machine code at hand, and compiled first."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from engine.commands.shared.children import run_child
from engine.core.errors import InputError
from engine.kernel import CACHE_VARIABLE
from engine.kernel.codefile import NATIVE
from engine.kernel.library import CODE_VARIABLE, shipped_file

# What is measured, and the program that does it.
_STARTS = {
    "perft 1": "from engine.__main__ import main; main(['perft', '1'])",
    "the first move": "import io; from engine.uci import Uci; "
                      "Uci(io.BytesIO(b'uci\\ngo depth 1\\n'), io.StringIO()).run()",
}
_COST = "; import sys, time; print(time.process_time(), int('numba' in sys.modules))"


def print_startup(runs: int) -> int:
    """Print every cost, all but cold ones as the best of `runs`; returns the exit status."""
    numba = min(_cpu_seconds("import numba", {})[0] for _ in range(runs))
    print(f"import numba, in a new process: {numba:.2f} s CPU")
    for name, program in _STARTS.items():
        with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
            fresh = {CACHE_VARIABLE: cache}
            compiled = {**fresh, CODE_VARIABLE: NATIVE}
            if shipped_file().file is not None:
                _print_cost(f"{name}, shipped machine code", [_cpu_seconds(program, fresh) for _ in range(runs)], numba)
            cold = _cpu_seconds(program, compiled)[0]
            _print_cost(f"{name}, from the cache", [_cpu_seconds(program, compiled) for _ in range(runs)], numba)
            print(f"{name}, compiled first: {cold:.2f} s CPU")
    with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
        answers = [_seconds_to_uciok(cache) for _ in range(runs)]
    print(f"uciok after the start of the process: {answers[0]:.2f} s at first, at best {min(answers):.2f} s")
    return 0


def _print_cost(what: str, costs: list[tuple[float, bool]], numba: float) -> None:
    best = min(seconds for seconds, _ in costs)
    imported = "imported" if any(is_imported for _, is_imported in costs) else "not imported"
    print(f"{what}: {best:.2f} s CPU, {best / numba:.2f} of importing Numba, which is {imported}")


def _cpu_seconds(program: str, environment: dict[str, str]) -> tuple[float, bool]:
    """The CPU seconds of a new process that runs a program, and whether it imported Numba."""
    done = run_child([sys.executable, "-c", program + _COST], {**os.environ, **environment})
    if done.returncode != 0:
        raise InputError(f"a new process failed to start: {done.stderr.strip().splitlines()[-1:]}")
    seconds, is_imported = done.stdout.split()[-2:]
    return float(seconds), is_imported == "1"


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
