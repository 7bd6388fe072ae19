"""Everything that differs between operating systems.

The rest of the project uses only these names. Imports only the standard library at load time, because the UCI
handshake is answered before Numba is loaded.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

IS_WINDOWS = sys.platform == "win32"
IS_MACOS = sys.platform == "darwin"

# The status a shell expects from a program that the user interrupted.
INTERRUPTED_STATUS = -0x3FFF_FEC6 if IS_WINDOWS else 130  # Windows: STATUS_CONTROL_C_EXIT

# clock_gettime's number for the clock that Python calls `time.perf_counter`: CLOCK_UPTIME_RAW or CLOCK_MONOTONIC.
_PERF_COUNTER_CLOCK = 8 if IS_MACOS else 1
_NANOSECONDS = 1_000_000_000

_WINDOWS_DOT_PRODUCTS = 43  # PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
_AT_HWCAP, _HWCAP_DOT_PRODUCTS = 16, 1 << 20  # in Linux's list of what an ARM processor can do

# Linux's number of the system call sched_setattr; glibc has had a function for it only since 2.41.
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "arm64": 274, "riscv64": 274}
_SCHED_ATTRIBUTES = "=IIQiIQQQ"  # size, policy, flags, nice, priority, runtime, deadline, period
_SHORT_SLICE = 100_000  # nanoseconds, the least that Linux grants

_HUGE_PAGE = 1 << 21
_ROOT = 0  # the user id of root


def usable_cores() -> int:
    """How many processors this process may use: `taskset` or a container may grant it fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def request_short_slices() -> bool:
    """Ask the scheduler for short slices of processor time, in this thread and those that it starts; False if refused.

    A thread that needs little time and soon is then not kept waiting until busy neighbours have used up their slices.
    Its share of the time stays the same. Linux has granted such requests to anyone since 6.12, and ignored them before.
    """
    number = _SCHED_SETATTR.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return False  # the user chose another policy, such as `chrt --idle`
    import ctypes

    attributes = struct.pack(_SCHED_ATTRIBUTES, struct.calcsize(_SCHED_ATTRIBUTES), os.SCHED_OTHER, 0,
                             os.getpriority(os.PRIO_PROCESS, 0), 0, _SHORT_SLICE, 0, 0)
    try:
        return bool(ctypes.CDLL(None).syscall(number, 0, attributes, 0) == 0)
    except (OSError, AttributeError):
        return False


def zeroed_memory(size: int) -> memoryview:
    """`size` writable zero bytes, for large arrays that are read at random; MemoryError if they cannot be had.

    On Linux they lie in huge pages if the system grants them: a random read then needs no page-table walk, which costs
    as much as the read itself.
    """
    try:
        # Shared pages, Python's default, would never be huge.
        private = {} if IS_WINDOWS else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
        pages = mmap.mmap(-1, size + _HUGE_PAGE, **private)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"no memory for {size} bytes") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    start = -address_of(pages) % _HUGE_PAGE
    return memoryview(pages)[start : start + size]


def address_of(buffer: Any) -> int:
    """The address of a writable buffer."""
    import ctypes

    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def memory_size() -> int:
    """The size of this machine's memory in bytes."""
    if IS_WINDOWS:
        import psutil

        return int(psutil.virtual_memory().total)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def children_cpu_seconds() -> float:
    """The CPU seconds of all processes that this one started and that have ended; 0 on Windows."""
    if IS_WINDOWS:
        return 0.0
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def has_dot_products() -> bool:
    """Whether this processor, if it is an aarch64 one, adds four products of bytes in one instruction.

    LLVM does not say. All of Apple's do.
    """
    import ctypes

    if IS_MACOS:
        return True
    if IS_WINDOWS:
        return bool(ctypes.CDLL("kernel32").IsProcessorFeaturePresent(_WINDOWS_DOT_PRODUCTS))
    try:
        getauxval = ctypes.CDLL(None).getauxval
    except (OSError, AttributeError):  # neither glibc nor musl
        return False
    getauxval.argtypes, getauxval.restype = [ctypes.c_ulong], ctypes.c_ulong
    return bool(getauxval(_AT_HWCAP) & _HWCAP_DOT_PRODUCTS)


def user_cache_folder() -> Path:
    """The folder for this user's caches."""
    if IS_WINDOWS:
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if IS_MACOS:
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def user_data_folder() -> Path:
    """The folder for this user's application data."""
    if IS_WINDOWS:
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if IS_MACOS:
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def reason_not_to_trust(status: os.stat_result) -> str | None:
    """Why machine code in a file or folder of this status should not be run, if others may have put it there."""
    if IS_WINDOWS:
        return None  # a user's folders are closed to others
    if status.st_uid not in (os.geteuid(), _ROOT):
        return "it belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write to it (chmod go-w would fix that)"
    return None


def try_lock(handle: int) -> bool:
    """Lock an open file for this process alone; False if another one holds the lock, OSError if there are no locks.

    The system unlocks it when the process ends, however it ends.
    """
    if sys.platform == "win32":
        import msvcrt

        with contextlib.suppress(PermissionError):
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
    else:
        import fcntl

        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def unlock(handle: int) -> None:
    """Release the lock of an open file. Closing the file is not enough while a forked process has it open too."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_UN)


def c_libraries() -> Iterator[Any]:
    """Yield the libraries that contain the C functions."""
    import ctypes

    names = ("ucrtbase", "kernel32", "vcruntime140") if IS_WINDOWS else (None,) if IS_MACOS else (None, "libm.so.6")
    for name in names:
        with contextlib.suppress(OSError):
            yield ctypes.CDLL(name)


def emit_clock_read(builder: Any) -> Any:
    """Emit LLVM instructions that read the clock of `time.perf_counter_ns`; returns the value, an i64 of nanoseconds.

    The function is called by its symbol: an address (as from ctypes) could not be kept in the compile cache.
    """
    return _emit_performance_counter(builder) if IS_WINDOWS else _emit_clock_gettime(builder)


def _emit_clock_gettime(builder: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils

    i32, i64 = ir.IntType(32), ir.IntType(64)
    timespec = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
    signature = ir.FunctionType(i32, [i32, timespec.type])
    clock = cgutils.get_or_insert_function(builder.module, signature, "clock_gettime")
    builder.call(clock, [i32(_PERF_COUNTER_CLOCK), timespec])
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
    # Whole seconds and the rest separately: ticks times a billion would overflow within hours.
    seconds, rest = builder.udiv(ticks, frequency), builder.urem(ticks, frequency)
    nanoseconds = builder.udiv(builder.mul(rest, i64(_NANOSECONDS)), frequency)
    return builder.add(builder.mul(seconds, i64(_NANOSECONDS)), nanoseconds)
