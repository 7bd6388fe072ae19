"""What is changed in Numba's compiler, and why: half the compile time, and faster code.

Inner kernels are kept as bitcode and optimised once, as parts of the entries that use them; within an entry nothing can
be replaced from outside, so that LLVM may draw conclusions across the borders of kernels; and what an operator makes of
values of given types is asked only once.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from llvmlite import binding as llvm
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.types.functions import BaseFunction


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


class EntryCompiler(_LibraryCompiler):
    library = _EntryLibrary


class InnerCompiler(_LibraryCompiler):
    library = _BitcodeLibrary


class InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel without a door for Python: called from there it runs as plain Python instead of crashing the process."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.py_func(*args, **kwargs)


_PLAIN_TYPES = (types.Integer, types.Boolean, types.Array, types.Record, types.BaseTuple)


def remember_operators() -> None:
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
