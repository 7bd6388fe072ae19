"""The compiler: Numba's front end, LLVM's optimiser and code generator, with some steps replaced.

By default Numba compiles each function to machine code of its own. Here inner kernels stay bitcode, and an entry is
optimised once, together with all kernels that it calls: that halves the compile time and gives faster code. Each entry
gets a C wrapper, which ctypes calls, so that the machine code needs neither Numba nor Python.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.core.typed_passes import AnnotateTypes, DumpParforDiagnostics, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import make_intrinsic_template
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)
from numba.np.arrayobj import populate_array

from engine.kernel import targets
from engine.kernel.codefile import Code, symbol_of
from engine.kernel.signature import RESULT_TYPES, ArgumentType, Declaration, int64

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# `numpy` error model: no test for division by zero. No wrappers: they would double the compile time of each kernel. No
# run-time library, and so no reference counts and no allocation: machine code must not need Numba.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
            "_nrt": False}
_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))


class _BitcodeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function, kept as bitcode, since it only ever runs as part of an entry.

    Numba would optimise it and turn it into machine code separately, and again in each kernel above it. Leaving all of
    that to the entry halves the compile time.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        """Numba sets the environment of machine code through this; bitcode needs none."""
        return SimpleNamespace(set_env=lambda name, environment: None)

    def copy_of_module(self) -> Any:
        """A copy of the module with the function and all kernels that it calls."""
        with global_compiler_lock:
            self._ensure_finalized()
        return self._final_module.clone()


class _InnerLibrary(_BitcodeLibrary):
    """The code of an inner kernel, which is inlined always or never.

    By default LLVM would inline the whole evaluation into each node function, which outgrows the instruction cache.
    """

    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(module)


# Passes for Python that kernels do not contain: `with`, closures, literal arguments, array expressions, exceptions.
# Without them the compiled code is the same, byte for byte.
_UNUSED_PASSES = {AnnotateTypes, DumpParforDiagnostics, FindLiterallyCalls, InlineClosureLikes, InlineInlinables,
                  LiteralPropagationSubPipelinePass, LiteralUnroll, MakeFunctionToJitFunction,
                  NopythonRewrites, RewriteDynamicRaises, WithLifting}


class _LibraryCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler without the unused passes, which puts the code into one of the libraries above."""

    library: type[JITCodeLibrary]

    def define_pipelines(self) -> list[PassManager]:
        """The passes that turn a kernel into bitcode."""
        pipeline = PassManager("kernel")
        for each in super().define_pipelines():
            for compiler_pass, description in each.passes:
                if compiler_pass not in _UNUSED_PASSES:
                    pipeline.add_pass(compiler_pass, description)
        pipeline.finalize()
        return [pipeline]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), "kernel")
            self.state.library.enable_object_caching()


class _EntryCompiler(_LibraryCompiler):
    library = _BitcodeLibrary


class _InnerCompiler(_LibraryCompiler):
    library = _InnerLibrary


@contextmanager
def _jit_enabled() -> Iterator[None]:
    """Within this context Numba compiles, even if the user has switched that off: kernels cannot run as Python."""
    is_disabled, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        yield
    finally:
        config.DISABLE_JIT = is_disabled


def inner_dispatcher(function: Callable[..., Any], is_inline: bool) -> Any:
    """The Numba dispatcher of an inner kernel."""
    # `forceinline` is always set: otherwise a kernel inherits it from the first caller that compiles it.
    with _jit_enabled():
        return numba.njit(pipeline_class=_InnerCompiler, forceinline=is_inline, **_OPTIONS)(function)


def type_of_intrinsic(emit: Callable[..., Any], result: ArgumentType | None, arguments: Sequence[ArgumentType]) -> Any:
    """The Numba type of an intrinsic; `emit` emits its LLVM instructions and returns their value."""
    numba_types = [argument.for_numba() for argument in arguments]
    signature = (types.void if result is None else result.for_numba())(*numba_types)

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        value = emit(builder, *values)
        return context.get_dummy_value() if value is None else value

    def define(context: Any, *given: Any) -> Any:
        return (signature, lower) if len(given) == len(arguments) else None

    # Numba infers the number of arguments from the function.
    names = ["context", *(f"argument_{number}" for number in range(len(arguments)))]
    define.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])  # type: ignore[attr-defined]
    return types.Function(make_intrinsic_template(emit, define, emit.__name__))


