"""`warmup`: compile every entry point once, so that later starts only load them."""

from __future__ import annotations

import argparse
import time

from engine.commands.shared.progress import track
from engine.kernel import CACHE_FOLDER, ENTRY_POINTS, import_all


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""


def run(arguments: argparse.Namespace) -> int:
    """Compile or load everything, showing progress, and say how long it took."""
    import_all()
    wall, cpu = time.perf_counter(), time.process_time()
    for point in track(ENTRY_POINTS, lambda point: point.name):
        point.load()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    cached = sum(point.was_cached for point in ENTRY_POINTS)
    print(f"{len(ENTRY_POINTS) - cached} kernels compiled, {cached} loaded from the cache: "
          f"{wall:.1f} s ({cpu:.1f} s CPU)")
    print(f"cache: {CACHE_FOLDER}")
    return 0
