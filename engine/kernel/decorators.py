"""The decorators of the project's kernels, and what they turn functions into.

None of them imports Numba: `compiler` does that, when something has to be compiled.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from engine.kernel import library
from engine.kernel.library import Origin
from engine.kernel.signature import ArgumentType, Declaration, bind
from engine.kernel.sources import all_sources
from engine.system.packages import PACKAGES, SOURCE_ROOT

P = ParamSpec("P")
R = TypeVar("R")


class EntryPoint(Generic[P, R]):
    """A kernel that Python can call; its machine code is loaded, or compiled, when it is first needed."""

    def __init__(self, function: Callable[P, R], arguments: tuple[ArgumentType, ...]) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.declaration = Declaration(self.name, function, arguments)
        self.origin: Origin | None = None  # where the machine code came from, once it is loaded
        self._call: Callable[P, R] | None = None
        self._address = 0
        self._lock = threading.Lock()
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._call is None:
            self.load()
        assert self._call is not None
        return self._call(*args, **kwargs)

    def load(self) -> None:
        """Load or compile the machine code; this is done only once, by whichever thread is first."""
        with self._lock:
            if self._call is None:
                found = library.find(self.declaration)
                self._address, self.origin = found.address, found.origin
                self._call = bind(found.address, self.declaration.arguments, found.results, found.is_tuple)

    @property
    def address(self) -> int:
        """The address of the machine code, for kernels that call it by `intrinsics.function_at`."""
        self.load()
        return self._address


ENTRY_POINTS: list[EntryPoint[Any, Any]] = []


def entry(*arguments: ArgumentType) -> Callable[[Callable[P, R]], EntryPoint[P, R]]:
    """Decorate a kernel that Python calls; the types are those of the arguments, and that of the result is inferred."""

    def decorate(function: Callable[P, R]) -> EntryPoint[P, R]:
        if "<locals>" in function.__qualname__:
            raise TypeError(f"{function.__qualname__} is a local function: its machine code could not be found by name")
        point = EntryPoint(function, arguments)
        ENTRY_POINTS.append(point)
        return point

    return decorate


def import_all() -> list[EntryPoint[Any, Any]]:
    """Import every module of the project that declares entries; returns them all."""
    for path in all_sources(SOURCE_ROOT):
        if "\n@entry(" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts))
    return [point for point in ENTRY_POINTS if point.name.partition(".")[0] in PACKAGES]


class InnerKernel:
    """A function that only other kernels call; called from Python, it is a plain function."""

    def __init__(self, function: Callable[..., Any], is_inline: bool) -> None:
        self.function, self.is_inline = function, is_inline
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @functools.cached_property
    def _dispatcher(self) -> Any:
        from engine.kernel import compiler

        return compiler.inner_dispatcher(self.function, self.is_inline)

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks for when it encounters this in a kernel."""
        return self._dispatcher._numba_type_


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that only other kernels call."""
    return InnerKernel(function, is_inline=False)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a small function that is inlined wherever a kernel calls it."""
    return InnerKernel(function, is_inline=True)


class Intrinsic:
    """A sequence of machine instructions that kernels call like a function, and Python cannot."""

    def __init__(self, emit: Callable[..., Any], result: ArgumentType | None,
                 arguments: tuple[ArgumentType, ...]) -> None:
        self.emit, self.result, self.arguments = emit, result, arguments
        functools.update_wrapper(self, emit)

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError(f"{self.emit.__name__} is for kernels only")

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from engine.kernel import compiler

        return compiler.type_of_intrinsic(self.emit, self.result, self.arguments)


class LateIntrinsic(Intrinsic):
    """An intrinsic whose instructions depend on the processor: `emit(builder, machine, *values)` gets LLVM's back end.

    Its arguments are int64, and so is its result, if it has one.
    """

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from engine.kernel import compiler

        return compiler.type_of_late(self.emit, self.result is not None, self.arguments)


def intrinsic(result: ArgumentType | None, *arguments: ArgumentType) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function that emits machine instructions; the types are those of the result and of the arguments.

    `emit(builder, *values)` gets an llvmlite IRBuilder and the arguments as LLVM values, and returns the result as one,
    or None if there is none. It imports llvmlite itself, since it is called only when something is compiled.
    """
    return lambda emit: Intrinsic(emit, result, arguments)