def type_of_late(emit: Callable[..., Any], has_result: bool, arguments: Sequence[ArgumentType]) -> Any:
    """The Numba type of an intrinsic that depends on the processor: a call of a function that `emit_object_code`
    defines.
    """
    name = f"{_LATE_PREFIX}{len(_late)}.{emit.__name__}"
    function_type = ir.FunctionType(_I64 if has_result else ir.VoidType(), [_I64] * len(arguments))
    _late[name] = function_type, emit

    def call(builder: Any, *values: Any) -> Any:
        called = builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), values)
        return called if has_result else None

    return type_of_intrinsic(call, int64 if has_result else None, arguments)


# [name]: the LLVM type of a function that is defined once the processor is known, and the emitter of its body.
_LATE_PREFIX = "late."
_late: dict[str, tuple[Any, Callable[..., Any]]] = {}


def _add_late_functions(module: Any, machine: Any) -> None:
    """Define the functions that depend on the processor of `machine`."""
    names = [function.name for function in module.functions
             if function.is_declaration and function.name.startswith(_LATE_PREFIX)]
    for name in names:
        function_type, emit = _late[name]
        definition = ir.Module(name)
        definition.triple, definition.data_layout = module.triple, module.data_layout
        function = ir.Function(definition, function_type, name)
        function.attributes.add("alwaysinline")
        builder = ir.IRBuilder(function.append_basic_block())
        value = emit(builder, machine, *function.args)
        builder.ret_void() if value is None else builder.ret(value)
        module.link_in(llvm.parse_assembly(str(definition)))
        module.get_function(name).linkage = llvm.Linkage.internal


class Bitcode(NamedTuple):
    """An entry with its C wrapper and all kernels that it calls, not optimised and not specialised for a processor."""

    name: str
    signature: str
    sources: str
    results: tuple[str, ...]
    is_tuple: bool
    code: bytes


def compile_entry(declared: Declaration) -> Code:
    """The machine code of an entry for this processor."""
    return emit_object_code(to_bitcode(declared), targets.machine(None))


def to_bitcode(declared: Declaration) -> Bitcode:
    """The bitcode of an entry, with its C wrapper."""
    argument_types = tuple(argument.for_numba() for argument in declared.arguments)
    compile_now = numba.njit(argument_types, pipeline_class=_EntryCompiler, forceinline=False, **_OPTIONS)
    with _jit_enabled(), _cached_operator_types():
        (compiled,) = compile_now(declared.function).overloads.values()
    result = compiled.signature.return_type
    module = compiled.library.copy_of_module()
    module.link_in(llvm.parse_assembly(str(_c_wrapper(declared, compiled, result))))
    for value in (*module.functions, *module.global_variables):
        # Numba gives kernels a linkage that lets other libraries replace them, which prevents optimisation across
        # kernels: LLVM could not infer that a kernel never fails, ignores an argument or leaves memory unchanged.
        if not value.is_declaration and value.name != symbol_of(declared.name):
            value.linkage = llvm.Linkage.internal
    is_tuple = isinstance(result, types.BaseTuple)
    parts = tuple(result) if is_tuple else () if result is types.none else (result,)
    names = tuple(str(part) for part in parts)
    if not RESULT_TYPES.issuperset(names):
        raise TypeError(f"{declared.name} returns {result}: entries return {', '.join(sorted(RESULT_TYPES))}")
    return Bitcode(declared.name, declared.signature, declared.sources, names, is_tuple, module.as_bitcode())


