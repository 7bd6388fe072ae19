"""What differs between operating systems, in one place.

Everything else in the project is written against these few names. Standard library only at import time, because the
UCI handshake is answered before Numba is loaded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

IS_WINDOWS = sys.platform == "win32"
IS_MACOS = sys.platform == "darwin"

# The status a shell expects from a program that the user interrupted.
INTERRUPTED_STATUS = 0xC000013A if IS_WINDOWS else 130

# clock_gettime's number for a clock that never jumps; POSIX names it but leaves the number to each system.
_CLOCK_MONOTONIC = 6 if IS_MACOS else 1
_NANOSECONDS = 1_000_000_000


def user_cache_folder() -> Path:
    """The folder in which this user's programs keep what they can make again."""
    if IS_WINDOWS:
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if IS_MACOS:
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def emit_clock_read(builder: Any) -> Any:
    """Emit LLVM instructions that read a monotonic clock; returns the value, an i64 of nanoseconds.

    The clock is called by its symbol's name: an address (as ctypes gives) could not be kept in the compile cache.
    """
    return _emit_performance_counter(builder) if IS_WINDOWS else _emit_clock_gettime(builder)


def _emit_clock_gettime(builder: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils

    i32, i64 = ir.IntType(32), ir.IntType(64)
    timespec = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
    signature = ir.FunctionType(i32, [i32, timespec.type])
    clock = cgutils.get_or_insert_function(builder.module, signature, "clock_gettime")
    builder.call(clock, [i32(_CLOCK_MONOTONIC), timespec])
    seconds = builder.load(cgutils.gep_inbounds(builder, timespec, 0, 0))
    nanoseconds = builder.load(cgutils.gep_inbounds(builder, timespec, 0, 1))
    return builder.add(builder.mul(seconds, i64(_NANOSECONDS)), nanoseconds)


def _emit_performance_counter(builder: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils

    i32, i64 = ir.IntType(32), ir.IntType(64)
    signature = ir.FunctionType(i32, [i64.as_pointer()])

    def read(symbol: str) -> Any:
        cell = cgutils.alloca_once(builder, i64)
        builder.call(cgutils.get_or_insert_function(builder.module, signature, symbol), [cell])
        return builder.load(cell)

    ticks, frequency = read("QueryPerformanceCounter"), read("QueryPerformanceFrequency")
    # Whole seconds and the rest apart: ticks times a thousand million would overflow within hours.
    seconds, rest = builder.udiv(ticks, frequency), builder.urem(ticks, frequency)
    nanoseconds = builder.udiv(builder.mul(rest, i64(_NANOSECONDS)), frequency)
    return builder.add(builder.mul(seconds, i64(_NANOSECONDS)), nanoseconds)
