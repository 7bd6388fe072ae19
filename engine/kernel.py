"""The one door to the compiler: the three decorators, the compile cache and the list of entry points.

A kernel is a function that Numba compiles. There are three sorts, and no other set of jit options in the project:

- `entry`: called from Python, with its argument types written down; compiled, or loaded, at its first call.
- `kernel`: called by other kernels only.
- `inline`: the same, and always expanded where it is called: bit twiddling, make and unmake.

Only entries are cached. Numba's cache looks at the file of the entry alone, so a change in a kernel of another file
would leave stale machine code behind: the cache folder is therefore named by a digest of every source file.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import os
import pkgutil
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import binding as llvm
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.types.functions import BaseFunction

from engine import host

P = ParamSpec("P")
R = TypeVar("R")

PACKAGES = ("engine", "eval", "book", "tablebase")
CACHE_VARIABLE = "ADVERSARY_CACHE"
DIGESTS_KEPT = 4

_WITHOUT_KERNELS = ("engine.commands", "engine.__main__")

# `numpy` error model: no test for division by zero. No wrappers: they would double the compile time of each kernel.
_ENTRY_OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy"}
# `forceinline` is always said: unsaid, a kernel takes it over from whichever caller compiles it first.
_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
                   "forceinline": False}
_INLINE_OPTIONS = {**_KERNEL_OPTIONS, "forceinline": True}

int64, uint64 = types.int64, types.uint64  # for the argument types of entries

Int = int | np.int64  # what Python hands to a kernel for an int64, and gets back


def source_files(root: Path) -> list[Path]:
    """Every Python file of the project's packages below `root`, in a fixed order."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def source_digest(root: Path) -> str:
    """A name for the state of all sources below `root`, of Numba and of Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in source_files(root):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def cache_home() -> Path:
    """The folder that holds one cache folder a digest: ADVERSARY_CACHE, or a part of the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else host.user_cache_folder() / "adversary"


