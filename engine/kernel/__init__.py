"""The only package that imports the compiler: decorators, the code cache and shipped machine code.

A kernel is a function that Numba compiles. There are three kinds, and the project uses no other jit options:

- `entry`: called from Python, with declared argument types; loaded, or compiled, at its first call.
- `kernel`: called only by other kernels.
- `inline`: the same, and always inlined where it is called: bit twiddling, make and unmake.

`decorators` makes them, `signature` has the types of their arguments, `intrinsics` the machine instructions for which
Python has no operator. `library` finds the machine code of an entry: in the package, where `build` put it, in the
`cache`, or by calling the `compiler`. `codefile` is its file format, `targets` are the processors it is
made for, and `sources` has the digest that shows whether it is current. Numba is imported only when something must be
compiled.
"""

from engine.kernel.cache import CACHE_VARIABLE
from engine.kernel.decorators import (
    ENTRY_POINTS,
    EntryPoint,
    LateIntrinsic,
    entry,
    import_all,
    inline,
    kernel,
)
from engine.kernel.library import Origin, is_compiling
from engine.kernel.notices import set_listener
from engine.kernel.signature import Int, array_type, int64, offset_of, record_dtype, record_type, uint64
from engine.system.packages import PACKAGES, SOURCE_ROOT

__all__ = [
    "CACHE_VARIABLE", "ENTRY_POINTS", "PACKAGES", "SOURCE_ROOT", "EntryPoint", "Int", "LateIntrinsic", "Origin",
    "array_type", "entry", "import_all", "inline", "int64", "is_compiling", "kernel", "offset_of",
    "record_dtype", "record_type", "set_listener", "uint64",
]
