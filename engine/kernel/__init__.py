"""The one door to the compiler, and to what it has compiled.

A kernel is a function that Numba compiles. There are three sorts, and no other set of jit options in the project:

- `entry`: called from Python, with declared argument types; loaded, or compiled, at its first call.
- `kernel`: called only by other kernels.
- `inline`: the same, and always inlined where it is called: bit twiddling, make and unmake.

`decorators` makes them, `signature` has the types of their arguments, `intrinsics` the machine instructions for which
Python has no operator. `library` finds the machine code of an entry: in the package, where `build` put it, in the
`cache`, or by asking the `compiler`. `codefile` is the format in which it is stored, `targets` are the processors it is
made for, and `sources` has the digest that tells whether it still fits. Numba is imported only when something has to be
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
from engine.kernel.sources import PACKAGES, SOURCE_ROOT

__all__ = [
    "CACHE_VARIABLE", "ENTRY_POINTS", "PACKAGES", "SOURCE_ROOT", "EntryPoint", "Int", "LateIntrinsic", "Origin",
    "array_type", "entry", "import_all", "inline", "int64", "is_compiling", "kernel", "offset_of",
    "record_dtype", "record_type", "set_listener", "uint64",
]
