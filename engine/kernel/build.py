"""`python -m engine.kernel.build FOLDER`: compile the entries for the baselines of this architecture, one file each.

The build of the package runs this and includes the files. Entries that only the laboratory calls are left out.

Half of the time is Numba's front end, which shares bitcode between the entries of a process; the other half is LLVM,
which optimises each entry separately. Each half has its own pool of processes: while some run Numba, others generate
the machine code of the entries that are ready.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.kernel import codefile, targets
from engine.kernel.codefile import Code, Provenance
from engine.kernel.decorators import import_all
from engine.kernel.library import SHIPPED_SUFFIX, is_shipped
from engine.system import host
from engine.version import VERSION

if TYPE_CHECKING:
    from engine.kernel.compiler import Bitcode
    from engine.kernel.signature import Declaration


def build(folder: Path, triple: str, only: str = "", jobs: int = 0) -> list[Path]:
    """Write the files of machine code for a triple's baselines into `folder`; returns their paths.

    `only` is a prefix of entry names, `jobs` the number of processors to use, 0 for all.
    """
    baselines = targets.baselines_of(triple)
    if not baselines:
        return []
    codes = _compile(only, triple, jobs or host.usable_cores())
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{baseline.name}{SHIPPED_SUFFIX}" for baseline in baselines]
    for number, (path, baseline) in enumerate(zip(paths, baselines, strict=True)):
        codefile.write(path, Provenance(triple, baseline.name, VERSION, _compiler_versions()),
                       [of_entry[number] for of_entry in codes])
    return paths


def _compiler_versions() -> str:
    from importlib.metadata import version

    return f"Numba {version('numba')}, llvmlite {version('llvmlite')}"


def _compile(only: str, triple: str, jobs: int) -> list[list[Code]]:
    """The machine code of each entry whose name starts with `only`, for each baseline of the triple.

    There are twice as many processes as jobs, so that no processor idles while one of the two pools has little to do.
    A kernel that two entries share may be turned into bitcode twice: on two processors this costs 15 s of CPU time,
    whereas a single process for this half would make the build 6 s longer.
    """
    context = multiprocessing.get_context("spawn")
    with (ProcessPoolExecutor(jobs, context, gc.disable) as front_ends,
          ProcessPoolExecutor(jobs, context) as back_ends):
        try:
            names = [name for name in front_ends.submit(_entry_names).result()
                     if name.startswith(only) and is_shipped(name)]
            bitcodes = {front_ends.submit(_to_bitcode, name, triple): name for name in names}
            codes = {bitcodes[done]: [back_ends.submit(_generate, bitcode, triple, number)
                                      for number, bitcode in enumerate(done.result())]
                     for done in as_completed(bitcodes)}
            return [[code.result() for code in codes[name]] for name in names]
        except BaseException:
            for pool in (front_ends, back_ends):
                pool.shutdown(wait=False, cancel_futures=True)  # otherwise the exit would wait a minute for them
            raise


def _entry_names() -> list[str]:
    return list(_declarations())


def _to_bitcode(name: str, triple: str) -> list[Bitcode]:
    """The bitcode of an entry for each baseline of the triple."""
    from engine.kernel import compiler

    bitcode = compiler.to_bitcode(_declarations()[name])
    return [compiler.specialize(bitcode, machine) for machine in _machines(triple)]


def _generate(bitcode: Bitcode, triple: str, number: int) -> Code:
    """The machine code of an entry for the baseline of this number."""
    from engine.kernel import compiler

    return compiler.emit_object_code(bitcode, _machines(triple)[number])


@cache
def _declarations() -> dict[str, Declaration]:
    return {point.name: point.declaration for point in import_all()}


@cache
def _machines(triple: str) -> list[Any]:
    return [targets.machine(baseline, triple) for baseline in targets.baselines_of(triple)]


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m engine.kernel.build", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--triple", default=targets.triple(), help="architecture and system, as LLVM names them")
    parser.add_argument("--only", default="", metavar="PREFIX", help="compile only entries whose names begin with this")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processors to use (default: all)")
    arguments = parser.parse_args(argv)
    began = time.perf_counter()
    paths = build(arguments.folder, arguments.triple, arguments.only, arguments.jobs)
    for path in paths:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    cpu = time.process_time() + host.children_cpu_seconds()
    print(f"{time.perf_counter() - began:.1f} s ({cpu:.1f} s CPU)" if paths else
          f"no baseline for {arguments.triple}; nothing was compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
