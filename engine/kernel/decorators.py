"""The three decorators of the project's kernels, and the entry points that they make."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from engine.kernel.cache import CACHE_FOLDER, PACKAGES
from engine.kernel.compiler import EntryCompiler, InnerCompiler, InnerDispatcher, remember_operators

P = ParamSpec("P")
R = TypeVar("R")

_WITHOUT_KERNELS = ("engine.commands", "engine.__main__")

# `numpy` error model: no test for division by zero. No wrappers: they would double the compile time of each kernel.
_ENTRY_OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy"}
# `forceinline` is always said: unsaid, a kernel takes it over from whichever caller compiles it first.
_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
                   "forceinline": False}
_INLINE_OPTIONS = {**_KERNEL_OPTIONS, "forceinline": True}

numba.config.CACHE_DIR = str(CACHE_FOLDER)  # before the first decorator runs
remember_operators()

int64, uint64 = types.int64, types.uint64  # for the argument types of entries

Int = int | np.int64  # what Python hands to a kernel for an int64, and gets back


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a record that kernels take as one pointer; its fields are attributes in Python and in kernels."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """How a record of `dtype` is named in an entry's argument types."""
    return numba.from_dtype(dtype)


def array_type(code: str) -> Any:
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
        decorate = numba.njit(self._argument_types, pipeline_class=EntryCompiler, **_ENTRY_OPTIONS)
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


def _compile_inner(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    dispatcher = numba.njit(pipeline_class=InnerCompiler, **options)(function)
    dispatcher.__class__ = InnerDispatcher
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