def _c_wrapper(declared: Declaration, compiled: Any, result: Any) -> ir.Module:
    """The C wrapper of an entry: takes arguments as in `signature`, then the address for the results.

    Returns 0, or another number if the entry failed.
    """
    context, argument_types = cpu_target.target_context, compiled.signature.args
    carriers = [_I8.as_pointer() if carrier is ctypes.c_void_p else _I64 for argument in declared.arguments
                for carrier in argument.carriers]
    module = ir.Module(symbol_of(declared.name))
    module.triple, module.data_layout = targets.triple(), str(context.target_data)
    wrapper = ir.Function(module, ir.FunctionType(_I32, [*carriers, _I64.as_pointer()]), symbol_of(declared.name))
    builder = ir.IRBuilder(wrapper.append_basic_block())
    given = iter(wrapper.args)
    values = [_argument_value(context, builder, numba_type, given) for numba_type in argument_types]
    (result_pointer,) = given
    function_type = context.call_conv.get_function_type(result, argument_types)
    entry = ir.Function(module, function_type, compiled.fndesc.llvm_func_name)
    status, value = context.call_conv.call_function(builder, entry, result, argument_types, values)
    parts = cgutils.unpack_tuple(builder, value) if isinstance(result, types.BaseTuple) else [value]
    for number, part in enumerate(parts if result is not types.none else []):
        _store_result(builder, part, builder.gep(result_pointer, [_I64(number)]))
    builder.ret(builder.zext(status.is_error, _I32))
    return module


def _argument_value(context: Any, builder: Any, numba_type: Any, given: Iterator[Any]) -> Any:
    """An argument as Numba expects it, built from its carriers, the next of `given`."""
    value = next(given)
    if isinstance(numba_type, types.Record):
        return builder.bitcast(value, context.get_value_type(numba_type))
    if isinstance(numba_type, types.Array):
        array, cell = context.make_array(numba_type)(context, builder), context.get_data_type(numba_type.dtype)
        size = _I64(context.get_abi_sizeof(cell))
        data = builder.bitcast(value, cell.as_pointer())
        populate_array(array, data, [next(given)], [size], size, None)  # memory that Numba does not own
        return array._getvalue()  # noqa: SLF001
    return value


def _store_result(builder: Any, value: Any, result_pointer: Any) -> None:
    """Store a result in eight bytes."""
    if isinstance(value.type, ir.IntType):
        value = value if value.type.width == _I64.width else builder.zext(value, _I64)
    builder.store(value, builder.bitcast(result_pointer, value.type.as_pointer()))


def specialize(bitcode: Bitcode, machine: Any) -> Bitcode:
    """Specialise bitcode for the processor of `machine`; generating code from it then needs no sources."""
    return bitcode._replace(code=_specialized_module(bitcode, machine).as_bitcode())


def _specialized_module(bitcode: Bitcode, machine: Any) -> Any:
    module = llvm.parse_bitcode(bitcode.code)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    _add_late_functions(module, machine)
    return module


def emit_object_code(bitcode: Bitcode, machine: Any) -> Code:
    """The machine code of an entry for the processor of `machine`."""
    module = _specialized_module(bitcode, machine)
    # Numba would optimise twice, to remove reference counts, of which there are none here. Unrolling and vectorising
    # pay off in long loops; those of kernels are over a few moves or pieces, and their code must stay small.
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_unrolling = options.loop_interleaving = False
    options.loop_vectorization = options.slp_vectorization = False
    settings = llvm.create_pass_builder(machine, options)
    settings.getModulePassManager().run(module, settings)
    module.verify()
    unknown = {function.name for function in module.functions if function.is_declaration
               and not function.name.startswith("llvm.")} - targets.RUNTIME_SYMBOLS
    if any(value.is_declaration for value in module.global_variables):
        raise TypeError(f"{bitcode.name} contains mutually recursive kernels, which Numba cannot link")
    if unknown:
        raise TypeError(f"{bitcode.name} calls {', '.join(sorted(unknown))}, which cannot be found when it is loaded")
    return Code(bitcode.name, bitcode.signature, bitcode.sources, bitcode.results, bitcode.is_tuple,
                machine.emit_object(module))


_PLAIN_TYPES = (types.Integer, types.Boolean, types.Array, types.Record, types.BaseTuple)


@contextmanager
def _cached_operator_types() -> Iterator[None]:
    """While the context is open, Numba resolves each operator only once per combination of argument types.

    Otherwise it tries dozens of overloads, including those for sets and dates, for every `+` and every index in a
    kernel, which takes a third of the compile time. Calls with other types are resolved as usual, since an overload may
    depend on the value of a constant.
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

    with global_compiler_lock:
        BaseFunction.get_call_type = get_call_type  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            BaseFunction.get_call_type = resolve  # type: ignore[method-assign]
