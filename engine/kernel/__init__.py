"""The one door to the compiler, and to what it has compiled.

A kernel is a function that Numba compiles. There are three sorts, and no other set of jit options in the project:

- `entry`: called from Python, with its argument types written down; found, or compiled, at its first call.
- `kernel`: called by other kernels only.
- `inline`: the same, and always expanded where it is called: bit twiddling, make and unmake.

`decorators` makes them, `signature` has the types of their arguments, `intrinsics` the machine instructions that Python
has no operator for. `library` finds the machine code of an entry: in the package, where `build` put it, in the `cache`,
or by asking the `compiler`. `codefile` is the format it is stored in, `targets` the processors that it is made for, and
`sources` the digest that tells whether it still fits. Numba is imported by `compiler` alone, when something has to be
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
from engine.kernel.notices import listen
from engine.kernel.signature import Int, array_type, int64, offset_of, record_dtype, record_type, uint64
from engine.kernel.sources import PACKAGES, SOURCE_ROOT

__all__ = [
    "CACHE_VARIABLE", "ENTRY_POINTS", "PACKAGES", "SOURCE_ROOT", "EntryPoint", "Int", "LateIntrinsic", "Origin",
    "array_type", "entry", "import_all", "inline", "int64", "is_compiling", "kernel", "listen", "offset_of",
    "record_dtype", "record_type", "uint64",
]