def open_cache(digest: str) -> Path:
    """Create (or find) the cache folder of `digest`, mark it as just used, and return it.

    Old digests are removed. When there is no place to write to, a temporary folder serves until the process ends.
    """
    try:
        home = cache_home()
        folder = home / digest
        folder.mkdir(parents=True, exist_ok=True)
        # Writing a file is the only test that tells the truth about permissions, full disks and read-only mounts.
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except (OSError, RuntimeError) as error:  # the second where the user has no home
        print(f"warning: cannot write the compile cache ({error}); compiling into a temporary folder, "
              "which takes longer at every start", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix="adversary-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder
    remove_old_digests(home, keep=DIGESTS_KEPT)
    return folder


def remove_old_digests(home: Path, keep: int) -> None:
    """Remove all but the `keep` most recently used digest folders of `home`; another process may do so too."""
    with contextlib.suppress(OSError):
        folders = [entry for entry in home.iterdir() if entry.is_dir() and _is_digest(entry.name)]
        folders.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in folders[keep:]:
            shutil.rmtree(folder, ignore_errors=True)


def _is_digest(name: str) -> bool:
    return len(name) == 16 and all(letter in "0123456789abcdef" for letter in name)


SOURCE_ROOT = Path(__file__).resolve().parent.parent
CACHE_FOLDER = open_cache(source_digest(SOURCE_ROOT))
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # before the first decorator runs


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a record that kernels take as one pointer; its fields are attributes in Python and in kernels."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """How a record of `dtype` is named in an entry's argument types."""
    return numba.from_dtype(dtype)


def array_type(code: str | np.dtype[Any]) -> Any:
    """How an array of one dimension, without gaps, is named in an entry's argument types; `code` as in NumPy."""
    return types.Array(numba.from_dtype(np.dtype(code)), 1, "C")


class EntryPoint(Generic[P, R]):
    """A kernel that Python may call; compiled, or loaded from the cache, when it is first needed."""

    def __init__(self, function: Callable[P, R], argument_types: tuple[Any, ...]) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.__doc__ = function.__doc__
        self._argument_types = argument_types
        self._compiled: Any = None
        self._lock = threading.Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        compiled = self._compiled or self.load()
        result: R = compiled(*args, **kwargs)
        return result

    def load(self) -> Any:
        """Make the machine code ready; the work is done once, whichever thread asks first."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._compile()
            return self._compiled

    def _compile(self) -> Any:
        decorate = numba.njit(self._argument_types, pipeline_class=_EntryCompiler, **_ENTRY_OPTIONS)
        try:
            return decorate(self.function)
        except NumbaError:
            raise
        except Exception as error:  # noqa: BLE001  a damaged cache file may raise anything
            print(f"warning: the compile cache {CACHE_FOLDER} is damaged ({error!r}); compiling anew", file=sys.stderr)
            shutil.rmtree(CACHE_FOLDER, ignore_errors=True)
            CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
            return decorate(self.function)

    @property
    def address(self) -> int:
        """Where the machine code begins, for kernels that call it without having a copy of their own."""
        (compiled,) = self.load().overloads.values()
        address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        return address

    @property
    def was_cached(self) -> bool:
        """Whether `load` found the machine code in the cache."""
        return bool(self.load().stats.cache_hits)


ENTRY_POINTS: list[EntryPoint[Any, Any]] = []


def entry(*argument_types: Any) -> Callable[[Callable[P, R]], EntryPoint[P, R]]:
    """Decorate a kernel that Python calls; the types are those of the arguments, the result's is inferred."""

    def decorate(function: Callable[P, R]) -> EntryPoint[P, R]:
        point = EntryPoint(function, argument_types)
        ENTRY_POINTS.append(point)
        return point

    return decorate


class _BitcodeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an inner kernel: kept as bitcode, for it only ever runs as a part of some entry.

    Numba would optimise it and turn it into machine code by itself, and again in each kernel above it. Leaving all of
    that to the entry halves the compile time.
    """

    def add_ir_module(self, module: Any) -> None:
        """Take the code, and settle where it goes: what is not always expanded is never expanded.

        Left to itself LLVM puts the whole evaluation into each node function, which outgrows the instruction cache.
        """
        for function in module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(module)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        """What Numba asks for to tell the machine code where its environment is: there is no machine code to tell."""
        return SimpleNamespace(set_env=lambda name, environment: None)


class _EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry, with all kernels below it, and nothing that anybody else could call.

    Numba links kernels so that another library could replace them, which keeps LLVM from drawing conclusions across
    their borders: that no kernel fails, which arguments it does not use, what it leaves alone.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal
        # Numba would optimise twice, to get rid of reference counts, of which there are none here. Unrolling and
        # vectors pay off in long loops; a kernel's are over a few moves or pieces, and its code must stay small.
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_unrolling = options.loop_interleaving = False
        options.loop_vectorization = options.slp_vectorization = False
        settings = llvm.create_pass_builder(self._codegen._tm, options)  # noqa: SLF001
        settings.getModulePassManager().run(self._final_module, settings)


class _LibraryCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, putting the code into a library of ours."""

    library: type[JITCodeLibrary]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), "kernel")
            self.state.library.enable_object_caching()


class _EntryCompiler(_LibraryCompiler):
    library = _EntryLibrary


class _InnerCompiler(_LibraryCompiler):
    library = _BitcodeLibrary


class _InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel without a door for Python: called from there it runs as plain Python instead of crashing the process."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.py_func(*args, **kwargs)


_PLAIN_TYPES = (types.Integer, types.Boolean, types.Array, types.Record, types.BaseTuple)


def _remember_operators() -> None:
    """Let Numba ask only once what an operator makes of values of given types.

    It would go through dozens of overloads, those for sets and dates among them, for each `+` and each index in a
    kernel: a third of all compile time, by a profiler.
    """
    resolve = BaseFunction.get_call_type

    def get_call_type(function: Any, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        plain = tuple(types.unliteral(arg) for arg in args)
        if kws or not all(isinstance(arg, _PLAIN_TYPES) for arg in plain):
            return resolve(function, context, args, kws)
        known = function.__dict__.setdefault("known_call_types", {})
        if plain not in known:
            known[plain] = resolve(function, context, plain, kws)
        return known[plain]

    BaseFunction.get_call_type = get_call_type  # type: ignore[assignment, method-assign]


_remember_operators()


def _compile_inner(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    dispatcher = numba.njit(pipeline_class=_InnerCompiler, **options)(function)
    dispatcher.__class__ = _InnerDispatcher
    inner: Callable[P, R] = dispatcher
    return inner


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that only other kernels call."""
    return _compile_inner(function, _KERNEL_OPTIONS)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a small function that is expanded wherever a kernel calls it."""
    return _compile_inner(function, _INLINE_OPTIONS)


def import_all() -> None:
    """Import every module that may declare an entry point, so that ENTRY_POINTS is complete."""
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if not module.name.startswith(_WITHOUT_KERNELS):
                importlib.import_module(module.name)

