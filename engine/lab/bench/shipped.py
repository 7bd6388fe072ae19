"""`bench shipped`: the speed of shipped machine code, compared with code compiled for this processor.

Run as a program, it is one bench, since a process uses the machine code that its environment names.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from engine.alphabeta.searcher import AlphaBetaSearch
from engine.cli.interruption import run_own
from engine.cli.output import print_object
from engine.cli.progress import track
from engine.core.game import Game
from engine.kernel import build
from engine.kernel.codefile import NATIVE
from engine.kernel.library import CODE_VARIABLE, SHIPPED_FOLDER, shipped_paths
from engine.kernel.targets import BASELINES, missing_features
from engine.lab.bench_positions import BENCH_FENS
from engine.search.types import Limits
from engine.system.errors import InputError

_HASH = 16  # MB


def print_shipped(runs: int, depth: int, as_json: bool) -> int:
    """Bench every baseline that this processor can run, alternating with native code; return the exit status."""
    with tempfile.TemporaryDirectory(prefix="adversary-bench-") as folder:
        paths = [path for path in (shipped_paths() if SHIPPED_FOLDER.is_dir() else _build(folder)) if _can_run(path)]
        choices = {NATIVE: NATIVE, **{path.stem: str(path) for path in paths}}
        _bench(NATIVE, 1)  # fills the cache
        results: dict[str, list[tuple[int, float]]] = {name: [] for name in choices}
        for name in track([name for _ in range(runs) for name in choices], str):
            results[name].append(_bench(choices[name], depth))
    signatures = {name: {nodes for nodes, _ in costs} for name, costs in results.items()}
    for name, costs in results.items():
        ratios = [native / own for (_, native), (_, own) in zip(results[NATIVE], costs, strict=True)]
        nodes, seconds = costs[0][0], min(seconds for _, seconds in costs)
        if as_json:
            print_object({"code": name, "runs": runs, "nodes": nodes, "nodes_per_cpu_second": round(nodes / seconds),
                          "of_native": round(median(ratios), 3), "lowest": round(min(ratios), 3),
                          "highest": round(max(ratios), 3)})
        else:
            print(f"{name:12} {nodes} nodes, {nodes / seconds / 1e6:.3f} Mnps by CPU time, {median(ratios):.3f} of "
                  f"native (median of {runs}, {min(ratios):.3f} to {max(ratios):.3f})")
    if len(set.union(*signatures.values())) > 1:
        raise InputError(f"the signatures differ: {signatures}")
    return 0


def _can_run(path: Path) -> bool:
    return any(baseline.name == path.stem and not missing_features(baseline) for baseline in BASELINES)


def _build(folder: str) -> list[Path]:
    """Build the machine code that an installed package contains; return its files."""
    print("building the machine code, which takes a minute or two", file=sys.stderr)
    done = run_own([folder], module=build.__name__)
    if done.returncode != 0:
        raise InputError(f"the build failed: {done.stderr.strip().splitlines()[-1:]}")
    print(done.stdout.rstrip(), file=sys.stderr)
    return sorted(Path(folder).iterdir())


def _bench(choice: str, depth: int) -> tuple[int, float]:
    """(nodes, CPU seconds) of a bench in a new process with this machine code."""
    done = run_own([str(depth)], module=__name__, variables={CODE_VARIABLE: choice})
    if (match := re.fullmatch(r"(\d+) ([\d.e-]+)\n", done.stdout)) is None or (done.stderr and choice != NATIVE):
        raise InputError(f"{choice}: {done.stderr.strip().splitlines()[-1:]}")
    return int(match[1]), float(match[2])


def _bench_here(depth: int) -> tuple[int, float]:
    """(nodes, CPU seconds) of a bench in this process; other programs disturb CPU time less than elapsed time."""
    search = AlphaBetaSearch(_HASH)
    search.run(Game().position, Limits(depth=1))  # loads the kernels
    nodes, begin = 0, time.process_time()
    for fen in BENCH_FENS:
        search.clear()
        nodes += search.run(Game(fen).position, Limits(depth=depth)).nodes
    return nodes, time.process_time() - begin


if __name__ == "__main__":
    print(*_bench_here(int(sys.argv[1])))
