"""The one door to the compiler.

A kernel is a function that Numba compiles. There are three sorts, and no other set of jit options in the project:

- `entry`: called from Python, with its argument types written down; compiled, or loaded, at its first call.
- `kernel`: called by other kernels only.
- `inline`: the same, and always expanded where it is called: bit twiddling, make and unmake.

`decorators` makes them, `compiler` is what Numba's compiler does differently here, `cache` keeps what was compiled, and
`intrinsics` has the machine instructions that Python has no operator for.
"""

from engine.kernel.cache import (
    CACHE_FOLDER,
    CACHE_VARIABLE,
    PACKAGES,
    SOURCE_ROOT,
    source_files,
)
from engine.kernel.decorators import (
    ENTRY_POINTS,
    EntryPoint,
    Int,
    array_type,
    entry,
    import_all,
    inline,
    int64,
    kernel,
    record_dtype,
    record_type,
    uint64,
)

__all__ = [
    "CACHE_FOLDER", "CACHE_VARIABLE", "ENTRY_POINTS", "PACKAGES", "SOURCE_ROOT", "EntryPoint", "Int", "array_type",
    "entry", "import_all", "inline", "int64", "kernel", "record_dtype", "record_type", "source_files", "uint64",
]
