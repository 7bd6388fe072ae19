"""Single machine instructions for which Python has no operator."""

from __future__ import annotations

from typing import Any

from engine.kernel.decorators import Intrinsic, intrinsic
from engine.kernel.signature import ArgumentType, Record, int64, uint64
from engine.system import host


def _int(bits: int) -> Any:
    from llvmlite import ir

    return ir.IntType(bits)


def _pointer(builder: Any, address: Any, bits: int) -> Any:
    return builder.inttoptr(address, _int(bits).as_pointer())


def _declare(builder: Any, symbol: str, result: Any, arguments: list[Any]) -> Any:
    """The function of that name, declared once per module."""
    from llvmlite import ir

    known = builder.module.globals.get(symbol)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), symbol)


@intrinsic(int64, uint64)
def lsb(builder: Any, bits: Any) -> Any:
    """Index of the lowest set bit of a uint64; undefined for 0."""
    return builder.cttz(bits, _int(1)(1))


@intrinsic(int64, uint64)
def popcount(builder: Any, bits: Any) -> Any:
    """How many bits of a uint64 are set."""
    return builder.ctpop(bits)


@intrinsic(uint64, uint64)
def byteswap(builder: Any, bits: Any) -> Any:
    """A uint64 with its bytes in the opposite order: the board upside down."""
    return builder.bswap(bits)


@intrinsic(int64)
def perf_counter_ns(builder: Any) -> Any:
    """The same clock as `time.perf_counter_ns`; about 30 ns per call."""
    return host.emit_clock_read(builder)


@intrinsic(int64, int64)
def load_atomic(builder: Any, address: Any) -> Any:
    """The int64 at an address, read again each time: a plain load of a stop flag would be moved out of the loop."""
    return builder.load_atomic(_pointer(builder, address, 64), "monotonic", 8)


@intrinsic(uint64, int64)
def load_word(builder: Any, address: Any) -> Any:
    """The uint64 at an address, read atomically."""
    return builder.load_atomic(_pointer(builder, address, 64), "monotonic", 8)


@intrinsic(None, int64, uint64)
def store_word(builder: Any, address: Any, word: Any) -> None:
    """Write a uint64 to an address atomically."""
    builder.store_atomic(word, _pointer(builder, address, 64), "monotonic", 8)


@intrinsic(None, int64)
def prefetch(builder: Any, address: Any) -> None:
    """Prefetch the cache line at an address that will be read soon."""
    from llvmlite import ir

    pointer, i32 = _int(8).as_pointer(), _int(32)
    fetch = _declare(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, i32, i32, i32])
    read, keep, data = i32(0), i32(3), i32(1)
    builder.call(fetch, [builder.inttoptr(address, pointer), read, keep, data])


def _adder(bits: int, doc: str) -> Intrinsic:
    def add(builder: Any, address: Any, value: Any) -> Any:
        int_type = _int(bits)
        value = value if bits == 64 else builder.trunc(value, int_type)
        old = builder.atomic_rmw("add", _pointer(builder, address, bits), value, "monotonic")
        return old if bits == 64 else builder.sext(old, _int(64))

    add.__doc__ = doc
    return Intrinsic(add, int64, (int64, int64))


add_atomic_i32 = _adder(32, "Add to the int32 at an address atomically; returns its old value.")
add_atomic_i64 = _adder(64, "Add to the int64 at an address atomically; returns its old value.")


@intrinsic(int64, int64)
def load_acquire(builder: Any, address: Any) -> Any:
    """The int64 at an address; what was written before `store_release` stored it can be read after this.

    Without that a processor may read in a different order from the program's: aarch64 does, x86-64 does not.
    """
    return builder.load_atomic(_pointer(builder, address, 64), "acquire", 8)


@intrinsic(None, int64, int64)
def store_release(builder: Any, address: Any, value: Any) -> None:
    """Write an int64 to an address after everything written before."""
    builder.store_atomic(value, _pointer(builder, address, 64), "release", 8)


@intrinsic(int64, int64)
def load_acquire_i32(builder: Any, address: Any) -> Any:
    """The int32 at an address; what was written before `store_release_i32` stored it can be read after this."""
    return builder.sext(builder.load_atomic(_pointer(builder, address, 32), "acquire", 4), _int(64))


@intrinsic(None, int64, int64)
def store_release_i32(builder: Any, address: Any, value: Any) -> None:
    """Write an int32 to an address after everything written before."""
    builder.store_atomic(builder.trunc(value, _int(32)), _pointer(builder, address, 32), "release", 4)


@intrinsic(int64, uint64, uint64)
def multiply_high(builder: Any, left: Any, right: Any) -> Any:
    """The upper 64 bits of the product of two uint64: maps a key evenly to 0 .. right - 1."""
    i128 = _int(128)
    product = builder.mul(builder.zext(left, i128), builder.zext(right, i128))
    return builder.trunc(builder.lshr(product, i128(64)), _int(64))


def _loader(bits: int, doc: str) -> Intrinsic:
    def load(builder: Any, address: Any) -> Any:
        return builder.zext(builder.load(_pointer(builder, address, bits), align=1), _int(64))

    load.__doc__ = doc
    return Intrinsic(load, int64, (int64,))


def _storer(bits: int, doc: str) -> Intrinsic:
    def store(builder: Any, address: Any, value: Any) -> None:
        builder.store(builder.trunc(value, _int(bits)), _pointer(builder, address, bits))

    store.__doc__ = doc
    return Intrinsic(store, None, (int64, int64))


load_u8 = _loader(8, "The byte at an address.")
load_u16 = _loader(16, "The two bytes at an address, the low one first.")
load_u32 = _loader(32, "The four bytes at an address, the lowest first.")
store_u8 = _storer(8, "Write a byte to an address.")
store_u16 = _storer(16, "Write two bytes to an even address.")


def stack_memory(size: int) -> Intrinsic:
    """An intrinsic that returns the address of `size` bytes on the stack of the kernel that calls it.

    They begin at a multiple of 64, hold anything at first, and are gone when the kernel returns.
    """

    def stack_address(builder: Any) -> Any:
        from llvmlite import ir

        with builder.goto_entry_block():
            memory = builder.alloca(ir.ArrayType(_int(8), size))
        memory.align = 64
        return builder.ptrtoint(memory, _int(64))

    return Intrinsic(stack_address, int64, ())


def record_reader(record: Record) -> Intrinsic:
    """An intrinsic that returns the record of this type at an address."""

    def record_at(builder: Any, address: Any) -> Any:
        from llvmlite import ir

        return builder.inttoptr(address, ir.ArrayType(_int(8), record.dtype.itemsize).as_pointer())

    return Intrinsic(record_at, record, (int64,))


def address_reader(record: Record) -> Intrinsic:
    """An intrinsic that returns the address of a record of this type."""

    def address_of(builder: Any, value: Any) -> Any:
        return builder.ptrtoint(value, _int(64))

    return Intrinsic(address_of, int64, (record,))


def function_at(*arguments: ArgumentType) -> Intrinsic:
    """An intrinsic that calls an entry by its address, with these arguments, and returns its int64.

    A kernel of another entry that called it by name would be compiled with its own copy of it.
    """

    def call_at(builder: Any, address: Any, *values: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils

        result = cgutils.alloca_once(builder, _int(64))
        values = (*values, result)
        function_type = ir.FunctionType(_int(32), [value.type for value in values])
        builder.call(builder.inttoptr(address, function_type.as_pointer()), values)
        return builder.load(result)

    return Intrinsic(call_at, int64, (int64, *arguments))
