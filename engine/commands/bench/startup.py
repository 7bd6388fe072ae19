"""`bench startup`: the cost of starting in a new process, with shipped, cached or newly compiled machine code."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from engine.commands.shared.interruption import run_child
from engine.commands.shared.output import print_object
from engine.kernel import CACHE_VARIABLE
from engine.kernel.codefile import NATIVE
from engine.kernel.library import CODE_VARIABLE, shipped_file
from engine.system.errors import InputError
from engine.system.host import children_cpu_seconds

# Name of a measurement -> the Python program that is timed.
_STARTS = {
    "perft 1": "from engine.__main__ import main; main(['perft', '1'])",
    "the first move": "import io; from engine.uci.session import Uci; "
                      "Uci(io.BytesIO(b'uci\\ngo depth 1\\n'), io.StringIO()).run()",
}
_COST = "; import sys, time; print(time.process_time(), int('numba' in sys.modules))"


@dataclass(frozen=True)
class Start:
    """The cost of one start."""

    what: str
    code: str | None  # where the machine code came from: shipped, cache or compiled; None if none is used
    seconds: float
    of_numba: float | None = None  # as a multiple of `import numba` alone
    imports_numba: bool | None = None

    def text(self) -> str:
        """The cost as a line of text."""
        if self.code is None:
            return f"{self.what}: {self.seconds:.2f} s"
        if self.of_numba is None:
            return f"{self.what}, {_CODES[self.code]}: {self.seconds:.2f} s CPU"
        imported = "imported" if self.imports_numba else "not imported"
        return (f"{self.what}, {_CODES[self.code]}: {self.seconds:.2f} s CPU, {self.of_numba:.2f} of `import numba`; "
                f"Numba was {imported}")


_CODES = {"shipped": "shipped machine code", "cache": "from the cache", "compiled": "compiled first"}


def print_startup(runs: int, as_json: bool) -> int:
    """Print every cost, the best of `runs` unless something is compiled; return the exit status."""
    for start in _starts(runs):
        if as_json:
            print_object(asdict(start))
        else:
            print(start.text(), flush=True)
    return 0


def _starts(runs: int) -> Iterator[Start]:
    numba = min(_cpu_seconds("import numba", {})[0] for _ in range(runs))
    yield Start("import numba, CPU time of a new process", None, numba)
    for name, program in _STARTS.items():
        with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
            fresh = {CACHE_VARIABLE: cache}
            compiled = {**fresh, CODE_VARIABLE: NATIVE}
            if shipped_file().file is not None:
                yield _best(name, "shipped", [_cpu_seconds(program, fresh) for _ in range(runs)], numba)
            yield Start(name, "compiled", _cpu_seconds(program, compiled)[0])
            yield _best(name, "cache", [_cpu_seconds(program, compiled) for _ in range(runs)], numba)
    with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
        answers = [_seconds_to_uciok(cache) for _ in range(runs)]
    yield Start("uciok after the first start of the process", None, answers[0])
    yield Start("uciok after the start of the process, at best", None, min(answers))


def _best(what: str, code: str, costs: list[tuple[float, bool]], numba: float) -> Start:
    best = min(seconds for seconds, _ in costs)
    return Start(what, code, best, best / numba, any(is_imported for _, is_imported in costs))


def _cpu_seconds(program: str, environment: dict[str, str]) -> tuple[float, bool]:
    """(CPU seconds, whether Numba was imported) of a new process that runs a program, until the process has exited."""
    before = children_cpu_seconds()
    done = run_child([sys.executable, "-c", program + _COST], {**os.environ, **environment})
    if done.returncode != 0:
        raise InputError(f"a new process failed to start: {done.stderr.strip().splitlines()[-1:]}")
    until_exit, is_imported = done.stdout.split()[-2:]
    return children_cpu_seconds() - before or float(until_exit), is_imported == "1"


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
