"""The sources that machine code is made from, and a digest that identifies their state.

Machine code depends on every kernel below an entry, and on every constant that one of them uses, in whatever file: so
one digest covers them all. It is computed from the contents at each start, which takes a few milliseconds.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

PACKAGES = ("engine", "eval", "book", "tablebase")
SOURCE_ROOT = Path(__file__).resolve().parents[2]

# Where kernels are, with all that they import: a change anywhere else recompiles nothing. A test checks that.
_ROOMS = ("book", "engine/alphabeta", "engine/analysis", "engine/arena", "engine/core", "engine/expectimax",
          "engine/fallible", "engine/kernel", "engine/mcts", "engine/search", "eval", "tablebase")
_FILES = ("engine/system/files.py", "engine/system/host.py")


def kernel_sources(root: Path) -> list[Path]:
    """The files below `root` that machine code may depend on, in a fixed order."""
    return [Path(path) for path in _paths(str(root))]


def _paths(root: str) -> list[str]:
    found = [f"{root}/{name}" for name in _FILES]
    for room in _ROOMS:
        for folder, _, names in os.walk(f"{root}/{room}"):
            found += [f"{folder}/{name}" for name in names if name.endswith(".py")]
    return sorted(found)


def source_digest(root: Path) -> str:
    """A digest that identifies the state of the sources below `root`."""
    digest, start = hashlib.sha256(), len(str(root))
    for path in _paths(str(root)):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  a Path would take twice the time, at each start
            content = file.read()
        digest.update(f"\0{path[start:]}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def own_digest() -> str:
    """The digest of the running sources."""
    return source_digest(SOURCE_ROOT)


def digest_of_module(module: str) -> str:
    """The digest of what the kernels of `module` depend on; those of a test, for example, depend on its file too."""
    if module.partition(".")[0] in PACKAGES:
        return own_digest()
    file = sys.modules[module].__file__
    content = Path(file).read_bytes() if file else b""
    return hashlib.sha256(own_digest().encode() + content).hexdigest()
