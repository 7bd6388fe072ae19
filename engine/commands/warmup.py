"""`warmup`: compile every kernel that has no machine code yet, so that later starts only load it."""

from __future__ import annotations

import argparse
import time
from collections import Counter

from engine.cli.progress import track
from engine.kernel import Origin, import_all
from engine.kernel.cache import own_cache


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""


def run(arguments: argparse.Namespace) -> int:
    """Compile or load all kernels with a progress bar, print the time, and return the exit status."""
    points = import_all()
    wall, cpu = time.perf_counter(), time.process_time()
    for point in track(points, lambda point: point.name):
        point.load()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    counts = Counter(point.origin for point in points)
    print(", ".join(f"{counts[origin]} kernels {origin.value}" for origin in Origin if counts[origin])
          + f": {wall:.1f} s ({cpu:.1f} s CPU)")
    if counts[Origin.SHIPPED] < len(points) and (cache := own_cache()) is not None:
        print(f"cache: {cache.folder}")
    return 0
