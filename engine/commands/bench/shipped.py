"""`bench shipped`: the speed of shipped machine code, compared with code compiled for this processor."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from statistics import median

from engine.commands.shared.interruption import run_child
from engine.commands.shared.output import print_object
from engine.commands.shared.progress import track
from engine.kernel.codefile import NATIVE
from engine.kernel.library import CODE_VARIABLE, SHIPPED_FOLDER, shipped_paths
from engine.kernel.targets import BASELINES, missing_features
from engine.system.errors import InputError

# A bench timed by CPU time, which other programs disturb less. The first search loads the kernels.
_PROGRAM = """
import time
from engine.alphabeta.searcher import AlphaBetaSearch
from engine.commands.shared.bench_positions import BENCH_FENS
from engine.core.game import Game
from engine.search.types import Limits
searcher = AlphaBetaSearch(16)
searcher.run(Game().position, Limits(depth=1))
nodes, begin = 0, time.process_time()
for fen in BENCH_FENS:
    searcher.clear()
    nodes += searcher.run(Game(fen).position, Limits(depth={depth})).nodes
print(nodes, time.process_time() - begin)
"""


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
    done = run_child([sys.executable, "-m", "engine.kernel.build", folder], os.environ)
    if done.returncode != 0:
        raise InputError(f"the build failed: {done.stderr.strip().splitlines()[-1:]}")
    print(done.stdout.rstrip(), file=sys.stderr)
    return sorted(Path(folder).iterdir())


def _bench(choice: str, depth: int) -> tuple[int, float]:
    """(nodes, CPU seconds) of a bench in a new process with this machine code."""
    done = run_child([sys.executable, "-c", _PROGRAM.format(depth=depth)], {**os.environ, CODE_VARIABLE: choice})
    if (match := re.fullmatch(r"(\d+) ([\d.e-]+)\n", done.stdout)) is None or (done.stderr and choice != NATIVE):
        raise InputError(f"{choice}: {done.stderr.strip().splitlines()[-1:]}")
    return int(match[1]), float(match[2])
