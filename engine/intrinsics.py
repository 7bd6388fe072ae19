"""Single machine instructions that Python has no operator for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine import host

_I1 = ir.IntType(1)


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
def monotonic_ns(typingctx: Any) -> Any:
    """Nanoseconds of a clock that never jumps; about 30 ns a call."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return host.emit_clock_read(builder)

    return types.int64(), emit
