"""The sources that machine code is made from, and a digest that identifies their state.

Machine code depends on every kernel below an entry, and on every constant that one of them uses, in any file. These
files are found by following import statements, at module level and inside functions, from the module that
declares the entry: a change in any other file recompiles nothing. Imports below `if TYPE_CHECKING:` are ignored, and
so are modules that `importlib` loads, such as search modes: they are not part of a kernel.

Digests are computed from the contents at each start. Parsing the files would take a hundred times as long as reading
them, so import statements are found by a scan of the text; a test compares it with the syntax trees of all files.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from engine.system.packages import PACKAGES, SOURCE_ROOT

_TYPES_ONLY = re.compile(rb"\nif TYPE_CHECKING:\n(?:[ \t][^\n]*\n|\n)*")
_COMMENT = re.compile(rb"#[^\n]*")


def all_sources(root: Path) -> list[Path]:
    """Every file of the packages below `root`, sorted."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


@cache
def _from_statement(packages: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(rb"from ((?:%b)\b[\w.]*) import (\([^)]*\)|[^\n]*)" % "|".join(packages).encode())


@cache
def _plain_statement(packages: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(rb"import ((?:%b)\b[^\n]*)" % "|".join(packages).encode())


def scan_imports(text: bytes, packages: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield (module, list of imported names) for the import statements of a module that name these packages."""
    if b"\nif TYPE_CHECKING:\n" in text:
        text = _TYPES_ONLY.sub(b"\n", text)
    for module, names in _from_statement(packages).findall(text):
        yield module.decode(), names
    if packages != PACKAGES:  # modules of PACKAGES import each other by `from` only
        for modules in _plain_statement(packages).findall(text):
            for module in _words(modules):
                yield module, b""


def _words(names: bytes) -> list[str]:
    """The names in the list of an import statement, without their aliases."""
    parts = _COMMENT.sub(b"", names).strip(b"()").split(b",")
    return [words[0].decode() for part in parts if (words := part.split())]


class SourceTree:
    """The modules of the packages below `root`; each file is read once, when it is first needed."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._listings: dict[str, frozenset[str]] = {}
        self._paths: dict[str, str | None] = {}
        self._imports: dict[str, list[str]] = {}
        self._digests: dict[str, str] = {}

    def sources_of(self, module: str) -> list[str]:
        """The module, and all modules that it imports, directly or through others, sorted by name.

        A package counts as imported by everything in it. Modules outside the packages are ignored, unless `module`
        is one of them: then its own top-level package is included.
        """
        found: set[str] = set()
        pending = [module]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += self.imports_of(name)
        return sorted(found)

    def digest_of(self, module: str) -> str:
        """A digest of the names and contents of `sources_of(module)`."""
        lines = [f"{name} {self._digests[name]}\n" for name in self.sources_of(module)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def imports_of(self, name: str) -> list[str]:
        """The modules that a module imports itself, and the package around it."""
        if name not in self._imports:
            self._read(name)
        return self._imports[name]

    def _read(self, name: str) -> None:
        path = self.path_of(name)
        assert path is not None, name
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  a Path would take twice the time
            text = file.read()
        self._digests[name] = hashlib.sha256(text).hexdigest()
        top = name.partition(".")[0]
        named = {name.rpartition(".")[0]}
        for module, names in scan_imports(text, PACKAGES if top in PACKAGES else (*PACKAGES, top)):
            named.add(module)
            if (self.path_of(module) or "").endswith("__init__.py"):
                named.update(f"{module}.{word}" for word in _words(names))
        self._imports[name] = [module for module in named if self.path_of(module) is not None]

    def path_of(self, name: str) -> str | None:
        """The file of a module; None if there is no such module."""
        if name not in self._paths:
            self._paths[name] = self._find(name)
        return self._paths[name]

    def _find(self, name: str) -> str | None:
        if name.partition(".")[0] not in PACKAGES:
            return getattr(sys.modules.get(name), "__file__", None)
        path = f"{self._root}/{name.replace('.', '/')}"
        folder, _, stem = path.rpartition("/")
        names = self._listing(folder)
        if stem in names and "__init__.py" in self._listing(path):
            return f"{path}/__init__.py"
        return f"{path}.py" if f"{stem}.py" in names else None

    def _listing(self, folder: str) -> frozenset[str]:
        """The names in a folder, listed once, because a system call for each possible file would take longer."""
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(os.listdir(folder))  # noqa: PTH208  names, not paths, are needed
            except OSError:
                self._listings[folder] = frozenset()
        return self._listings[folder]


@cache
def own_tree() -> SourceTree:
    """The running sources."""
    return SourceTree(SOURCE_ROOT)


@cache
def digest_of_module(module: str) -> str:
    """The digest of the sources that the kernels of an imported module depend on.

    A module without a file, such as a notebook, has no known state and gets a random digest.
    """
    tree = own_tree()
    return tree.digest_of(module) if tree.path_of(module) is not None else os.urandom(32).hex()
