"""`bench startup`: the cost of starting in a new process, with shipped, cached or newly compiled machine code."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from engine.cli.interruption import run_own
from engine.cli.output import print_object
from engine.kernel import CACHE_VARIABLE
from engine.kernel.codefile import NATIVE
from engine.kernel.library import CODE_VARIABLE, shipped_file
from engine.system.errors import InputError
from engine.system.host import children_cpu_seconds
from engine.system.processes import PROGRAM, start_own

_STARTS = {  # name of a measurement -> the arguments and the input of the program that is timed
    "perft 1": (("perft", "1"), ""),
    "the first move": ((), "uci\ngo depth 1\n"),
}
_NUMBA = "numba"
_NUMBA_ALONE = "numba._version"  # running it imports Numba and does nothing else
_LISTS_IMPORTS = {"PYTHONPROFILEIMPORTTIME": "1"}  # on stderr


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
    numba = min(_cpu_seconds((), module=_NUMBA_ALONE) for _ in range(runs))
    yield Start("import numba, CPU time of a new process", None, numba)
    for name, (words, text) in _STARTS.items():
        with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
            fresh = {CACHE_VARIABLE: cache}
            compiled = {**fresh, CODE_VARIABLE: NATIVE}
            if shipped_file().file is not None:
                yield _best(name, "shipped", words, text, fresh, runs, numba)
            yield Start(name, "compiled", _cpu_seconds(words, text, compiled))
            yield _best(name, "cache", words, text, compiled, runs, numba)
    with tempfile.TemporaryDirectory(prefix="adversary-bench-") as cache:
        answers = [_seconds_to_uciok(cache) for _ in range(runs)]
    yield Start("uciok after the first start of the process", None, answers[0])
    yield Start("uciok after the start of the process, at best", None, min(answers))


def _best(what: str, code: str, words: Sequence[str], text: str, variables: Mapping[str, str], runs: int,
          numba: float) -> Start:
    best = min(_cpu_seconds(words, text, variables) for _ in range(runs))
    return Start(what, code, best, best / numba, _imports_numba(words, text, variables))


def _cpu_seconds(words: Sequence[str], text: str = "", variables: Mapping[str, str] | None = None,
                 module: str = PROGRAM) -> float:
    """CPU seconds of a new process; elapsed seconds where the system does not tell."""
    before, started = children_cpu_seconds(), time.perf_counter()
    _run(words, text, variables, module)
    return children_cpu_seconds() - before or time.perf_counter() - started


def _imports_numba(words: Sequence[str], text: str, variables: Mapping[str, str]) -> bool:
    """Whether a new process imports Numba."""
    imports = _run(words, text, {**variables, **_LISTS_IMPORTS}).stderr
    return re.search(rf"\|\s+{_NUMBA}$", imports, re.MULTILINE) is not None


def _run(words: Sequence[str], text: str, variables: Mapping[str, str] | None,
         module: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    done = run_own(words, module=module, variables=variables, text=text)
    if done.returncode != 0:
        raise InputError(f"a new process failed: {(done.stderr.strip() or 'no error message').splitlines()[-1]}")
    return done


def _seconds_to_uciok(cache: str) -> float:
    started = time.perf_counter()
    with start_own(variables={CACHE_VARIABLE: cache}, stdin=subprocess.PIPE, stderr=None) as process:
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
