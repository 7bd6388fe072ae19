"""The sources that machine code is made from, and a digest that names their state.

Machine code depends on every kernel below an entry, and on every constant that one of them uses, whichever file that
stands in: so one digest covers all of them. It is computed from the contents at each start: some milliseconds.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path

PACKAGES = ("engine", "eval", "book", "tablebase")
SOURCE_ROOT = Path(__file__).resolve().parents[2]

# What no kernel depends on: a change there compiles nothing anew. A test holds that no kernel imports any of it.
WITHOUT_KERNELS = ("engine/commands", "engine/reference", "engine/__main__.py", "engine/uci.py", "engine/stopgap.py")


def source_files(root: Path) -> list[Path]:
    """Every Python file of the project's packages below `root`, in a fixed order."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def kernel_sources(root: Path) -> list[Path]:
    """The files among them that machine code may depend on."""
    apart = tuple(str(root / name) for name in WITHOUT_KERNELS)
    return [path for path in source_files(root) if not str(path).startswith(apart)]


def source_digest(root: Path) -> str:
    """A name for the state of the sources below `root`."""
    digest = hashlib.sha256()
    for path in kernel_sources(root):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def own_digest() -> str:
    """The digest of the sources that are running."""
    return source_digest(SOURCE_ROOT)


def digest_for(module: str) -> str:
    """The digest of what the kernels of `module` depend on; one of a test, say, depends on that file too."""
    if module.partition(".")[0] in PACKAGES:
        return own_digest()
    file = sys.modules[module].__file__
    content = Path(file).read_bytes() if file else b""
    return hashlib.sha256(own_digest().encode() + content).hexdigest()
