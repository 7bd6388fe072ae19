"""`python -m engine.kernel.build FOLDER`: compile every entry for the baselines of this architecture, one file each.

It is run when the package is built, and the files become part of it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from engine.kernel import codefile, sources, targets
from engine.kernel.codefile import Code, Provenance
from engine.kernel.decorators import import_all
from engine.kernel.library import SHIPPED_SUFFIX
from engine.version import VERSION


def build(folder: Path, triple: str, only: str = "") -> list[Path]:
    """Write the files of machine code for a triple's baselines into `folder`; returns their paths.

    `only` is a prefix of the names of the wanted entries.
    """
    import llvmlite
    import numba

    from engine.kernel import compiler

    baselines = targets.baselines_of(triple)
    machines = [targets.machine(baseline, triple) for baseline in baselines]
    codes: list[list[Code]] = [[] for _ in baselines]
    for point in (point for point in import_all() if point.name.startswith(only)):
        bitcode = compiler.to_bitcode(point.declaration)
        for machine, done in zip(machines, codes, strict=True):
            done.append(compiler.emit_object_code(bitcode, machine))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{baseline.name}{SHIPPED_SUFFIX}" for baseline in baselines]
    for path, baseline, done in zip(paths, baselines, codes, strict=True):
        provenance = Provenance(sources.own_digest(), triple, baseline.name, VERSION,
                                f"Numba {numba.__version__}, llvmlite {llvmlite.__version__}")
        codefile.write(path, provenance, done)
    return paths


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m engine.kernel.build", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--triple", default=targets.triple(), help="architecture and system, as LLVM names them")
    parser.add_argument("--only", default="", metavar="PREFIX", help="compile only entries whose names begin with this")
    arguments = parser.parse_args(argv)
    paths = build(arguments.folder, arguments.triple, arguments.only)
    for path in paths:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    print(f"{time.process_time():.1f} s CPU" if paths else f"no baseline for {arguments.triple}: nothing was compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
