"""Finds the machine code of an entry in the package or in the cache, or compiles it."""

from __future__ import annotations

import enum
import os
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.kernel import notices
from engine.kernel.cache import own_cache
from engine.kernel.codefile import NATIVE, Code, CodeFile, CodeFileError, Provenance, symbol_of
from engine.kernel.signature import Declaration

if TYPE_CHECKING:
    from engine.kernel.targets import Loader

SHIPPED_FOLDER = Path(__file__).parent / "shipped"
SHIPPED_SUFFIX = ".kernels"

# Entries that only the laboratory and the generator of tables call, by the beginnings of their names. The package has
# no machine code of them: compiling them would make the installation longer for all users.
_ON_DEMAND = ("engine.lab.", "eval.network.bench.", "eval.network.samples.", "eval.policy.train_cpu.", "eval.tuner.",
              "tablebase.generator.")

# For measurements: the file of machine code to use instead of the package's, or `native` to use none.
CODE_VARIABLE = "ADVERSARY_KERNELS"


class Origin(enum.Enum):
    """Where machine code came from."""

    SHIPPED = "shipped with the package"
    CACHED = "loaded from the cache"
    COMPILED = "compiled"


class LoadedCode(NamedTuple):
    """Machine code that is ready to run."""

    address: int
    results: tuple[str, ...]
    is_tuple: bool
    origin: Origin


class Shipped(NamedTuple):
    """The file of the package that fits this process, or the reason why there is none."""

    file: CodeFile | None
    reason: str | None  # None also if there are no such files at all, because the package is not installed


_compiling = threading.Lock()  # one at a time, as Numba requires; read by `is_compiling`
_loading = threading.Lock()


def is_compiling() -> bool:
    """Whether something is being compiled now, which may take a minute."""
    return _compiling.locked()


def find(entry: Declaration) -> LoadedCode:
    """The machine code of an entry, compiled if necessary."""
    code, origin = _look_up(entry)
    if code is None:
        code, origin = _compile(entry)
    with _loading:
        address = _loader().load(code.object_code, symbol_of(code.name))
    if not address:
        raise RuntimeError(f"the machine code of {entry.name} cannot be loaded")
    return LoadedCode(address, code.results, code.is_tuple, origin)


def is_shipped(name: str) -> bool:
    """Whether a package has machine code of the entry of this name; otherwise it is compiled when first needed."""
    return not name.startswith(_ON_DEMAND)


def origin_of(entry: Declaration) -> Origin | None:
    """Where the machine code of an entry comes from; None if it must be compiled."""
    code, origin = _look_up(entry)
    return origin if code is not None else None


def _look_up(entry: Declaration) -> tuple[Code | None, Origin]:
    shipped = shipped_file()
    if shipped.file is not None and shipped.file.has(entry.name, entry.signature, entry.sources):
        try:
            return shipped.file.read(entry.name), Origin.SHIPPED
        except CodeFileError as error:
            notices.notify(f"{shipped.file.path} is not used: {error}")
    cache = own_cache()  # only now: if the package has the code, problems with the cache do not matter
    code = cache.read(entry.name, entry.signature, entry.sources) if cache is not None else None
    return code, Origin.CACHED


def _compile(entry: Declaration) -> tuple[Code, Origin]:
    with _compiling:
        cache = own_cache()
        if cache is None:
            return _compile_now(entry), Origin.COMPILED
        with cache.lock(entry.name, entry.sources):
            code = cache.read(entry.name, entry.signature, entry.sources)
            if code is not None:  # another process has compiled it meanwhile
                return code, Origin.CACHED
            code = _compile_now(entry)
            cache.store(code)
        cache.tidy(entry.name)
    return code, Origin.COMPILED


def _compile_now(entry: Declaration) -> Code:
    if (reason := reason_to_compile(entry)) is not None:
        notices.notify(f"compiling: {reason}")
    from engine.kernel import compiler

    return compiler.compile_entry(entry)


def reason_to_compile(entry: Declaration) -> str | None:
    """Why an entry is compiled although the package has machine code; None if it has none for any entry."""
    shipped = shipped_file()
    file = shipped.file
    if file is not None and not is_shipped(entry.name):
        return f"{entry.name} is compiled when it is first needed, and kept"
    if file is not None and entry.name in file.names and not file.has(entry.name, entry.signature, entry.sources):
        return "the sources have changed since the package was built"
    return shipped.reason


@cache
def shipped_file() -> Shipped:
    """The machine code of this package that fits the system and the processor."""
    named = os.environ.get(CODE_VARIABLE)
    paths = [Path(named)] if named else shipped_paths()
    if named == NATIVE or (not named and not SHIPPED_FOLDER.is_dir()):
        return Shipped(None, None)
    reason = "the package has no machine code for this architecture"
    for path in paths:
        try:
            file = CodeFile(path)
        except FileNotFoundError:
            reason = f"{path} does not exist"
        except CodeFileError as error:
            reason = f"{path} is not used: {error}"
        else:
            mismatch = _mismatch(file.provenance)
            if mismatch is None:
                return Shipped(file, None)
            reason = f"{path.name} is not used: {mismatch}"
    return Shipped(None, reason)


def shipped_paths() -> list[Path]:
    """Where the package's machine code for this architecture is, the most demanding first."""
    from engine.kernel import targets

    return [SHIPPED_FOLDER / f"{baseline.name}{SHIPPED_SUFFIX}"
            for baseline in targets.baselines_of(targets.triple())]


def _mismatch(provenance: Provenance) -> str | None:
    """Why machine code of this provenance cannot run here, or None."""
    from engine.kernel import targets

    if targets.without_release(provenance.triple) != targets.without_release(targets.triple()):
        return f"it was built for {provenance.triple}"
    baseline = next((baseline for baseline in targets.BASELINES if baseline.name == provenance.baseline), None)
    if baseline is None:
        return f"{provenance.baseline} is an unknown baseline"
    if missing := targets.missing_features(baseline):
        return f"this processor has no {missing[0]}"
    return None


@cache
def _loader() -> Loader:
    from engine.kernel.targets import Loader

    return Loader()
