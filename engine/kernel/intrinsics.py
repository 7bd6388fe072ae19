"""Single machine instructions that Python has no operator for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from engine import host

_I1, _I8, _I32, _I64, _I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))


@intrinsic
def lsb(typingctx: Any, bits: Any) -> Any:
    """Index of the lowest set bit of a uint64; undefined for 0."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], _I1(1))

    return types.int64(types.uint64), emit


@intrinsic
def popcount(typingctx: Any, bits: Any) -> Any:
    """How many bits of a uint64 are set."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), emit


@intrinsic
def byteswap(typingctx: Any, bits: Any) -> Any:
    """A uint64 with its bytes in the opposite order: the board upside down."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return types.uint64(types.uint64), emit


@intrinsic
def perf_counter_ns(typingctx: Any) -> Any:
    """The same clock as `time.perf_counter_ns`; about 30 ns a call."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return host.emit_clock_read(builder)

    return types.int64(), emit


@intrinsic
def load_atomic(typingctx: Any, address: Any) -> Any:
    """The int64 at an address, read anew each time: a plain load of a stop flag would be moved out of the loop."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(args[0], _I64.as_pointer()), "monotonic", 8)

    return types.int64(types.int64), emit


@intrinsic
def load_word(typingctx: Any, address: Any) -> Any:
    """The uint64 at an address, read once and whole, whoever writes to it meanwhile."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(args[0], _I64.as_pointer()), "monotonic", 8)

    return types.uint64(types.int64), emit


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """Begin to fetch the cache line at an address that will be read soon."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _I8.as_pointer()
        function_type = ir.FunctionType(ir.VoidType(), [pointer, _I32, _I32, _I32])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
        read, keep, data = _I32(0), _I32(3), _I32(1)
        builder.call(function, [builder.inttoptr(args[0], pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), emit


@intrinsic
def store_word(typingctx: Any, address: Any, word: Any) -> Any:
    """Write a uint64 to an address, whole, whoever reads it meanwhile."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[1], builder.inttoptr(args[0], _I64.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), emit


def _adder(bits: int, doc: str) -> Any:
    def add(typingctx: Any, address: Any, value: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            value = args[1] if bits == 64 else builder.trunc(args[1], kind)
            old = builder.atomic_rmw("add", builder.inttoptr(args[0], kind.as_pointer()), value, "monotonic")
            return old if bits == 64 else builder.sext(old, _I64)

        return types.int64(types.int64, types.int64), emit

    add.__doc__ = doc
    return intrinsic(add)


add_atomic_i32 = _adder(32, "Add to the int32 at an address, whoever else does meanwhile; returns what it was.")
add_atomic_i64 = _adder(64, "Add to the int64 at an address, whoever else does meanwhile; returns what it was.")


@intrinsic
def load_acquire_i32(typingctx: Any, address: Any) -> Any:
    """The int32 at an address; what was written before `store_release_i32` put it there can be read after this."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.sext(builder.load_atomic(builder.inttoptr(args[0], _I32.as_pointer()), "acquire", 4), _I64)

    return types.int64(types.int64), emit


@intrinsic
def store_release_i32(typingctx: Any, address: Any, value: Any) -> Any:
    """Write an int32 to an address, after all that was written before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.trunc(args[1], _I32)
        builder.store_atomic(value, builder.inttoptr(args[0], _I32.as_pointer()), "release", 4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), emit


@intrinsic
def call_search(typingctx: Any, address: Any, position: Any, state: Any, depth: Any, alpha: Any, beta: Any,
                ply: Any) -> Any:
    """What `search_from` returns, called by the address of its machine code.

    A kernel of another entry that called it by name would be compiled with a copy of the whole search.
    """
    arguments = (position, state, types.int64, types.int64, types.int64, types.int64)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = context.call_conv.get_function_type(types.int64, arguments)
        function = builder.inttoptr(args[0], function_type.as_pointer())
        _, result = context.call_conv.call_function(builder, function, types.int64, arguments, args[1:])
        return result

    return types.int64(types.int64, *arguments), emit


@intrinsic
def multiply_high(typingctx: Any, left: Any, right: Any) -> Any:
    """The upper 64 bits of the product of two uint64: maps a key evenly to 0 .. right - 1."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        product = builder.mul(builder.zext(args[0], _I128), builder.zext(args[1], _I128))
        return builder.trunc(builder.lshr(product, _I128(64)), _I64)

    return types.int64(types.uint64, types.uint64), emit


def _loader(bits: int, doc: str) -> Any:
    def load(typingctx: Any, address: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            return builder.zext(builder.load(pointer, align=1), _I64)

        return types.int64(types.int64), emit

    load.__doc__ = doc
    return intrinsic(load)


def _storer(bits: int, doc: str) -> Any:
    def store(typingctx: Any, address: Any, value: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            builder.store(builder.trunc(args[1], kind), builder.inttoptr(args[0], kind.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), emit

    store.__doc__ = doc
    return intrinsic(store)


load_u8 = _loader(8, "The byte at an address.")
load_u16 = _loader(16, "The two bytes at an address, the low one first.")
load_u32 = _loader(32, "The four bytes at an address, the lowest first.")
store_u8 = _storer(8, "Write a byte to an address.")
store_u16 = _storer(16, "Write two bytes to an even address.")


def record_reader(record: Any) -> Any:
    """A kernel that takes the record of this type which lies at an address."""

    @intrinsic
    def record_at(typingctx: Any, address: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), emit

    return record_at
