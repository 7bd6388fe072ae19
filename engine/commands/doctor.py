"""`doctor`: show what is installed and in use, and how to fix problems."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.cli.output import add_json, print_object
from engine.kernel import Origin, cache, import_all, library, set_listener, targets
from engine.system import host
from engine.system.extras import EXTRAS, install_command, missing_packages
from engine.system.host import usable_cores
from engine.version import NAME, VERSION

_MEGABYTE = 1_000_000
_LEAST_MEMORY = 512 * _MEGABYTE
_HAS_PROBLEMS = 1


class Finding(NamedTuple):
    """The result of one check; `advice` says how to fix a problem and is empty if there is none."""

    name: str
    text: str
    advice: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_json(parser, "one object with all findings")


def run(arguments: argparse.Namespace) -> int:
    """Run all checks, print them, and return the exit status."""
    warnings: list[str] = []
    set_listener(warnings.append)
    findings = list(_findings())
    if arguments.json:
        checks = {finding.name: {"found": finding.text, "advice": finding.advice} for finding in findings}
        print_object({**checks, "warnings": warnings})
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            print(f"{finding.name:{width}}  {finding.text}")
        for line in (*(f"{finding.name}: {finding.advice}" for finding in findings if finding.advice), *warnings):
            print(f"\n{line}")
    return _HAS_PROBLEMS if warnings or any(finding.advice for finding in findings) else 0


def _findings() -> Iterator[Finding]:
    yield Finding("version", f"{NAME} {VERSION}")
    yield Finding("installed", str(Path(library.__file__).parents[2]))
    yield Finding("Python", f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}")
    yield Finding("system", targets.triple())
    yield _processor()
    yield _kernels()
    yield _cache()
    yield Finding("threads", f"{usable_cores()} processors: `setoption name Threads value N` uses N of them")
    memory = host.memory_size()
    yield Finding("memory", f"{memory // _MEGABYTE} MB", "" if memory >= _LEAST_MEMORY else
                  "little memory; keep `Hash` small")
    yield from _data()
    yield _extras()


def _processor() -> Finding:
    fitting = [baseline.name for baseline in targets.baselines_of(targets.triple())
               if not targets.missing_features(baseline)]
    return Finding("processor", f"{targets.host_cpu()}; baseline: {fitting[0] if fitting else 'none'}")


def _kernels() -> Finding:
    """The origin of the machine code; nothing is compiled to find out."""
    origins = {point.declaration: library.origin_of(point.declaration) for point in import_all()}
    counts, shipped = Counter(origins.values()), library.shipped_file()
    is_installed = shipped.file is not None
    to_compile = [declaration for declaration, origin in origins.items() if origin is None]
    missing = [declaration for declaration in to_compile if library.is_shipped(declaration.name) or not is_installed]
    parts = [f"{counts[origin]} {origin.value}" for origin in Origin if counts[origin]]
    if shipped.file is not None:
        parts[0] += f" ({shipped.file.provenance.baseline}, {shipped.file.provenance.compiler})"
    if len(to_compile) > len(missing):
        parts.append(f"{len(to_compile) - len(missing)} of the laboratory, compiled when first needed")
    if missing:
        parts.append(f"{len(missing)} to be compiled")
    reasons = (f"{reason}. " for declaration in missing if (reason := library.reason_to_compile(declaration)))
    advice = f"{next(reasons, '')}`adversary warmup` compiles what is missing, once" if missing else ""
    return Finding("kernels", ", ".join(parts), advice)


def _cache() -> Finding:
    own = cache.own_cache()
    if own is None:
        return Finding("cache", "none", f"name a folder of your own in {cache.CACHE_VARIABLE}")
    text = f"{own.folder.parent}, {own.size() / _MEGABYTE:.1f} MB"
    if not own.is_trusted:
        return Finding("cache", text, f"not used, because other users can write to it; run chmod go-w, or name another "
                                      f"folder in {cache.CACHE_VARIABLE}")
    nearest = next(folder for folder in (own.folder, *own.folder.parents) if _is_visible(folder))
    return Finding("cache", text, "" if os.access(nearest, os.W_OK) else
                   f"not writable, so that kernels are compiled at each start; name another folder in "
                   f"{cache.CACHE_VARIABLE}")


def _is_visible(folder: Path) -> bool:
    """Whether a folder exists, as far as this user may know: not below a folder that only others may enter."""
    try:
        return folder.exists()
    except PermissionError:
        return False


def _data() -> Iterator[Finding]:
    """The data files."""
    from book.polyglot import BUILT_IN as BOOK
    from eval.networks import BUILT_IN_FILE, NETWORK_FILES
    from tablebase.tables import BUILT_IN as TABLES

    yield _file("book", BOOK, "`setoption name OwnBook value false` plays without it")
    tables = sorted(TABLES.glob("*.tables"))
    size = sum(path.stat().st_size for path in tables) / _MEGABYTE
    yield Finding("tables", f"{', '.join(path.name for path in tables)}, {size:.1f} MB", "" if tables else _REINSTALL)
    for name, path in NETWORK_FILES.items():
        in_use = "in use" if path == BUILT_IN_FILE else f"`setoption name EvalFile value {name}` uses it"
        yield _file("network", path, in_use)


def _extras() -> Finding:
    """The installed extras; a missing one is not a problem."""
    missing = {extra: packages for extra in EXTRAS if (packages := missing_packages(extra))}
    text = ", ".join(extra for extra in EXTRAS if extra not in missing) or "none"
    if missing:
        lacking = ", ".join(f"{extra} ({', '.join(packages)})" for extra, packages in missing.items())
        text += f"; missing: {lacking}; {install_command(*missing)}"
    return Finding("extras", text)


_REINSTALL = "a part of the package is missing; install it again"


def _file(name: str, path: Path, use: str) -> Finding:
    if not path.exists():
        return Finding(name, "none", _REINSTALL)
    return Finding(name, f"{path.name}, {path.stat().st_size / _MEGABYTE:.1f} MB; {use}")
